import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { xlsx } from '../../../base/xlsx/xlsx.ts';
import type { Opened } from '../documents.ts';
import { DEFAULT_SCHEMA } from '../schema/default-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { excelOfMany, excelOfOne } from './excel.ts';
import { opened, read } from './testing/opened.ts';
import { sheetsOf, unzipped } from './testing/workbook.ts';

const english = { schema: DEFAULT_SCHEMA, language: 'en' } as const;

async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function* listed(...documents: Opened[]): AsyncGenerator<Opened> {
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

describe('the Excel file of a document', () => {
  it('has a row for each field: numbers as numbers, dates as dates, text as text', async () => {
    const rows = sheetsOf(await whole(excelOfOne(flat, { ...english, layout: 'plain' }))).get('Passports')!;
    expect(rows[0]).toEqual(['text:Field', 'text:Value']);
    expect(rows).toContainEqual(['text:Address', 'text:г. Щёлково, пер. Южный, д. 36']);
    expect(rows.find(([name]) => /year/i.test(name!))).toEqual([expect.any(String), 'number:1978']);
    expect(rows.find(([name]) => /date/i.test(name!))).toEqual([expect.any(String), 'date:2006-09-14']);
    expect(rows.find(([name]) => /total area/i.test(name!))).toEqual([expect.any(String), 'number:55.1']);
    expect(rows.find(([name]) => /rooms 1: .*area/i.test(name!))).toEqual([expect.any(String), 'number:9.1']);
    expect(rows.filter((row) => row.length === 1).length).toBeGreaterThan(10);
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });

  it('says in its wide form where each value stands, how sure it is and when it was edited', async () => {
    const options = { schema: DEFAULT_SCHEMA, language: 'ru', layout: 'wide' } as const;
    const rows = sheetsOf(await whole(excelOfOne(flat, options))).get('Passports')!;
    expect(rows[0]).toEqual(['text:Section', 'text:Field', 'text:Value', 'text:Confidence', 'text:Edited']);
    expect(rows.find(([, , value]) => value === 'number:55.1')).toEqual([
      expect.stringMatching(/^text:\p{Lu}/u),
      'text:Общая площадь',
      'number:55.1',
      '',
      'date:2026-11-20T12:30:00.000Z',
    ]);
    expect(rows.find(([, , value]) => value === 'number:1978')!.slice(3)).toEqual(['number:0.9']);
  });

  it('takes text for text, whatever it looks like', async () => {
    const schema: Schema = {
      id: 'x',
      version: '1',
      sections: [{ key: 's', title: 'S', fields: [{ key: 'f', label: '=1+1', type: 'string' }] }],
    };
    const value = async (text: string) => {
      const pieces = excelOfOne(opened({ 's:f': read(text) }), { schema, language: 'en', layout: 'plain' });
      return sheetsOf(await whole(pieces)).get('Passports')![1]!;
    };
    expect(await value('=HYPERLINK("http://a","b")')).toEqual(['text:=1+1', 'text:=HYPERLINK("http://a","b")']);
    expect((await value('a\u0000\u000b<b>&\ud800\uffff'))[1]).toBe('text:a<b>&');
    expect((await value('_x0041_'))[1]).toBe('text:_x005F_x0041_');
    expect((await value('two\r\nlines'))[1]).toBe('text:two\nlines');
    expect((await value('я'.repeat(40_000)))[1]).toHaveLength('text:'.length + 32_767);
  });

  it('keeps a date from before 1900 as text, which Excel has no number for', async () => {
    const rows = sheetsOf(
      await whole(excelOfOne(opened({ 'general:issue_date': read('1898-03-02') }), { ...english, layout: 'plain' })),
    );
    expect(rows.get('Passports')).toContainEqual([expect.any(String), 'text:1898-03-02']);
  });
});

describe('the Excel file of many documents', () => {
  it('has a row for each, and a sheet for the rows of their tables', async () => {
    const other = opened({ 'rooms:1.name': read('зал') }, { id: 'other', filename: 'b.pdf' });
    const sheets = sheetsOf(await whole(excelOfMany(() => listed(flat, other), english)));
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

  it('has header rows only when there are none', async () => {
    const sheets = sheetsOf(await whole(excelOfMany(() => listed(), english)));
    expect([...sheets.values()].map((rows) => rows.length)).toEqual([1, 1]);
  });

  it('is sent while it is made: a source without an end sends on and on, and is told when nobody listens', async () => {
    let given = 0;
    let told = false;
    async function* endless() {
      try {
        for (;;) {
          given++;
          yield opened({ 'general:address': read(randomBytes(3000).toString('base64')) });
        }
      } finally {
        told = true;
      }
    }
    let received = 0;
    for await (const piece of excelOfMany(endless, english)) {
      received += piece.length;
      if (received > 100_000) break;
    }
    expect(given).toBeGreaterThan(20);
    expect(told).toBe(true);
  });

  it('fails when its source does', async () => {
    async function* broken(): AsyncGenerator<Opened> {
      yield flat;
      throw new Error('The database is gone.');
    }
    await expect(whole(excelOfMany(broken, english))).rejects.toThrow('The database is gone.');
  });
});

describe('a workbook', () => {
  it('gives sheets names that Excel takes, no two alike', async () => {
    const sheet = { header: ['a'], widths: [10], rows: [] };
    const names = ['Rooms: all/1', 'ROOMS  all 1', 'x'.repeat(40), 'x'.repeat(50), '', "'"];
    const sheets = sheetsOf(await whole(xlsx(names.map((name) => ({ ...sheet, name })))));
    expect([...sheets.keys()]).toHaveLength(names.length);
    for (const name of sheets.keys()) expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/);
  });

  it('has all the parts that its table of contents names', async () => {
    const files = unzipped(await whole(xlsx([{ name: 'A', header: ['a'], widths: [10], rows: [['b']] }])));
    const parts = [...files.get('[Content_Types].xml')!.matchAll(/PartName="\/([^"]*)"/g)].map(([, part]) => part!);
    expect(parts.toSorted()).toEqual(['xl/styles.xml', 'xl/workbook.xml', 'xl/worksheets/sheet1.xml']);
    for (const part of parts) expect(files.has(part)).toBe(true);
  });
});
