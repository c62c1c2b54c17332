import { localize } from '../../../ui/browser/localize.ts';

export const qualityTexts = localize({
  title: { en: 'Extraction quality', ru: 'Качество извлечения' },
  back: { en: 'All documents', ru: 'Все документы' },
  lead: {
    en: 'How often extracted values were right, from the documents that people corrected or confirmed.',
    ru: 'Как часто извлечённые значения были верны: по документам, которые исправили или подтвердили.',
  },
  chosen: { en: 'Precision to reach', ru: 'Требуемая точность' },
  show: { en: 'Show', ru: 'Показать' },
  documents: {
    en: 'Documents checked: {count}. Engine version: {engine}.',
    ru: 'Проверено документов: {count}. Версия модуля извлечения: {engine}.',
  },
  field: { en: 'Field', ru: 'Поле' },
  read: { en: 'Read', ru: 'Прочитано' },
  corrected: { en: 'Corrected', ru: 'Исправлено' },
  missed: { en: 'Added', ru: 'Добавлено' },
  precision: { en: 'Precision', ru: 'Точность' },
  band: { en: 'Confidence {band}', ru: 'Уверенность {band}' },
  automatic: { en: 'No check needed', ru: 'Без проверки' },
  threshold: { en: 'Minimum confidence', ru: 'Минимальная уверенность' },
  total: { en: 'All fields', ru: 'Все поля' },
  legend: {
    en: 'The number of values is in brackets. “No check needed” is the share of values that reach the precision together, from the minimum confidence on.',
    ru: 'В скобках указано число значений. «Без проверки» — доля значений, которые вместе достигают требуемой точности, начиная с минимальной уверенности.',
  },
});
export type QualityTexts = (typeof qualityTexts)['en' | 'ru'];
