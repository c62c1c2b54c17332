import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { loadModel } from '../../src/services/passports/model.ts';
import { loadSchema } from '../../src/services/passports/schema/load-schema.ts';
import { loadSettings } from '../../src/services/passports/settings.ts';
import type { Model } from '../../src/services/shared/service.ts';
import { sheetsOf } from '../support/export/workbook.ts';
import { type Client, type Passports, startPassports } from '../support/passports.ts';
import { requireTool } from '../support/require.ts';
import { openBlindReader } from './accuracy/blind-reading.ts';

const column = (key: string, type: 'string' | 'integer' | 'number', ...synonyms: string[]) => ({
  ...{ key, type, label: key, synonyms },
  ...(type === 'number' && { decimals: 2 }),
});
const totals = ['Итого', 'Всего'];
const BUILDINGS = [
  column('letter', 'string', 'Литера', 'Лит.'),
  column('name', 'string', 'Наименование'),
  column('year', 'integer', 'Год', 'Год ввода'),
  column('footprint', 'number', 'Площадь застройки'),
  column('value', 'number', 'Инвентаризационная стоимость'),
];
const ELEMENTS = [
  column('element', 'string', 'Наименование конструктивного элемента'),
  column('description', 'string', 'Описание элементов'),
  column('wear', 'number', 'Износ, %'),
];
const builtIn = loadSchema();
/** The built-in schema with further tables. */
const SCHEMA = {
  ...builtIn,
  sections: [
    ...builtIn.sections,
    { key: 'buildings', title: 'Buildings', table: { columns: BUILDINGS, totals } },
    { key: 'elements', title: 'Elements', table: { columns: ELEMENTS, totals } },
  ],
};

const log = createLog('silent', 'test');
let folder: string;
let passports: Passports;
let model: Model;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-tables-'));
  const file = join(folder, 'schema.json');
  await writeFile(file, JSON.stringify(SCHEMA));
  passports = await startPassports({ PASSPORTS_SCHEMA_FILE: file });
  const { db, files } = passports.context;
  model = await loadModel({
    context: { db, files, log },
    settings: loadSettings({ PASSPORTS_SCHEMA_FILE: file, PASSPORTS_TESSERACT: 'none' }),
    shared: { dataDir: passports.dataDir },
  });
  client = await passports.signIn();
});
afterAll(async () => {
  await model.close();
  await passports.stop();
  await rm(folder, { recursive: true });
});

/** Uploads the first document of a blind form and processes it with the real model. */
async function readForm(set: string, name: string): Promise<string> {
  const reader = openBlindReader({ cache: folder, ocr: 'system' });
  const html = fileURLToPath(new URL(`accuracy/blind/${set}/${name}/1.html`, import.meta.url));
  await reader.read(name, { number: 1, html, truth: { values: {} } }, 'pdf').finally(() => reader.close());
  const [id] = await client.upload({ name: `${name}.pdf`, bytes: await readFile(join(folder, `${name}.1.pdf`)) });
  const { tasks } = passports.context;
  const options = { service: 'passports', worker: 'w', leaseMs: 60_000 };
  const { claimed } = await tasks.completeAndClaim([], { ...options, limit: 1 });
  const job = { ...claimed[0]!, worker: 'w', log, signal: new AbortController().signal, report: () => {} };
  const { result } = await model.run(job as never);
  const ending = { id, attempt: job.attempt, processingMs: 1, outcome: 'done', result };
  await tasks.completeAndClaim([ending as never], { ...options, limit: 0 });
  return id!;
}

type Row = readonly (string | number)[];

/** The rows of a table of the result, without their keys. */
async function tableOf(id: string, section: string): Promise<Row[]> {
  const { body } = await client.get(`/api/task/${id}/result`);
  return body.data[section].map((row: object) => Object.values(row));
}

/** The rows of a document on a sheet of the export of all documents. */
async function exportedTable(id: string, sheet: string): Promise<string[][]> {
  const rows = sheetsOf((await client.get('/export/all/excel')).bytes).get(sheet)!;
  return rows.filter(([cell]) => cell === `text:${id}`).map(([, , ...row]) => row);
}

const asExported = (rows: readonly Row[]) =>
  rows.map((row, i) => [
    `number:${i + 1}`,
    ...row.map((value) => `${typeof value === 'number' ? 'number' : 'text'}:${value}`),
  ]);

describe('A form with tables of a custom schema', () => {
  it('gives the rows of buildings and of construction elements, and exports them', async (context) => {
    requireTool('chromium', context);
    const id = await readForm('ninth', 'dacha09');
    const buildings = [
      ['А', 'садовый дом', 1991, 48.2, 96_714],
      ['а', 'веранда', 1991, 11.7, 8205],
      ['Г', 'сарай', 1993, 12, 3370],
    ];
    const elements = [
      ['Фундамент', 'бетонные столбы', 20],
      ['Наружные и внутренние капитальные стены', 'брус, обшит доской', 20],
      ['Перегородки', 'дощатые', 15],
      ['Перекрытия чердачные и междуэтажные', 'деревянное отеплённое', 20],
      ['Крыша', 'волнистые асбестоцементные листы', 25],
      ['Полы', 'дощатые', 15],
      ['Проёмы оконные, дверные', 'двойные створные; филёнчатые', 15],
      ['Внутренняя отделка', 'вагонка', 10],
      ['Отопление', 'печь кирпичная', 10],
      ['Электроосвещение', 'проводка открытая', 10],
    ];
    expect(await tableOf(id, 'buildings')).toEqual(buildings);
    expect(await tableOf(id, 'elements')).toEqual(elements);
    expect(await tableOf(id, 'rooms')).toHaveLength(5);
    expect(await exportedTable(id, 'Buildings')).toEqual(asExported(buildings));
    expect(await exportedTable(id, 'Elements')).toEqual(asExported(elements));
    const sheets = sheetsOf((await client.get(`/export/${id}/excel`)).bytes);
    const withoutNumber = (rows: readonly string[][]) => rows.map(([, ...row]) => row);
    expect(sheets.get('Buildings')!.slice(1)).toEqual(withoutNumber(asExported(buildings)));
    expect(sheets.get('Elements')!.slice(1)).toEqual(withoutNumber(asExported(elements)));
  });
});
