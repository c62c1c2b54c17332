import { groupingMessages } from '../../../ui/browser/grouping-texts.ts';
import { localize } from '../../../ui/browser/localize.ts';
import { apiErrorTexts } from './api-error-texts.ts';
import { statusTexts } from './review-texts.ts';

export const listTexts = localize({
  service: { en: 'Passports', ru: 'Паспорта' },
  title: { en: 'Technical passports', ru: 'Технические паспорта' },
  lead: {
    en: 'Upload a technical passport as a PDF or as photos of its pages, then check, correct and export the extracted fields.',
    ru: 'Загрузите технический паспорт в PDF или фото его страниц, проверьте и исправьте извлечённые поля и скачайте результат.',
  },
  upload: { en: 'New document', ru: 'Новый документ' },
  choosePdf: { en: 'PDF files', ru: 'Файлы PDF' },
  send: { en: 'Upload', ru: 'Загрузить' },
  chooseAgain: {
    en: 'You can choose the files again here. The project and the tags are kept.',
    ru: 'Здесь можно выбрать файлы снова. Проект и метки сохранены.',
  },
  drop: { en: 'Drop PDFs or photos anywhere on this page.', ru: 'Перетащите PDF или фото в любое место страницы.' },
  grouping: groupingMessages,
  filtered: { en: 'Only with:', ru: 'Только:' },
  clearFilter: { en: 'Remove filter {value}', ru: 'Снять фильтр {value}' },
  photos: { en: 'Photos of pages', ru: 'Фото страниц' },
  camera: { en: 'Take a photo', ru: 'Сделать фото' },
  uploading: { en: 'Uploading: {share}%', ru: 'Загрузка: {share}\u00a0%' },
  uploaded: { en: 'Uploaded: {count}', ru: 'Загружено: {count}' },
  rejected: { en: '{name}: {why}', ru: '{name}: {why}' },
  pageOrder: { en: 'Pages of a new document', ru: 'Страницы нового документа' },
  pageOrderHint: {
    en: 'Drag the pages into order, or use the arrows, then create the document.',
    ru: 'Расположите страницы по порядку мышью или стрелками, затем создайте документ.',
  },
  earlier: { en: 'Move earlier', ru: 'Сдвинуть к началу' },
  later: { en: 'Move later', ru: 'Сдвинуть к концу' },
  turn: { en: 'Rotate', ru: 'Повернуть' },
  removePage: { en: 'Remove', ru: 'Удалить' },
  pageName: { en: 'Page {page}: {name}', ru: 'Страница {page}: {name}' },
  moved: { en: '{name} is now page {page}', ru: '{name}: теперь страница {page}' },
  tooManyPages: {
    en: 'A document can have at most {limit} pages. Choose fewer photos, or remove some pages.',
    ru: 'В документе может быть не больше {limit} страниц. Выберите меньше фото или удалите лишние страницы.',
  },
  createDocument: { en: 'Create document ({count})', ru: 'Создать документ ({count})' },
  templates: { en: 'Form templates', ru: 'Шаблоны бланков' },
  documents: { en: 'Documents', ru: 'Документы' },
  all: { en: 'All', ru: 'Все' },
  none: {
    en: 'No documents yet. The list shows the documents of this session; signing in starts a new one. Earlier documents are in the catalog, and those of batches also on the page “Many files”.',
    ru: 'Документов пока нет. Здесь показаны документы этого сеанса; после входа начинается новый. Прежние документы есть в каталоге, а документы пакетов — также на странице «Много файлов».',
  },
  noMatches: { en: 'No documents match.', ru: 'Подходящих документов нет.' },
  name: { en: 'Document', ru: 'Документ' },
  state: { en: 'Status', ru: 'Статус' },
  cached: { en: 'cached result', ru: 'результат из кэша' },
  excel: { en: 'Excel', ru: 'Excel' },
  pdf: { en: 'PDF', ru: 'PDF' },
  retry: { en: 'Retry', ru: 'Повторить' },
  remove: { en: 'Delete', ru: 'Удалить' },
  removeSure: { en: 'Permanently delete “{name}” and its file?', ru: 'Удалить «{name}» и его файл безвозвратно?' },
  exportSession: { en: 'Export this list to Excel', ru: 'Скачать список в Excel' },
  exportAll: { en: 'Export all documents to Excel', ru: 'Скачать все документы в Excel' },
  quality: { en: 'Extraction quality', ru: 'Качество извлечения' },
  previous: { en: 'Newer', ru: 'Новее' },
  next: { en: 'Older', ru: 'Старее' },
  pageOf: { en: '{page} of {pages}', ru: '{page} из {pages}' },
  live: { en: 'Live', ru: 'Обновляется автоматически' },
  connectionLost: { en: 'Connection lost. Reconnecting…', ru: 'Соединение потеряно. Подключаемся снова…' },
  signIn: { en: 'Sign in', ru: 'Войти' },
  signOut: { en: 'Sign out', ru: 'Выйти' },
  key: { en: 'API key', ru: 'Ключ API' },
  signInWhy: {
    en: 'Get a key from the administrator of this service. On a local start, the terminal shows it.',
    ru: 'Ключ выдаёт администратор сервиса. При локальном запуске он показан в терминале.',
  },
  fromLink: {
    en: 'A link has filled in the key. Sign in only if you trust the source of the link.',
    ru: 'Ключ подставлен из ссылки. Входите, только если доверяете её источнику.',
  },
  signedIn: {
    en: 'You are signed in. Signing in again starts a new session.',
    ru: 'Вы уже вошли. Повторный вход начнёт новый сеанс.',
  },
  goOn: { en: 'Documents', ru: 'К документам' },
  signedOut: { en: 'Sign in to open and edit documents.', ru: 'Войдите, чтобы открывать и редактировать документы.' },
  back: { en: 'Back', ru: 'Назад' },
  refusedTitle: { en: 'The request failed', ru: 'Не удалось выполнить запрос' },
  fieldNames: {
    page: { en: 'Page', ru: 'Страница' },
    status: { en: 'Status', ru: 'Статус' },
    project: { en: 'Project', ru: 'Проект' },
    tag: { en: 'Tag', ru: 'Метка' },
    tags: { en: 'Tags', ru: 'Метки' },
  },
  statuses: statusTexts,
  ...apiErrorTexts,
  problems: {
    en: {
      ...apiErrorTexts.problems.en,
      'project:value_error': 'Must have at most 100 characters, without control characters.',
      'tags:value_error': 'At most 20, each with 1 to 50 characters, without control characters.',
    },
    ru: {
      ...apiErrorTexts.problems.ru,
      'project:value_error': 'Не больше 100 символов, без управляющих символов.',
      'tags:value_error': 'Не больше 20, в каждой от 1 до 50 символов, без управляющих символов.',
    },
  },
});
export type ListTexts = (typeof listTexts)['en' | 'ru'];

export interface ListPage {
  readonly texts: ListTexts;
  /** Whether the browser has a session; the first upload creates it. */
  readonly hasSession: boolean;
  /** The limit of a document that is created from photos. */
  readonly maxImages: number;
}
