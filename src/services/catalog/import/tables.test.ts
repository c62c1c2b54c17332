import { describe, expect, it } from 'vitest';
import { xlsx } from '../../../base/xlsx/xlsx.ts';
import { zip } from '../../../base/xlsx/zip.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { readTable } from './tables.ts';

const { signal } = new AbortController();
const csv = (text: string) => readTable('csv', Buffer.from(text), signal);

async function workbook(header: string[], rows: (string | number | boolean | null | Date)[][]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const sheet = { name: 'a', header, widths: header.map(() => 10), rows };
  for await (const piece of xlsx([sheet, { ...sheet, name: 'b', rows: [['other']] }])) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('readTable', () => {
  it('reads CSV with quotes, line breaks and omitted cells', async () => {
    const text = '\uFEFFrecord_id,title , text\r\na,"Стена, №7","one\ntwo ""three"""\r\n\r\n,,\r\nb\r\n';
    expect(await csv(text)).toEqual([
      { record_id: 'a', title: 'Стена, №7', text: 'one\ntwo "three"' },
      { record_id: 'b' },
    ]);
  });

  it('reads the first XLSX sheet: text and numbers as written, dates in UTC', async () => {
    const rows = [
      ['a', '=1+1', 12.5, true, new Date('2026-03-04T05:06:00.000Z')],
      ['_x0041_', 'b\u0007\nc', null, null, null],
      [12345678901234, null, 0.1, null, null],
    ];
    const header = ['record_id', 'title', 'attributes.n', 'attributes.yes', 'created_at'];
    expect(await readTable('xlsx', await workbook(header, rows), signal)).toEqual([
      { record_id: 'a', title: '=1+1', created_at: '2026-03-04T05:06:00.000Z', attributes: { n: '12.5', yes: 'true' } },
      { record_id: '_x0041_', title: 'b\nc' },
      { record_id: '12345678901234', attributes: { n: '0.1' } },
    ]);
  });

  it('rejects XLSX with a tag longer than 64 KiB', async () => {
    const pieces: Buffer[] = [];
    const sheet = { name: 'xl/worksheets/sheet1.xml', content: [`<worksheet><c ${'<c '.repeat(30_000)}`] };
    for await (const piece of zip([sheet])) pieces.push(piece);
    await expect(readTable('xlsx', Buffer.concat(pieces), signal)).rejects.toThrow(
      'The file is not a well-formed XLSX workbook',
    );
  });

  it('reads attribute columns, which override the attributes object', async () => {
    expect(await csv('record_id,attributes.b,attributes\na,2,"{""a"":1,""b"":1}"\nb,,oops\nc,,"[]"\n')).toEqual([
      { record_id: 'a', attributes: { a: 1, b: '2' } },
      { record_id: 'b', attributes: 'oops' },
      { record_id: 'c', attributes: [] },
    ]);
  });

  it('does not pollute prototypes through column names', async () => {
    const [record] = await csv('record_id,attributes.__proto__,attributes.constructor\na,x,y\n');
    expect(JSON.stringify(record)).toBe('{"record_id":"a","attributes":{"__proto__":"x","constructor":"y"}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    await expect(csv('record_id,__proto__\na,x\n')).rejects.toThrow(InvalidInput);
  });

  it('ignores trailing empty cells and rejects more than 500 columns', async () => {
    expect(await csv(`record_id,title${','.repeat(10_000)}\na,b${','.repeat(10_000)}\nc\n`)).toEqual([
      { record_id: 'a', title: 'b' },
      { record_id: 'c' },
    ]);
    const wide = { message: 'A table has at most 500 columns' };
    await expect(csv(`record_id${',attributes.a'.repeat(500)}\n`)).rejects.toMatchObject(wide);
    await expect(csv(`record_id${','.repeat(500)}\na${','.repeat(500)}x\n`)).rejects.toMatchObject(wide);
  });

  it('limits the JSON of all cells to that of a JSON body', async () => {
    const list = (numbers: number) => `"[${Array(numbers).fill(0).join()}]"\n`;
    const most = `record_id,attributes\na,${list(399_999)}b,${list(399_999)}c,${list(399_999)}`;
    expect(await csv(most)).toHaveLength(3);
    await expect(csv(`${most}d,0\n`)).rejects.toMatchObject({
      status: 413,
      message: 'The JSON has more than 1200000 values.',
    });
  });

  it('stops when the request is aborted', async () => {
    const gone = AbortSignal.abort(new Error('closing'));
    await expect(readTable('csv', Buffer.from('record_id\na\n'), gone)).rejects.toThrow('closing');
    await expect(readTable('xlsx', Buffer.from('x'), gone)).rejects.toThrow('closing');
  });
});
