import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Pdfium } from './pdfium.ts';

/** A file that the library reads piece by piece, so that a large one need not be in memory. */
export interface ReadableFile {
  /** The address of its FPDF_FILEACCESS. */
  readonly access: number;
  readonly length: number;
  /** Up to `length` bytes from `from` on. */
  read(from: number, length: number): Buffer;
  close(): void;
}

/** Opens the file for the library, which asks for its bytes during calls, until it is closed. */
export function openFile(pdfium: Pdfium, path: string): ReadableFile {
  const file = openSync(path, 'r');
  const { size: length } = fstatSync(file);
  const block = blocksOf(file, length);
  const give = (_param: number, position: number, to: number, size: number): number => {
    const from = position >>> 0;
    const count = size >>> 0;
    if (from + count > length) return 0;
    const memory = pdfium.bytes();
    for (let done = 0; done < count; ) {
      const { bytes, start } = block(from + done);
      const at = from + done - start;
      const part = Math.min(bytes.length - at, count - done);
      if (part <= 0) return 0;
      memory.set(bytes.subarray(at, at + part), to + done);
      done += part;
    }
    return 1;
  };
  const access = pdfium.call.malloc(12);
  const fields = new DataView(pdfium.bytes().buffer, access, 12);
  fields.setUint32(0, length, true);
  fields.setUint32(4, pdfium.callback(give, 'iiiii'), true);
  fields.setUint32(8, 0, true);
  return {
    access,
    length,
    read(from, length) {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, from));
    },
    close: () => closeSync(file),
  };
}

const BLOCK_BYTES = 2 ** 16;
const MAX_BLOCKS = 64;

/** The block that holds a place of the file; the latest ones are kept. */
function blocksOf(file: number, length: number): (place: number) => { bytes: Buffer; start: number } {
  const kept = new Map<number, Buffer>();
  return (place) => {
    const start = place - (place % BLOCK_BYTES);
    const known = kept.get(start);
    if (known) return { bytes: known, start };
    const [oldest] = kept.keys();
    if (kept.size >= MAX_BLOCKS) kept.delete(oldest!);
    const bytes = Buffer.alloc(Math.min(BLOCK_BYTES, length - start));
    const read = readSync(file, bytes, 0, bytes.length, start);
    kept.set(start, bytes.subarray(0, read));
    return { bytes: bytes.subarray(0, read), start };
  };
}
