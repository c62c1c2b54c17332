import sharp from 'sharp';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { opened, read } from '../../../../test/support/export/opened.ts';
import { writeTempPdf } from '../../../../test/support/ocr/pdf.ts';
import type { CompletedDocument } from '../documents.ts';
import { cropBoxes } from '../images/crops.ts';
import { openPdf } from '../model/pages/pdf.ts';
import type { LoadPageImage } from '../page-images.ts';
import { DEFAULT_SCHEMA } from '../schema/default-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { createPdfService } from './pdf-service.ts';
import type { ReportSource } from './report.ts';

const signal = new AbortController().signal;
const options: Omit<ReportSource, 'opened'> & { picture: LoadPageImage } = {
  schema: DEFAULT_SCHEMA,
  language: 'ru',
  now: new Date('2026-11-20T12:00:00Z'),
  picture: async () => undefined,
};

const printer = createPdfService();
afterAll(() => printer.close());
const printed = (document: CompletedDocument, { picture, ...source } = options) =>
  printer.createPdf({ opened: document, ...source }, picture, signal);

/** Reads a PDF back: the text of each page and an image of the first. */
async function readBack(bytes: Buffer) {
  const pdf = await openPdf(await writeTempPdf(bytes), { maxPages: 100, signal });
  onTestFinished(() => pdf.close());
  const pages: string[] = [];
  for (let page = 1; page <= pdf.pages; page++) {
    pages.push((await pdf.text(page, signal)).words.map(({ text }) => text).join(' '));
  }
  return { pages, raster: await pdf.render(1, { dpi: 72, maxPixels: 1e6 }, signal) };
}

it('prints every value as text that can be copied, also in Russian', async () => {
  const fields = {
    'general:address': read('г. Щёлково, пер. Южный, д. 36, кв. 33 «А» № 5 — ъыьэюя'),
    'general:cadastral_number': read('67:55:8668419:1021'),
    'general:year_built': read(1978),
    'general:issue_date': read('2006-09-14'),
    'general:inventory_value': read(1597799.5),
    'areas:total_area': read(54.3),
    'rooms:1.name': read('жилая комната'),
    'rooms:1.area': read(17.25),
    'rooms:2.name': read('кухня'),
  };
  const { pages } = await readBack(await printed(opened(fields)));
  const text = pages.join(' ');
  for (const { value } of Object.values(fields)) expect(text).toContain(String(value));
  expect(text).toContain('Технический паспорт');
  expect(text).toContain('Квартира 31.pdf');
});

it('prints the document name, the page number and the date on each page', async () => {
  const rooms = Array.from({ length: 120 }, (_, index) => [`rooms:${index + 1}.name`, read(`комната ${index + 1}`)]);
  const { pages } = await readBack(await printed(opened(Object.fromEntries(rooms))));
  expect(pages.length).toBeGreaterThan(2);
  for (const [index, text] of pages.entries()) {
    expect(text).toContain('Квартира 31.pdf');
    expect(text).toContain(`Страница ${index + 1} из ${pages.length}`);
    expect(text).toContain('2026-11-20');
  }
});

it('shows the part of the page where a value was read beside the value', async () => {
  const page = await sharp({ create: { width: 1200, height: 1600, channels: 3, background: '#fff' } })
    .composite([
      { input: { create: { width: 240, height: 32, channels: 3, background: '#e00' } }, left: 600, top: 400 },
    ])
    .jpeg()
    .toBuffer();
  const document = opened({ 'general:address': read('Красная', [0.5, 0.25, 0.7, 0.27]) });
  const requestedPages: number[] = [];
  const picture = async (number: number) => {
    requestedPages.push(number);
    return page;
  };
  const { raster } = await readBack(await printed(document, { ...options, language: 'en', picture }));
  expect(requestedPages).toEqual([1]);
  const reds = Array.from({ length: raster.width * raster.height }, (_, at) => at).filter(
    (at) => raster.data[at * 3]! > 180 && raster.data[at * 3 + 1]! < 90,
  );
  const right = reds.filter((at) => at % raster.width > raster.width / 2);
  // At print size: 240 of 1600 pixels of a page of 842 points, 32 high.
  expect(reds.length).toBeGreaterThan(1000);
  expect(right.length).toBe(reds.length);
});

it('prints without images that are missing or corrupt', async () => {
  const document = opened({ 'general:address': read('Красная', [0.5, 0.25, 0.7, 0.27]) });
  const picture = async () => Buffer.from('no picture');
  const { pages } = await readBack(await printed(document, { ...options, picture }));
  expect(pages.join(' ')).toContain('Красная');
});

it.each(['general:address', 'rooms:1.name'])('prints the complete text of a long value in %s', async (key) => {
  for (const count of [60, 120, 1400]) {
    const all = Array.from({ length: count }, (_, index) => `сл${index}`);
    const { pages } = await readBack(await printed(opened({ [key]: read(all.join(' ')) })));
    const words = new Set(pages.join(' ').split(' '));
    expect(all.filter((word) => !words.has(word))).toEqual([]);
  }
});

it.each(['general:address', 'rooms:1.name'])('prints the complete text of a long word in %s', async (key) => {
  const fields = { [key]: read(`Южная ${'Щ'.repeat(2000)}`), 'rooms:2.area': read(17.25) };
  const { pages } = await readBack(await printed(opened(fields)));
  const text = pages.join(' ');
  expect(text).toContain('17.25');
  expect(text.match(/Щ/g)).toHaveLength(2000);
});

it('has the title of the schema', async () => {
  const printedWith = async (schema: Schema) => {
    const bytes = await printed(opened({ 'general:address': read('Южная') }), { ...options, schema });
    return (await readBack(bytes)).pages.join(' ');
  };
  const { title: _, ...untitled } = DEFAULT_SCHEMA;
  expect(await printedWith({ ...untitled, title: 'Паспорт котла' })).toContain('Паспорт котла Квартира 31.pdf');
  expect(await printedWith(untitled)).toContain('Документ Квартира 31.pdf');
});

it('prints a table of many columns in parts, each with the first column and legible words', async () => {
  const { sections, ...rest } = DEFAULT_SCHEMA;
  const keys = Array.from({ length: 80 }, (_, index) => `column_${index + 1}`);
  const columns = keys.map((key, index) => ({ key, label: `C${index + 1}`, type: 'string' as const }));
  const wide = { key: 'wide', title: 'Широкая', table: { columns } };
  const schema = { ...rest, sections: [...sections, wide] } as unknown as Schema;
  const cells = [1, 2].flatMap((row) => keys.map((key, index) => [`wide:${row}.${key}`, read(`r${row}c${index + 1}`)]));
  const { pages } = await readBack(await printed(opened(Object.fromEntries(cells)), { ...options, schema }));
  const words = pages.join(' ').split(' ');
  const missing = [1, 2].flatMap((row) => keys.map((_, index) => `r${row}c${index + 1}`));
  expect(missing.filter((word) => !words.includes(word))).toEqual([]);
  expect(words.filter((word) => word === 'r2c1')).toHaveLength(8);
});

it('prints markup, file paths and URLs in values as plain text', async () => {
  const hostile = '{"image":"/etc/passwd"} <b>\u202eevil\u0000 http://127.0.0.1:9/x.png';
  const { pages } = await readBack(await printed(opened({ 'general:address': read(hostile) })));
  expect(pages.join(' ')).toContain('{"image":"/etc/passwd"} <b>evil http://127.0.0.1:9/x.png');
});

it('cuts an upright strip out of a rotated page', async () => {
  const page = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#fff' } })
    .composite([{ input: { create: { width: 10, height: 100, channels: 3, background: '#000' } }, left: 100, top: 50 }])
    .png()
    .toBuffer();
  const [strip] = await cropBoxes(page, [[0.25, 0.25, 0.275, 0.75]], 90);
  expect(strip!.width).toBeGreaterThan(100);
  expect(strip!.width).toBeGreaterThan(3 * strip!.height);
});
