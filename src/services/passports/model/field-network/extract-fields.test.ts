import { expect, it, onTestFinished } from 'vitest';
import type { ReadPage } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import { bundledFile } from '../bundled-file.ts';
import { openFieldFinder } from '../field-finder.ts';

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

async function openFinder(schema = loadSchema()) {
  const finder = await openFieldFinder(schema, { network: await bundledFile('fields.onnx') });
  onTestFinished(() => finder.close());
  return finder;
}

it('extracts total area, year and address from a page with clear labels by the bundled network', async () => {
  const finder = await openFinder();
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

it('splits the value of two fields with a combined label', async () => {
  const finder = await openFinder();
  const page = pageOf([
    [200, 60, 'ТЕХНИЧЕСКИЙ ПАСПОРТ'],
    [60, 130, 'Адрес'],
    [300, 130, 'г. Пермь, ул. Мира, д. 5, кв. 12'],
    [60, 160, 'Год постройки'],
    [300, 160, '1974'],
    [60, 190, 'Материал стен; перекрытий'],
    [300, 190, 'керамзитобетонные панели; железобетонные'],
  ]);
  const { fields } = await finder.find([page], new AbortController().signal);
  expect(fields).toMatchObject({
    'construction:wall_material': { value: 'керамзитобетонные панели' },
    'construction:floors_material': { value: 'железобетонные' },
  });
});

it('reads dates with the month first where another date of the document has it first', async () => {
  const finder = await openFinder();
  const issued = async (inspected: string) => {
    const page = pageOf([
      [60, 60, 'PROPERTY RECORD CARD'],
      [60, 100, 'Situs: 1800 Levee Road, Bel Canto, LA'],
      [60, 120, 'Year built: 1961'],
      [60, 140, `Date inspected: ${inspected}`],
      [60, 160, 'Date of issue: 11/03/1995'],
    ]);
    return (await finder.find([page], new AbortController().signal)).fields['general:issue_date']?.value;
  };
  expect(await issued('10/26/1995')).toBe('1995-11-03');
  expect(await issued('26/02/1995')).toBe('1995-03-11');
});

it('extracts fields and tables of a custom schema that the network does not know by their labels', async () => {
  const schema: Schema = {
    id: 'land',
    version: '1',
    sections: [
      {
        key: 'land',
        title: 'Land',
        fields: [{ key: 'category', label: 'Категория земель', type: 'string' }],
        table: {
          columns: [
            { key: 'owner', label: 'Собственник', type: 'string' },
            { key: 'share', label: 'Размер доли', type: 'number' },
          ],
        },
      },
      { key: 'areas', title: 'Areas', fields: [{ key: 'total_area', label: 'Площадь', type: 'number' }] },
    ],
  };
  const finder = await openFinder(schema);
  const page = pageOf([
    [60, 130, 'Категория земель: земли населённых пунктов'],
    [60, 160, 'Общая площадь: 45,6 кв. м'],
    [60, 220, 'Собственник'],
    [300, 220, 'Размер доли'],
    [60, 240, 'Иванова А. П.'],
    [300, 240, '0,25'],
    [60, 260, 'Петров И. И.'],
    [300, 260, '0,75'],
  ]);
  const { fields } = await finder.find([page], new AbortController().signal);
  expect(Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value]))).toEqual({
    'land:category': 'земли населённых пунктов',
    'land:1.owner': 'Иванова А. П.',
    'land:1.share': 0.25,
    'land:2.owner': 'Петров И. И.',
    'land:2.share': 0.75,
    'areas:total_area': 45.6,
  });
});
