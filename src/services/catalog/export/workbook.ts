import { type Cell, xlsx } from '../../../base/xlsx/xlsx.ts';
import type { Exported } from '../search/found.ts';
import { COLUMNS } from './columns.ts';

/** An Excel workbook; text is text in it, whatever it begins with. */
export function workbook(records: AsyncIterable<Exported>): AsyncGenerator<Buffer, void, undefined> {
  return xlsx([
    {
      name: 'Catalog',
      header: COLUMNS.map(({ name }) => name),
      widths: COLUMNS.map(({ width }) => width),
      rows: rowsOf(records),
    },
  ]);
}

async function* rowsOf(records: AsyncIterable<Exported>): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const record of records) yield COLUMNS.map(({ cell }) => cell(record));
}
