import { expect, it, onTestFinished } from 'vitest';
import type { ReadPage } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { openFieldFinder } from '../field-finder.ts';
import { bundledNetwork } from './bundled-network.ts';

const WIDTH = 595;
const HEIGHT = 842;

/** A page of text lines at (x, y) in points; letters are 6 pt wide and 11 pt high. */
const pageOf = (lines: readonly (readonly [x: number, y: number, text: string])[]): ReadPage => ({
  ...{ page: 1, width: WIDTH, height: HEIGHT, turn: 0, reader: 'text', rules: [] },
  words: lines.flatMap(([x, y, text]) =>
    [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
      text: word,
      box: [(x + 6 * index) / WIDTH, y / HEIGHT, (x + 6 * (index + word.length)) / WIDTH, (y + 11) / HEIGHT] as const,
      confidence: null,
    })),
  ),
});

it('extracts total area, year and address from a page with clear labels by the bundled network', async () => {
  const finder = await openFieldFinder(loadSchema(), { network: await bundledNetwork() });
  onTestFinished(() => finder.close());
  const page = pageOf([
    [200, 60, 'ТЕХНИЧЕСКИЙ ПАСПОРТ'],
    [180, 80, 'жилого помещения (квартиры)'],
    [60, 130, 'Адрес: г. Пермь, ул. Мира, д. 5, кв. 12'],
    [60, 160, 'Инвентарный номер: 12645'],
    [60, 190, 'Год постройки: 1974'],
    [60, 220, 'Общая площадь: 45,6 кв. м'],
    [60, 250, 'Жилая площадь: 29,9 кв. м'],
  ]);
  const { fields } = await finder.find([page], new AbortController().signal);
  expect(fields['areas:total_area']).toMatchObject({
    value: 45.6,
    source: 'text',
    page: 1,
    text: expect.stringContaining('45,6'),
  });
  expect(fields['general:year_built']).toMatchObject({ value: 1974 });
  expect(fields['general:address']).toMatchObject({ value: 'г. Пермь, ул. Мира, д. 5, кв. 12' });
  for (const key of ['areas:total_area', 'general:year_built', 'general:address']) {
    const { confidence, bbox } = fields[key]!;
    expect(confidence).toBeGreaterThan(0.5);
    const [x0, y0, x1, y1] = bbox!;
    expect(0 < x0 && x0 < x1 && x1 < 1 && 0 < y0 && y0 < y1 && y1 < 1).toBe(true);
  }
});
