import { refusalTexts } from './refusal-texts.ts';
import { reviewTexts } from './review-texts.ts';

/** The words of the list of documents, of uploading and of assembly, and of signing in. */
const en = {
  service: 'Passports',
  title: 'Technical passports',
  lead: 'A passport as a PDF or as photos of its pages becomes fields to check, correct and hand on.',
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
  assemblyWhy: 'Drag them into their order, or use the arrows; then make one document of them.',
  earlier: 'Earlier',
  later: 'Later',
  turn: 'Turn',
  drop1: 'Remove',
  pageName: 'Page {page}: {name}',
  moved: '{name} is page {page} now',
  make: 'Make the document ({count})',
  documents: 'Documents',
  all: 'All',
  none: 'No documents yet. What was added in another browser, or by a program, is in the list there.',
  noneSuch: 'No document has this state.',
  name: 'Document',
  state: 'State',
  created: 'Added',
  actions: 'Actions',
  cached: 'known already',
  open: 'Open',
  excel: 'Excel',
  pdf: 'PDF',
  retry: 'Try again',
  remove: 'Delete',
  removeSure: 'Delete “{name}” and its file for good?',
  exportSession: 'Excel of this list',
  exportAll: 'Excel of all documents',
  previous: 'Newer',
  next: 'Older',
  pageOf: '{page} of {pages}',
  live: 'live',
  notLive: 'The list is out of touch; trying again.',
  signIn: 'Sign in',
  signOut: 'Sign out',
  key: 'API key',
  signInWhy: 'The key comes from whoever runs this service; in a first trial the start-up banner shows it.',
  signedOut: 'Sign in to open documents and to change them.',
  back: 'Back',
  refusedTitle: 'This did not work',
  statuses: reviewTexts.en.status,
  ...refusalTexts.en,
};

const ru: typeof en = {
  service: 'Паспорта',
  title: 'Технические паспорта',
  lead: 'Паспорт в PDF или на снимках страниц становится полями: их можно проверить, исправить и передать дальше.',
  upload: 'Новый документ',
  choosePdf: 'Файлы PDF',
  send: 'Загрузить',
  drop: 'Перетащите PDF или снимки в любое место страницы.',
  photos: 'Снимки страниц',
  camera: 'Снять камерой',
  uploading: 'Загрузка: {share}\u00a0%',
  uploaded: 'Загружено: {count}',
  rejected: '{name}: {why}',
  assembly: 'Страницы нового документа',
  assemblyWhy: 'Расставьте их мышью или стрелками, затем соберите документ.',
  earlier: 'Раньше',
  later: 'Позже',
  turn: 'Повернуть',
  drop1: 'Убрать',
  pageName: 'Страница {page}: {name}',
  moved: '{name} теперь страница {page}',
  make: 'Собрать документ ({count})',
  documents: 'Документы',
  all: 'Все',
  none: 'Документов пока нет. Добавленное в другом браузере или программой — в списке там.',
  noneSuch: 'Документов в этом состоянии нет.',
  name: 'Документ',
  state: 'Состояние',
  created: 'Добавлен',
  actions: 'Действия',
  cached: 'уже известен',
  open: 'Открыть',
  excel: 'Excel',
  pdf: 'PDF',
  retry: 'Повторить',
  remove: 'Удалить',
  removeSure: 'Удалить «{name}» и его файл безвозвратно?',
  exportSession: 'Excel этого списка',
  exportAll: 'Excel всех документов',
  previous: 'Новее',
  next: 'Старее',
  pageOf: '{page} из {pages}',
  live: 'обновляется',
  notLive: 'Связь со списком потеряна; пробуем снова.',
  signIn: 'Войти',
  signOut: 'Выйти',
  key: 'Ключ API',
  signInWhy: 'Ключ выдаёт тот, кто ведёт сервис; при пробном запуске он показан в терминале.',
  signedOut: 'Войдите, чтобы открывать и менять документы.',
  back: 'Назад',
  refusedTitle: 'Не получилось',
  statuses: reviewTexts.ru.status,
  ...refusalTexts.ru,
};

export const listTexts = { en, ru };
export type ListTexts = typeof en;

/** What the list hands to its script. */
export interface ListPage {
  readonly texts: ListTexts;
  readonly page: number;
  readonly limit: number;
  readonly status: string | null;
  /** Whether documents can be opened and changed here. */
  readonly signedIn: boolean;
  /** Whether the browser has a session; its first upload gives it one. */
  readonly session: boolean;
  /** Why a document has no result, by its `error_type`. */
  readonly errors: Readonly<Record<string, string>>;
}
