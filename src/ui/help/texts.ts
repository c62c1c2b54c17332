const en = {
  help: 'Help',
  contents: 'Contents',
  pages: 'Help pages',
  onThisPage: 'On this page',
  previous: 'Previous',
  next: 'Next',
  around: 'Previous and next page',
  /** Shown if the page and the documents have different languages. */
  english: '',
  missingTitle: 'Page not found',
  missing: 'This help page does not exist. Available pages:',
  absentTitle: 'Documentation not installed',
  absent: 'The documentation is not installed. API reference:',
  search: 'Search help',
  found: 'Results: {count}',
  nothing: 'No results.',
  unreachable: 'Search is unavailable: the server is not responding.',
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
  english: 'Документация доступна только на английском языке.',
  missingTitle: 'Страница не найдена',
  missing: 'Такой страницы нет в справке. Доступные страницы:',
  absentTitle: 'Документация не установлена',
  absent: 'Документация не установлена. Справочник по API:',
  search: 'Поиск по справке',
  found: 'Найдено: {count}',
  nothing: 'Ничего не найдено.',
  unreachable: 'Поиск недоступен: сервер не отвечает.',
  copy: 'Копировать',
  copied: 'Скопировано',
};

export const helpTexts = { en, ru };
export type HelpTexts = typeof en;

export interface HelpData {
  readonly words: Pick<HelpTexts, 'copy' | 'copied' | 'found' | 'nothing' | 'unreachable'>;
  readonly root: string;
}
