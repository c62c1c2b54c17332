import { localize } from '../../../ui/browser/localize.ts';

export const reportLabels = localize({
  title: { en: 'Document', ru: 'Документ' },
  field: { en: 'Field', ru: 'Поле' },
  value: { en: 'Value', ru: 'Значение' },
  excerpt: { en: 'On the page', ru: 'На странице' },
  yes: { en: 'yes', ru: 'да' },
  no: { en: 'no', ru: 'нет' },
  edited: { en: 'edited', ru: 'исправлено' },
  pageOf: { en: 'Page {page} of {pages}', ru: 'Страница {page} из {pages}' },
  sourcePage: { en: 'p. {page}', ru: 'с. {page}' },
  printed: { en: 'Printed on {day}', ru: 'Напечатано {day}' },
  document: { en: 'Pages in the document: {pages}', ru: 'Страниц в документе: {pages}' },
  noRows: { en: 'No rows.', ru: 'Нет строк.' },
});
export type ReportLabels = (typeof reportLabels)['en' | 'ru'];
