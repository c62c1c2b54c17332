import { refusalTexts } from './refusal-texts.ts';
import { reviewTexts } from './review-texts.ts';

/** Texts of the document list, the upload, the page order and the sign-in form. */
const en = {
  service: 'Passports',
  title: 'Technical passports',
  lead: 'Upload a technical passport as a PDF or as photos of its pages, then check, correct and export the extracted fields.',
  upload: 'New document',
  choosePdf: 'PDF files',
  send: 'Upload',
  drop: 'Drop PDFs or photos anywhere on this page.',
  photos: 'Photos of pages',
  camera: 'Take a photo',
  uploading: 'Uploading: {share}%',
  uploaded: 'Uploaded: {count}',
  rejected: '{name}: {why}',
  assembly: 'Pages of a new document',
  assemblyWhy: 'Drag the pages into order, or use the arrows, then create the document.',
  earlier: 'Move earlier',
  later: 'Move later',
  turn: 'Rotate',
  drop1: 'Remove',
  pageName: 'Page {page}: {name}',
  moved: '{name} is now page {page}',
  make: 'Create document ({count})',
  documents: 'Documents',
  all: 'All',
  none: 'No documents yet. This list shows only documents uploaded in this browser.',
  noneSuch: 'No documents with this status.',
  name: 'Document',
  state: 'Status',
  cached: 'cached result',
  excel: 'Excel',
  pdf: 'PDF',
  retry: 'Retry',
  remove: 'Delete',
  removeSure: 'Permanently delete “{name}” and its file?',
  exportSession: 'Export this list to Excel',
  exportAll: 'Export all documents to Excel',
  previous: 'Newer',
  next: 'Older',
  pageOf: '{page} of {pages}',
  live: 'Live',
  notLive: 'Connection lost. Reconnecting…',
  signIn: 'Sign in',
  signOut: 'Sign out',
  key: 'API key',
  signInWhy: 'Get a key from the administrator of this service. On a local start, the terminal shows it.',
  fromLink: 'A link has filled in the key. Sign in only if you trust the source of the link.',
  signedIn: 'You are signed in. Signing in again starts a new session.',
  goOn: 'Documents',
  signedOut: 'Sign in to open and edit documents.',
  back: 'Back',
  refusedTitle: 'The request failed',
  statuses: reviewTexts.en.status,
  ...refusalTexts.en,
};

const ru: typeof en = {
  service: 'Паспорта',
  title: 'Технические паспорта',
  lead: 'Загрузите технический паспорт в PDF или фотографии его страниц, проверьте и исправьте извлечённые поля и скачайте результат.',
  upload: 'Новый документ',
  choosePdf: 'Файлы PDF',
  send: 'Загрузить',
  drop: 'Перетащите PDF или фото в любое место страницы.',
  photos: 'Фото страниц',
  camera: 'Сделать фото',
  uploading: 'Загрузка: {share}\u00a0%',
  uploaded: 'Загружено: {count}',
  rejected: '{name}: {why}',
  assembly: 'Страницы нового документа',
  assemblyWhy: 'Расположите страницы по порядку мышью или стрелками, затем создайте документ.',
  earlier: 'Сдвинуть к началу',
  later: 'Сдвинуть к концу',
  turn: 'Повернуть',
  drop1: 'Удалить',
  pageName: 'Страница {page}: {name}',
  moved: '{name}: теперь страница {page}',
  make: 'Создать документ ({count})',
  documents: 'Документы',
  all: 'Все',
  none: 'Документов пока нет. Здесь показаны только документы, загруженные в этом браузере.',
  noneSuch: 'Документов с таким статусом нет.',
  name: 'Документ',
  state: 'Статус',
  cached: 'результат из кэша',
  excel: 'Excel',
  pdf: 'PDF',
  retry: 'Повторить',
  remove: 'Удалить',
  removeSure: 'Удалить «{name}» и его файл безвозвратно?',
  exportSession: 'Скачать список в Excel',
  exportAll: 'Скачать все документы в Excel',
  previous: 'Новее',
  next: 'Старее',
  pageOf: '{page} из {pages}',
  live: 'Обновляется автоматически',
  notLive: 'Соединение потеряно. Подключаемся снова…',
  signIn: 'Войти',
  signOut: 'Выйти',
  key: 'Ключ API',
  signInWhy: 'Ключ выдаёт администратор сервиса. При локальном запуске он показан в терминале.',
  fromLink: 'Ключ подставлен из ссылки. Входите, только если доверяете её источнику.',
  signedIn: 'Вы уже вошли. Повторный вход начнёт новый сеанс.',
  goOn: 'К документам',
  signedOut: 'Войдите, чтобы открывать и редактировать документы.',
  back: 'Назад',
  refusedTitle: 'Не удалось выполнить запрос',
  statuses: reviewTexts.ru.status,
  ...refusalTexts.ru,
};

export const listTexts = { en, ru };
export type ListTexts = typeof en;

/** Data of the list page for its script. */
export interface ListPage {
  readonly texts: ListTexts;
  readonly page: number;
  readonly limit: number;
  readonly status: string | null;
  /** Whether the user can open and edit documents. */
  readonly signedIn: boolean;
  /** Whether the browser has a session; the first upload creates it. */
  readonly session: boolean;
  /** Messages by `error_type`. */
  readonly errors: Readonly<Record<string, string>>;
}
