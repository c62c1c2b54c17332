import { parentPort, workerData } from 'node:worker_threads';
import { readSheet } from 'read-excel-file/node';
import type { Cell } from './table-records.ts';
import { InvalidWorkbook, repackWorkbook } from './xlsx-archive.ts';

export interface SheetOptions {
  readonly bytes: Uint8Array;
  readonly most: number;
}

/** `problem` has no full stop. */
export type SheetResult = { readonly rows: Cell[][] } | { readonly problem: string };

const { bytes, most } = workerData as SheetOptions;
parentPort!.postMessage(await read());

async function read(): Promise<SheetResult> {
  try {
    const archive = await repackWorkbook(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    // Numbers stay text: an id can have 20 digits, and 1.10 is not 1.1.
    const rows = await readSheet<string>(archive, { trim: false, parseNumber: (text) => text });
    return { rows: rows.slice(0, most).map((row) => row.map(textOf)) };
  } catch (error) {
    return {
      problem: error instanceof InvalidWorkbook ? error.message : 'The file is not an XLSX workbook with a sheet',
    };
  }
}

function textOf(cell: unknown): Cell {
  if (cell === null || cell === undefined) return null;
  return cell instanceof Date ? cell.toISOString() : String(cell as string | boolean);
}
