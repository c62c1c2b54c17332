import { localize } from '../../../ui/browser/localize.ts';
import { apiErrorTexts } from './api-error-texts.ts';

export const statusTexts = {
  PENDING: { en: 'Queued', ru: 'В очереди' },
  PROCESSING: { en: 'In progress', ru: 'Выполняется' },
  SUCCESS: { en: 'Completed', ru: 'Готово' },
  FAILED: { en: 'No result', ru: 'Нет результата' },
  ERROR: { en: 'Failed', ru: 'Ошибка' },
  PERMANENT_ERROR: { en: 'Unreadable', ru: 'Не читается' },
};

export const reviewTexts = localize({
  title: { en: 'Document', ru: 'Документ' },
  back: { en: 'All documents', ru: 'Все документы' },
  status: statusTexts,
  cached: {
    en: 'Cached result: this file was processed before.',
    ru: 'Результат из кэша: этот файл уже обрабатывался.',
  },
  progress: { en: 'Progress', ru: 'Ход обработки' },
  waiting: { en: 'The result appears here automatically.', ru: 'Результат появится на этой странице автоматически.' },
  retry: { en: 'Retry', ru: 'Повторить' },
  remove: { en: 'Delete', ru: 'Удалить' },
  removeSure: { en: 'Permanently delete this document and its file?', ru: 'Удалить документ и его файл безвозвратно?' },
  rename: { en: 'Rename', ru: 'Переименовать' },
  name: { en: 'Name', ru: 'Название' },
  excel: { en: 'Excel', ru: 'Excel' },
  pdf: { en: 'PDF report', ru: 'Отчёт PDF' },
  pages: { en: 'Pages', ru: 'Страницы' },
  page: { en: 'Page {page}', ru: 'Страница {page}' },
  loadingPage: { en: 'Page {page} is loading…', ru: 'Страница {page} загружается…' },
  noPictures: { en: 'No page images available.', ru: 'Изображений страниц нет.' },
  fields: { en: 'Fields', ru: 'Поля' },
  toReview: { en: 'To review', ru: 'Проверить' },
  reviewHint: {
    en: 'Low confidence or inconsistent with another value. Compare with the page.',
    ru: 'Низкая уверенность или расхождение с другим значением. Сверьте со страницей.',
  },
  nothingToReview: { en: 'No fields to review.', ru: 'Полей на проверку нет.' },
  reasons: {
    low_confidence: { en: 'Low confidence', ru: 'Низкая уверенность' },
    failed_check: { en: 'Inconsistent with another value', ru: 'Не согласуется с другим значением' },
    sources_disagree: { en: 'Readings disagree', ru: 'Прочтения расходятся' },
  },
  keys: {
    en: 'Enter: save and go to the next field · Shift+Enter: previous field · Esc: undo · Alt+↓, Alt+↑: next or previous field to review · Ctrl+Enter: confirm',
    ru: 'Enter: сохранить и перейти дальше · Shift+Enter: предыдущее поле · Esc: отменить правку · Alt+↓, Alt+↑: следующее или предыдущее поле на проверку · Ctrl+Enter: подтвердить',
  },
  confirm: { en: 'Confirm all values', ru: 'Подтвердить все значения' },
  confirmHint: {
    en: 'No fields to review. Press Enter to confirm.',
    ru: 'Полей на проверку нет. Подтвердите клавишей Enter.',
  },
  confirmSure: {
    en: 'Fields not checked yet: {count}. Confirm all values anyway?',
    ru: 'Ещё не проверено полей: {count}. Всё равно подтвердить все значения?',
  },
  fieldsToReview: { en: 'Fields to review: {count}', ru: 'Полей на проверку: {count}' },
  confirmed: { en: 'Confirmed by {actor},', ru: 'Подтверждено: {actor},' },
  confirming: { en: 'Confirming…', ru: 'Подтверждается…' },
  confirmedNow: { en: 'Document confirmed', ru: 'Документ подтверждён' },
  invalidFirst: { en: 'Correct the marked fields first.', ru: 'Сначала исправьте отмеченные поля.' },
  reviewFirst: {
    en: 'Check the remaining fields first. Remaining: {count}',
    ru: 'Сначала проверьте остальные поля. Осталось: {count}',
  },
  notConfirmed: { en: 'Not confirmed: {why}', ru: 'Не подтверждено: {why}' },
  save: { en: 'Save', ru: 'Сохранить' },
  saveAndConfirm: { en: 'Save and confirm all values', ru: 'Сохранить и подтвердить все значения' },
  saved: { en: 'Saved', ru: 'Сохранено' },
  saving: { en: 'Saving…', ru: 'Сохраняется…' },
  restored: { en: 'Restored', ru: 'Правка отменена' },
  notSaved: { en: 'Not saved: {why}', ru: 'Не сохранено: {why}' },
  sessionEnded: { en: 'Your session has ended.', ru: 'Сеанс завершён.' },
  signInAgain: { en: 'Sign in again', ru: 'Войдите снова' },
  thenSave: {
    en: 'in a new tab, then press Enter to save the value.',
    ru: 'в новой вкладке и нажмите Enter, чтобы сохранить значение.',
  },
  thenReload: { en: 'in a new tab, then reload this page.', ru: 'в новой вкладке и обновите эту страницу.' },
  thenConfirm: { en: 'in a new tab, then confirm again.', ru: 'в новой вкладке и подтвердите ещё раз.' },
  conflict: {
    en: 'Another user has saved “{value}”. Press Enter to replace it with your value.',
    ru: 'Другой пользователь сохранил «{value}». Нажмите Enter, чтобы записать ваше значение.',
  },
  rowsGone: {
    en: 'Another user has changed or removed the table rows of these values. They are not saved: {values}.',
    ru: 'Другой пользователь изменил или удалил строки таблицы, к которым относятся эти значения. Они не сохранены: {values}.',
  },
  quoted: { en: '“{value}”', ru: '«{value}»' },
  reloading: {
    en: 'Another user has changed this document. Reloading the page.',
    ru: 'Документ изменил другой пользователь. Страница обновляется.',
  },
  confidence: { en: 'confidence {share}%', ru: 'уверенность {share}\u00a0%' },
  sources: {
    text: { en: 'from the PDF text', ru: 'из текста PDF' },
    ocr: { en: 'from OCR', ru: 'распознано (OCR)' },
    model: { en: 'from the language model', ru: 'из языковой модели' },
    manual: { en: 'entered manually', ru: 'введено вручную' },
  },
  empty: { en: 'not found', ru: 'не найдено' },
  onPage: { en: 'page\u00a0{page}', ru: 'стр.\u00a0{page}' },
  original: { en: 'Extracted: {value}', ru: 'Извлечено: {value}' },
  revert: { en: 'Restore', ru: 'Вернуть' },
  removeRow: { en: 'Remove row {row}', ru: 'Удалить строку {row}' },
  rowDeleted: { en: 'Row {row} deleted.', ru: 'Строка {row} удалена.' },
  rowNumber: { en: 'no. {number}', ru: '№\u00a0{number}' },
  undo: { en: 'Undo', ru: 'Отменить' },
  undoHint: { en: 'To undo: Shift+Tab, then Enter.', ru: 'Отменить: Shift+Tab, затем Enter.' },
  rowRestored: { en: 'Row {row} restored.', ru: 'Строка {row} восстановлена.' },
  insertRow: { en: 'Insert row above row {row}', ru: 'Вставить строку над строкой {row}' },
  insertedRow: { en: '{row} (new)', ru: '{row} (новая)' },
  row: { en: 'Row', ru: 'Строка' },
  deletedRow: { en: 'deleted row {row}', ru: 'удалённая строка {row}' },
  yes: { en: 'yes', ru: 'да' },
  no: { en: 'no', ru: 'нет' },
  history: { en: 'History', ru: 'История' },
  noHistory: { en: 'No edits yet.', ru: 'Правок нет.' },
  edit: { en: '{actor}: {field}, {from} → {to}', ru: '{actor}: {field}, {from} → {to}' },
  editRow: { en: '{actor}: {table}, {row}: {from} → {to}', ru: '{actor}: {table}, {row}: {from} → {to}' },
  nothing: { en: 'empty', ru: 'пусто' },
  inconsistent: { en: 'Inconsistent values: {fields}.', ru: 'Значения не согласуются: {fields}.' },
  pageDamaged: { en: 'Some pages of this PDF cannot be opened.', ru: 'Некоторые страницы этого PDF не открываются.' },
  pageUnread: {
    en: 'Some pages took too long to read and are treated as empty.',
    ru: 'Некоторые страницы распознавались слишком долго и считаются пустыми.',
  },
  noModel: {
    en: 'This document was processed without the language model.',
    ru: 'Документ обработан без языковой модели.',
  },
  otherSchema: {
    en: 'This document was extracted with another schema, {schema}. Values of fields that the current schema does not have are not shown. To extract all current fields, upload the file again.',
    ru: 'Документ обработан по другой схеме полей: {schema}. Значения полей, которых нет в текущей схеме, не показаны. Чтобы извлечь все текущие поля, загрузите файл ещё раз.',
  },
  saveRows: { en: 'Save rows {from}–{to}', ru: 'Сохранить строки {from}–{to}' },
  ...apiErrorTexts,
});
export type ReviewTexts = (typeof reviewTexts)['en' | 'ru'];

export interface ReviewPage {
  readonly texts: ReviewTexts;
  readonly id: string;
  readonly status: string;
  readonly version: number;
}
