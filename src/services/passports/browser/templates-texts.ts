import { localize } from '../../../ui/browser/localize.ts';
import { apiErrorTexts } from './api-error-texts.ts';

export const templatesTexts = localize({
  title: { en: 'Form templates', ru: 'Шаблоны бланков' },
  lead: {
    en: 'A template keeps where the values of a form stand. A correction of a document creates it, and the next document on the same form is read with it. A template stores no values.',
    ru: 'Шаблон помнит, где на бланке стоят значения. Его создаёт исправление документа, и следующий документ на том же бланке читается по нему. Самих значений в шаблоне нет.',
  },
  back: { en: 'Documents', ru: 'К документам' },
  none: {
    en: 'No templates yet. Correct a document, and a template appears here a few seconds later. Only values that are printed on its pages teach it.',
    ru: 'Шаблонов пока нет. Исправьте документ, и через несколько секунд здесь появится шаблон. Учитываются только значения, напечатанные на страницах документа.',
  },
  name: { en: 'Name', ru: 'Название' },
  defaultName: { en: 'Form {number}', ru: 'Бланк {number}' },
  save: { en: 'Rename', ru: 'Переименовать' },
  enabled: { en: 'Enabled', ru: 'Включён' },
  disabled: { en: 'Disabled', ru: 'Отключён' },
  enable: { en: 'Enable', ru: 'Включить' },
  disable: { en: 'Disable', ru: 'Отключить' },
  remove: { en: 'Delete', ru: 'Удалить' },
  removeSure: {
    en: 'Delete the template “{name}”? The corrected documents stay.',
    ru: 'Удалить шаблон «{name}»? Исправленные документы останутся.',
  },
  uses: { en: 'Documents read: {count}', ru: 'Прочитано документов: {count}' },
  corrections: { en: 'Corrections', ru: 'Исправления' },
  deleted: { en: 'deleted document', ru: 'удалённый документ' },
  undo: { en: 'Undo', ru: 'Отменить' },
  undoSure: {
    en: 'Remove what “{name}” taught this template? The edits of the document stay.',
    ru: 'Убрать из шаблона то, чему научил «{name}»? Исправления в документе останутся.',
  },
  saved: { en: 'Saved', ru: 'Сохранено' },
  ...apiErrorTexts,
});
export type TemplatesTexts = (typeof templatesTexts)['en' | 'ru'];

export interface TemplatesPage {
  readonly texts: TemplatesTexts;
}
