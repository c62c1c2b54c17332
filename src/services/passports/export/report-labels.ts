import type { Language } from './rows.ts';

const en = {
  title: 'Technical passport',
  field: 'Field',
  value: 'Value',
  excerpt: 'On the page',
  empty: '—',
  yes: 'yes',
  no: 'no',
  edited: 'edited',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  sourcePage: (page: number) => `p. ${page}`,
  printed: (day: string) => `Printed on ${day}`,
  document: (pages: number) => `Pages in the document: ${pages}`,
  noRows: 'No rows.',
};

const ru: typeof en = {
  title: 'Технический паспорт',
  field: 'Поле',
  value: 'Значение',
  excerpt: 'На странице',
  empty: '—',
  yes: 'да',
  no: 'нет',
  edited: 'исправлено',
  pageOf: (page, pages) => `Страница ${page} из ${pages}`,
  sourcePage: (page) => `с. ${page}`,
  printed: (day) => `Напечатано ${day}`,
  document: (pages) => `Страниц в документе: ${pages}`,
  noRows: 'Нет строк.',
};

export type ReportLabels = typeof en;
export const REPORT_LABELS: Record<Language, ReportLabels> = { en, ru };
