import { open } from 'node:fs/promises';
import { readBoxes } from '../iso-boxes.ts';

export interface FileLayout {
  readonly path: string;
  readonly skip: number;
  readonly index?: { readonly at: number; readonly bytes: number };
  readonly chunkBytes: number;
}

/**
 * Yields a file's bytes in streaming order: an MP4's index first, with adjusted chunk offsets. Otherwise the decoder
 * would buffer all audio until the index.
 */
export async function* readMoovFirst({ path, skip, index, chunkBytes }: FileLayout): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  const readRange = async function* (from: number, to: number) {
    for (let at = from; at < to; ) {
      const wanted = Math.min(chunkBytes, to - at);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, at);
      if (bytesRead === 0) return;
      // Not a Buffer: the decoders rely on `slice` copying.
      yield new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead);
      at += bytesRead;
    }
  };
  try {
    if (index) {
      const { buffer: moov } = await file.read(Buffer.alloc(index.bytes), 0, index.bytes, index.at);
      // Data before the index moves back by its length; data after it stays.
      shiftOffsets(moov, 8, moov.length, (offset) => (offset < index.at ? offset + index.bytes : offset));
      yield new Uint8Array(moov.buffer, moov.byteOffset, moov.length);
      yield* readRange(0, index.at);
      yield* readRange(index.at + index.bytes, Number.POSITIVE_INFINITY);
    } else {
      yield* readRange(skip, Number.POSITIVE_INFINITY);
    }
  } finally {
    await file.close();
  }
}

const HOLDS_TABLES = new Set(['trak', 'mdia', 'minf', 'stbl']);

/** Rewrites the chunk offsets (`stco`, `co64`: ISO/IEC 14496-12 §8.7.5) in the boxes of an index. */
function shiftOffsets(bytes: Buffer, from: number, to: number, shift: (offset: number) => number): void {
  for (const box of readBoxes(bytes, from, to)) {
    if (HOLDS_TABLES.has(box.type)) shiftOffsets(bytes, box.from, box.to, shift);
    const width = box.type === 'stco' ? 4 : box.type === 'co64' ? 8 : 0;
    for (let at = box.from + 8; width > 0 && at + width <= box.to; at += width) {
      if (width === 4) bytes.writeUInt32BE(shift(bytes.readUInt32BE(at)) % 2 ** 32, at);
      else bytes.writeBigUInt64BE(BigInt(shift(Number(bytes.readBigUInt64BE(at)))), at);
    }
  }
}
