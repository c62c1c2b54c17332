import { localize } from '../browser/localize.ts';

export const helpTexts = localize({
  help: { en: 'Help', ru: 'Справка' },
  contents: { en: 'Contents', ru: 'Содержание' },
  pages: { en: 'Help pages', ru: 'Страницы справки' },
  onThisPage: { en: 'On this page', ru: 'На этой странице' },
  previous: { en: 'Previous', ru: 'Назад' },
  next: { en: 'Next', ru: 'Далее' },
  around: { en: 'Previous and next page', ru: 'Предыдущая и следующая страница' },
  /** Shown if the page and the documents have different languages. */
  english: { en: '', ru: 'Документация доступна только на английском языке.' },
  missingTitle: { en: 'Page not found', ru: 'Страница не найдена' },
  missing: {
    en: 'This help page does not exist. Available pages:',
    ru: 'Такой страницы нет в справке. Доступные страницы:',
  },
  absentTitle: { en: 'Documentation not installed', ru: 'Документация не установлена' },
  absent: {
    en: 'The documentation is not installed. API reference:',
    ru: 'Документация не установлена. Справочник по API:',
  },
  search: { en: 'Search help', ru: 'Поиск по справке' },
  found: { en: 'Results: {count}', ru: 'Найдено: {count}' },
  nothing: { en: 'No results.', ru: 'Ничего не найдено.' },
  unreachable: {
    en: 'Search is unavailable: the server is not responding.',
    ru: 'Поиск недоступен: сервер не отвечает.',
  },
  copy: { en: 'Copy', ru: 'Копировать' },
  copied: { en: 'Copied', ru: 'Скопировано' },
});
export type HelpTexts = (typeof helpTexts)['en'];

export interface HelpData {
  readonly words: Pick<HelpTexts, 'copy' | 'copied' | 'found' | 'nothing' | 'unreachable'>;
  readonly root: string;
}
