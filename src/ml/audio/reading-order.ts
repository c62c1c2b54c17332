import { open } from 'node:fs/promises';
import { boxesIn } from './headers/boxes.ts';

/** Which parts of a file its decoder is to see. */
export interface FileLayout {
  readonly path: string;
  /** Bytes of it that are left out in front. */
  readonly skip: number;
  /** Of an MP4 whose index (`moov`) lies behind the sound: where. */
  readonly index?: { readonly at: number; readonly bytes: number };
  readonly chunkBytes: number;
}

/**
 * The bytes of a file in an order in which they can be decoded as they come: an MP4's index first, its tables told where
 * the sound then lies. Otherwise a decoder would have to hold all of the sound until it has seen the index.
 */
export async function* inReadingOrder({ path, skip, index, chunkBytes }: FileLayout): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  const part = async function* (from: number, to: number) {
    for (let at = from; at < to; ) {
      const wanted = Math.min(chunkBytes, to - at);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, at);
      if (bytesRead === 0) return;
      // Not a Buffer: the decoders take it that `slice` copies.
      yield new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead);
      at += bytesRead;
    }
  };
  try {
    if (index) {
      const { buffer: moov } = await file.read(Buffer.alloc(index.bytes), 0, index.bytes, index.at);
      // Whatever lay before the index now lies that much later; what lay behind it stays.
      shiftOffsets(moov, 8, moov.length, (offset) => (offset < index.at ? offset + index.bytes : offset));
      yield new Uint8Array(moov.buffer, moov.byteOffset, moov.length);
      yield* part(0, index.at);
      yield* part(index.at + index.bytes, Number.POSITIVE_INFINITY);
    } else {
      yield* part(skip, Number.POSITIVE_INFINITY);
    }
  } finally {
    await file.close();
  }
}

const HOLDS_TABLES = new Set(['trak', 'mdia', 'minf', 'stbl']);

/** Rewrites every place of a chunk of sound (`stco`, `co64`: ISO/IEC 14496-12 §8.7.5) in the boxes of an index. */
function shiftOffsets(bytes: Buffer, from: number, to: number, shifted: (offset: number) => number): void {
  for (const box of boxesIn(bytes, from, to)) {
    if (HOLDS_TABLES.has(box.type)) shiftOffsets(bytes, box.from, box.to, shifted);
    const width = box.type === 'stco' ? 4 : box.type === 'co64' ? 8 : 0;
    for (let place = box.from + 8; width > 0 && place + width <= box.to; place += width) {
      if (width === 4) bytes.writeUInt32BE(shifted(bytes.readUInt32BE(place)) % 2 ** 32, place);
      else bytes.writeBigUInt64BE(BigInt(shifted(Number(bytes.readBigUInt64BE(place)))), place);
    }
  }
}
