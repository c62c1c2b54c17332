import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Pdfium } from './pdfium.ts';

export type ReadableFile = ReturnType<typeof openFile>;

/** Opens a file that PDFium reads in blocks. */
export function openFile(pdfium: Pdfium, path: string) {
  const file = openSync(path, 'r');
  const { size: length } = fstatSync(file);
  const block = createBlockCache(file, length);
  const readBlock = (_param: number, position: number, to: number, size: number): number => {
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
  const callback = pdfium.callback(readBlock, 'iiiii');
  const fields = new DataView(pdfium.bytes().buffer, access, 12);
  fields.setUint32(0, length, true);
  fields.setUint32(4, callback, true);
  fields.setUint32(8, 0, true);
  return {
    /** Address of the FPDF_FILEACCESS. */
    access,
    length,
    read(from: number, length: number): Buffer {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, from));
    },
    /** The document cannot be used afterwards. */
    close() {
      closeSync(file);
      pdfium.removeCallback(callback);
    },
  };
}

const BLOCK_BYTES = 2 ** 16;
const MAX_BLOCKS = 64;

/** Caches the last {@link MAX_BLOCKS} blocks read. */
function createBlockCache(file: number, length: number): (offset: number) => { bytes: Buffer; start: number } {
  const cache = new Map<number, Buffer>();
  return (offset) => {
    const start = offset - (offset % BLOCK_BYTES);
    const known = cache.get(start);
    if (known) return { bytes: known, start };
    const [oldest] = cache.keys();
    if (cache.size >= MAX_BLOCKS) cache.delete(oldest!);
    const bytes = Buffer.alloc(Math.min(BLOCK_BYTES, length - start));
    const read = readSync(file, bytes, 0, bytes.length, start);
    cache.set(start, bytes.subarray(0, read));
    return { bytes: bytes.subarray(0, read), start };
  };
}
