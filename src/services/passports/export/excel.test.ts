import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { opened, read } from '../../../../test/support/export/opened.ts';
import { sheetsOf, unzipped } from '../../../../test/support/export/workbook.ts';
import { xlsx } from '../../../base/xlsx/xlsx.ts';
import type { CompletedDocument } from '../documents.ts';
import { DEFAULT_SCHEMA } from '../schema/default-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { excelOfMany, excelOfOne } from './excel.ts';

const english = { schema: DEFAULT_SCHEMA, language: 'en' } as const;

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function* streamOf(...documents: CompletedDocument[]): AsyncGenerator<CompletedDocument> {
  yield* documents;
}

const flat = opened(
  {
    'general:address': read('г. Щёлково, пер. Южный, д. 36'),
    'general:year_built': read(1978),
    'general:issue_date': read('2006-09-14'),
    'areas:total_area': read(54.3, null, 0.97),
    'rooms:1.name': read('кухня'),
    'rooms:1.area': read(9.1),
    'rooms:2.name': read('коридор'),
  },
  { edits: [{ key: 'areas:total_area', value: 55.1, editedAt: new Date('2026-11-20T12:30:00Z') }] },
);

describe('excelOfOne', () => {
  it('has a row for each field, with numbers, dates and text in their cell types, and a sheet per table', async () => {
    const sheets = sheetsOf(await collect(excelOfOne(flat, { ...english, layout: 'plain' })));
    expect([...sheets.keys()]).toEqual(['Passports', 'Rooms']);
    const rows = sheets.get('Passports')!;
    expect(rows[0]).toEqual(['text:Field', 'text:Value']);
    expect(rows).toContainEqual(['text:Address', 'text:г. Щёлково, пер. Южный, д. 36']);
    expect(rows.find(([name]) => /year/i.test(name!))).toEqual([expect.any(String), 'number:1978']);
    expect(rows.find(([name]) => /date/i.test(name!))).toEqual([expect.any(String), 'date:2006-09-14']);
    expect(rows.find(([name]) => /total area/i.test(name!))).toEqual([expect.any(String), 'number:55.1']);
    expect(rows.find(([name]) => /rooms 1: .*area/i.test(name!))).toEqual([expect.any(String), 'number:9.1']);
    expect(sheets.get('Rooms')).toEqual([
      ['text:No.', 'text:Room', 'text:Area, m²', ...Array.from({ length: 3 }, () => expect.any(String))],
      ['', 'text:кухня', 'number:9.1'],
      ['', 'text:коридор'],
    ]);
    expect(rows.filter((row) => row.length === 1).length).toBeGreaterThan(10);
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });

  it('has Russian headers and names of sheets in Russian', async () => {
    const sheets = sheetsOf(
      await collect(excelOfOne(flat, { schema: DEFAULT_SCHEMA, language: 'ru', layout: 'plain' })),
    );
    expect([...sheets.keys()]).toEqual(['Паспорта', 'Экспликация помещений']);
    const [fields, rooms] = [...sheets.values()];
    expect(fields![0]).toEqual(['text:Поле', 'text:Значение']);
    expect(rooms![0]!.slice(0, 3)).toEqual(['text:№', 'text:Помещение', 'text:Площадь, м²']);
  });

  it('has a row for each field and cell with section, confidence and edit time in the wide layout', async () => {
    const options = { schema: DEFAULT_SCHEMA, language: 'ru', layout: 'wide' } as const;
    const rows = sheetsOf(await collect(excelOfOne(flat, options))).get('Passports')!;
    expect(rows[0]).toEqual(['text:Section', 'text:Field', 'text:Value', 'text:Confidence', 'text:Edited']);
    expect(rows).toContainEqual(['text:Экспликация помещений', 'text:1. Площадь, м²', 'number:9.1', 'number:0.9']);
    expect(rows.find(([, , value]) => value === 'number:55.1')).toEqual([
      expect.stringMatching(/^text:\p{Lu}/u),
      'text:Общая площадь',
      'number:55.1',
      '',
      'date:2026-11-20T12:30:00.000Z',
    ]);
    expect(rows.find(([, , value]) => value === 'number:1978')!.slice(3)).toEqual(['number:0.9']);
  });

  it('writes text that looks like a formula or an escape sequence as text', async () => {
    const schema: Schema = {
      id: 'x',
      version: '1',
      sections: [{ key: 's', title: 'S', fields: [{ key: 'f', label: '=1+1', type: 'string' }] }],
    };
    const value = async (text: string) => {
      const pieces = excelOfOne(opened({ 's:f': read(text) }), { schema, language: 'en', layout: 'plain' });
      return sheetsOf(await collect(pieces)).get('Passports')![1]!;
    };
    expect(await value('=HYPERLINK("http://a","b")')).toEqual(['text:=1+1', 'text:=HYPERLINK("http://a","b")']);
    expect((await value('a\u0000\u000b<b>&\ud800\uffff'))[1]).toBe('text:a<b>&');
    expect((await value('_x0041_'))[1]).toBe('text:_x005F_x0041_');
    expect((await value('two\r\nlines'))[1]).toBe('text:two\nlines');
    expect((await value('я'.repeat(40_000)))[1]).toHaveLength('text:'.length + 32_767);
  });

  it('writes a date before 1900 as text, because Excel has no number for it', async () => {
    const rows = sheetsOf(
      await collect(excelOfOne(opened({ 'general:issue_date': read('1898-03-02') }), { ...english, layout: 'plain' })),
    );
    expect(rows.get('Passports')).toContainEqual([expect.any(String), 'text:1898-03-02']);
  });
});

describe('excelOfMany', () => {
  it('has a row for each document, and a sheet for the rows of each table', async () => {
    const other = opened({ 'rooms:1.name': read('зал') }, { id: 'other', filename: 'b.pdf' });
    const sheets = sheetsOf(await collect(excelOfMany(() => streamOf(flat, other), english)));
    const [documents, rooms] = [...sheets.values()] as [string[][], string[][]];
    expect(documents[0]!.slice(0, 3)).toEqual(['text:id', 'text:filename', 'text:created_at']);
    expect(documents).toHaveLength(3);
    expect(documents[1]!.slice(0, 4)).toEqual([
      `text:${flat.id}`,
      'text:Квартира 31.pdf',
      'date:2026-11-20T10:00:00.000Z',
      'text:г. Щёлково, пер. Южный, д. 36',
    ]);
    const year = documents[0]!.findIndex((name) => /year/i.test(name));
    expect(documents[1]![year]).toBe('number:1978');
    expect(documents[2]![year] ?? '').toBe('');
    expect(rooms.slice(1).map((row) => row.slice(1, 3))).toEqual([
      ['text:Квартира 31.pdf', 'number:1'],
      ['text:Квартира 31.pdf', 'number:2'],
      ['text:b.pdf', 'number:1'],
    ]);
    expect(rooms[1]![rooms[0]!.findIndex((name) => /area/i.test(name))]).toBe('number:9.1');
  });

  it('has only header rows without documents', async () => {
    const sheets = sheetsOf(await collect(excelOfMany(() => streamOf(), english)));
    expect([...sheets.values()].map((rows) => rows.length)).toEqual([1, 1]);
  });

  it('streams an endless source, and closes it when the reader stops', async () => {
    let yielded = 0;
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          yielded++;
          yield opened({ 'general:address': read(randomBytes(3000).toString('base64')) });
        }
      } finally {
        closed = true;
      }
    }
    let received = 0;
    for await (const piece of excelOfMany(endless, english)) {
      received += piece.length;
      if (received > 100_000) break;
    }
    expect(yielded).toBeGreaterThan(20);
    expect(closed).toBe(true);
  });

  it('fails when its source fails', async () => {
    async function* broken(): AsyncGenerator<CompletedDocument> {
      yield flat;
      throw new Error('The database failed.');
    }
    await expect(collect(excelOfMany(broken, english))).rejects.toThrow('The database failed.');
  });
});

describe('xlsx', () => {
  it('gives sheets valid and unique names', async () => {
    const sheet = { header: ['a'], widths: [10], rows: [] };
    const names = ['Rooms: all/1', 'ROOMS  all 1', 'x'.repeat(40), 'x'.repeat(50), '', "'"];
    const sheets = sheetsOf(await collect(xlsx(names.map((name) => ({ ...sheet, name })))));
    expect([...sheets.keys()]).toHaveLength(names.length);
    for (const name of sheets.keys()) expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/);
  });

  it('contains all parts that [Content_Types].xml lists', async () => {
    const files = unzipped(await collect(xlsx([{ name: 'A', header: ['a'], widths: [10], rows: [['b']] }])));
    const parts = [...files.get('[Content_Types].xml')!.matchAll(/PartName="\/([^"]*)"/g)].map(([, part]) => part!);
    expect(parts.toSorted()).toEqual(['xl/styles.xml', 'xl/workbook.xml', 'xl/worksheets/sheet1.xml']);
    for (const part of parts) expect(files.has(part)).toBe(true);
  });
});
