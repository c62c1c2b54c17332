import { expect, it } from 'vitest';
import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { agreeTotals, agreeUncorrected } from './agree-totals.ts';

const schema = loadSchema();
const SIZE = 1000;
/** Words below each other; letters are 6 pt wide and 10 pt high. */
const pageOf = (texts: readonly string[]): ReadPage => ({
  ...{ page: 1, width: SIZE, height: SIZE, turn: 0, reader: 'text', rules: [] },
  words: texts.flatMap((line, i) =>
    [...line.matchAll(/\S+/gu)].map(({ 0: text, index }) => ({
      text,
      box: [
        (40 + 6 * index) / SIZE,
        (20 + 20 * i) / SIZE,
        (40 + 6 * (index + text.length)) / SIZE,
        (30 + 20 * i) / SIZE,
      ],
      confidence: null,
    })),
  ),
});
const field = (value: number, confidence = 0.9): Field => ({
  ...{ value, confidence, source: 'text', page: 1, bbox: null, text: '' },
});
const rooms = {
  'rooms:1.area': field(12.5),
  'rooms:2.area': field(8.1),
  'rooms:1.living_area': field(12.5),
  'rooms:2.auxiliary_area': field(8.1),
  'rooms:3.auxiliary_area': field(4),
};
const totals = (fields: Record<string, Field>, texts: readonly string[]) => {
  const { 'areas:total_area': total, 'areas:auxiliary_area': auxiliary } = agreeTotals(fields, [pageOf(texts)], schema);
  return [total?.value, auxiliary?.value];
};

it('reads a missing or doubtful total as the printed sum of its column', () => {
  const texts = ['Итого 20,60', 'по дому 611,4'];
  expect(totals(rooms, texts)[0]).toBe(20.6);
  expect(totals({ ...rooms, 'areas:total_area': field(611.4, 0.3) }, texts)[0]).toBe(20.6);
  expect(totals({ ...rooms, 'areas:total_area': field(611.4, 0.9) }, texts)[0]).toBe(611.4);
  expect(totals({ ...rooms, 'areas:total_area': field(20.55, 0.3) }, texts)[0]).toBe(20.55);
});

it('corrects a figure of a sure total that OCR misread', () => {
  const total = (value: number) => ({
    ...rooms,
    'areas:total_area': { ...field(value, 0.99), source: 'ocr' as const },
  });
  expect(totals(total(29.6), ['Итого 20,60'])[0]).toBe(20.6);
  expect(totals(total(29.6), [''])[0]).toBe(29.6);
  expect(totals(total(39.6), ['Итого 20,60'])[0]).toBe(39.6);
  expect(totals({ ...rooms, 'areas:total_area': field(29.6, 0.99) }, ['Итого 20,60'])[0]).toBe(29.6);
  // A row was not read, and the sum is the living area.
  expect(totals({ ...total(29.6), 'areas:living_area': field(20.6) }, ['Жилая 20,60'])[0]).toBe(29.6);
});

it('corrects a misread total by two sums that agree', () => {
  const total = { ...field(29.6, 0.99), source: 'ocr' as const };
  const parts = { 'areas:living_area': field(12.5), 'areas:auxiliary_area': field(8.1) };
  expect(totals({ ...rooms, ...parts, 'areas:total_area': total }, [''])[0]).toBe(20.6);
  const agreed = agreeTotals({ ...rooms, ...parts, 'areas:total_area': total }, [pageOf([''])], schema);
  expect(agreed['areas:total_area']?.disagrees).toBe(true);
  expect(totals({ ...rooms, ...parts, 'areas:total_area': field(29.6, 0.99) }, [''])[0]).toBe(29.6);
});

it('adds no sum that is not printed, and none of one row', () => {
  expect(totals(rooms, ['Итого 20,70'])[0]).toBeUndefined();
  expect(totals({ 'rooms:1.area': field(12.5) }, ['12,5'])[0]).toBeUndefined();
});

it('gives the sure number of a part to the whole if it is the sum of the parts', () => {
  const parts = { ...rooms, 'areas:living_area': field(12.5), 'areas:auxiliary_area': field(24.6) };
  const texts = ['Всего 12,50 12,10', 'Полезная площадь (жилая и подсобная) 24,60'];
  expect(totals(parts, texts)).toEqual([24.6, 12.1]);
  expect(totals({ ...parts, 'areas:auxiliary_area': field(24.7) }, texts)).toEqual([undefined, 24.7]);
});

it('reads a sum with a space between the thousands', () => {
  const large = { 'rooms:1.area': field(1000.5), 'rooms:2.area': field(22.3) };
  expect(totals(large, ['Итого 1 022,80'])[0]).toBe(1022.8);
});

it('keeps a total that the template of the form changed or removed, and agrees the others', () => {
  const [key, pages] = ['areas:total_area', [pageOf(['Итого 20,60', 'с балконом 24,10'])]] as const;
  const before = { ...rooms, [key]: field(20.6) };
  const corrected = { ...rooms, [key]: { ...field(24.1, 0.7), disagrees: true as const } };
  expect(agreeUncorrected(before, corrected, pages, schema)[key]?.value).toBe(24.1);
  expect(agreeUncorrected(before, rooms, pages, schema)[key]).toBeUndefined();
  const doubtful = { ...rooms, [key]: field(24.1, 0.3) };
  expect(agreeUncorrected(doubtful, doubtful, pages, schema)[key]?.value).toBe(20.6);
});
