import type { Language } from './rows.ts';

/** Labels of the printed report. */
export const REPORT_WORDS: Record<Language, ReportWords> = {
  en: {
    title: 'Technical passport',
    field: 'Field',
    value: 'Value',
    proof: 'On the page',
    empty: '—',
    yes: 'yes',
    no: 'no',
    edited: 'edited',
    pageOf: (page, pages) => `Page ${page} of ${pages}`,
    sourcePage: (page) => `p. ${page}`,
    printed: (day) => `Printed on ${day}`,
    document: (pages) => `Pages in the document: ${pages}`,
    noRows: 'No rows.',
  },
  ru: {
    title: 'Технический паспорт',
    field: 'Поле',
    value: 'Значение',
    proof: 'На странице',
    empty: '—',
    yes: 'да',
    no: 'нет',
    edited: 'исправлено',
    pageOf: (page, pages) => `Страница ${page} из ${pages}`,
    sourcePage: (page) => `с. ${page}`,
    printed: (day) => `Напечатано ${day}`,
    document: (pages) => `Страниц в документе: ${pages}`,
    noRows: 'Нет строк.',
  },
};

export interface ReportWords {
  readonly title: string;
  readonly field: string;
  readonly value: string;
  readonly proof: string;
  readonly empty: string;
  readonly yes: string;
  readonly no: string;
  readonly edited: string;
  pageOf(page: number, pages: number): string;
  sourcePage(page: number): string;
  printed(day: string): string;
  document(pages: number): string;
  readonly noRows: string;
}
