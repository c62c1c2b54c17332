/** The words around the documents, which are in English. */
const en = {
  help: 'Help',
  contents: 'Contents',
  pages: 'Pages of the help',
  onThisPage: 'On this page',
  previous: 'Previous',
  next: 'Next',
  around: 'Previous and next page',
  /** Said where the documents are in another language than the page. */
  english: '',
  missingTitle: 'There is no such page',
  missing: 'The help has no page of this name. These are the ones that there are:',
  absentTitle: 'No documentation',
  absent: 'This installation comes without its documentation. The reference of the API is at:',
  search: 'Search the help',
  found: 'Found: {count}',
  nothing: 'Nothing was found.',
  unreachable: 'The search does not work now: the server does not answer.',
  copy: 'Copy',
  copied: 'Copied',
};

const ru: typeof en = {
  help: 'Справка',
  contents: 'Содержание',
  pages: 'Страницы справки',
  onThisPage: 'На этой странице',
  previous: 'Назад',
  next: 'Далее',
  around: 'Предыдущая и следующая страница',
  english: 'Документация написана на английском языке.',
  missingTitle: 'Такой страницы нет',
  missing: 'В справке нет страницы с таким именем. Вот те, которые есть:',
  absentTitle: 'Документации нет',
  absent: 'Эта установка поставлена без документации. Справочник по API:',
  search: 'Поиск по справке',
  found: 'Найдено: {count}',
  nothing: 'Ничего не найдено.',
  unreachable: 'Поиск сейчас не работает: сервер не отвечает.',
  copy: 'Копировать',
  copied: 'Скопировано',
};

export const helpTexts = { en, ru };
export type HelpTexts = typeof en;
