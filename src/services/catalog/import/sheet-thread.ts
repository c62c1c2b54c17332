import { parentPort, workerData } from 'node:worker_threads';
import { readSheet } from 'read-excel-file/node';
import { NotAWorkbook, unpackedAnew } from './sheet-archive.ts';
import type { Cell } from './table.ts';

/** What the thread is started with. */
export interface SheetOptions {
  readonly bytes: Uint8Array;
  /** The most rows that are answered. */
  readonly most: number;
}

/** What it answers: the rows of the first sheet, or why there are none, as a sentence without a full stop. */
export type Said = { readonly rows: Cell[][] } | { readonly problem: string };

const { bytes, most } = workerData as SheetOptions;
parentPort!.postMessage(await read());

async function read(): Promise<Said> {
  try {
    const archive = await unpackedAnew(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    // Numbers as they are written: an id of twenty digits is no number, and 1.10 is not 1.1.
    const rows = await readSheet<string>(archive, { trim: false, parseNumber: (text) => text });
    return { rows: rows.slice(0, most).map((row) => row.map(textOf)) };
  } catch (error) {
    return { problem: error instanceof NotAWorkbook ? error.message : 'The file is not an XLSX workbook with a sheet' };
  }
}

/** Days and times are dates in a sheet, and are said in UTC. */
function textOf(cell: unknown): Cell {
  if (cell === null || cell === undefined) return null;
  return cell instanceof Date ? cell.toISOString() : String(cell as string | boolean);
}
