import { pipeline, Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: AsyncIterable<string> | Iterable<string>;
}

/**
 * Generates a ZIP archive (PKWARE APPNOTE 6.3) in constant memory. Deterministic, since it writes no times. Throws beyond
 * 4 GiB.
 */
export async function* zip(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Buffer, void, undefined> {
  const directory: Buffer[] = [];
  let length = 0;
  let count = 0;
  for await (const { name, content } of entries) {
    const offset = length;
    const local = header(LOCAL, name, { crc: 0, packed: 0, size: 0 });
    length += local.length;
    yield local;
    const sum = { crc: 0, packed: 0, size: 0 };
    for await (const piece of deflated(content, sum)) {
      sum.packed += piece.length;
      length += piece.length;
      yield piece;
    }
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x08074b50, 0);
    writeSums(descriptor, 4, sum);
    length += descriptor.length;
    yield descriptor;
    if (length > 0xffffffff || sum.size > 0xffffffff) throw new RangeError('The archive is larger than 4 GiB.');
    directory.push(header({ ...LOCAL, ...CENTRAL, offset }, name, sum));
    count++;
  }
  const centralDirectory = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(centralDirectory.length, 12);
  end.writeUInt32LE(length, 16);
  yield centralDirectory;
  yield end;
}

interface Sum {
  crc: number;
  packed: number;
  size: number;
}

// Data descriptor after the content (bit 3), UTF-8 names (bit 11), deflate (8), 1 January 1980.
const [FLAGS, DEFLATE, DAY] = [0x0808, 8, 0x21];
const LOCAL = { signature: 0x04034b50, at: 4, fixed: 30, offset: undefined as number | undefined };
const CENTRAL = { signature: 0x02014b50, at: 6, fixed: 46 };

function header(kind: typeof LOCAL, name: string, sum: Sum): Buffer {
  const named = Buffer.from(name, 'utf8');
  const bytes = Buffer.alloc(kind.fixed + named.length);
  bytes.writeUInt32LE(kind.signature, 0);
  bytes.writeUInt16LE(20, 4);
  const { at } = kind;
  bytes.writeUInt16LE(20, at);
  bytes.writeUInt16LE(FLAGS, at + 2);
  bytes.writeUInt16LE(DEFLATE, at + 4);
  bytes.writeUInt16LE(DAY, at + 8);
  writeSums(bytes, at + 10, sum);
  bytes.writeUInt16LE(named.length, at + 22);
  if (kind.offset !== undefined) bytes.writeUInt32LE(kind.offset, 42);
  named.copy(bytes, kind.fixed);
  return bytes;
}

function writeSums(bytes: Buffer, at: number, { crc, packed, size }: Sum): void {
  bytes.writeUInt32LE(crc, at);
  bytes.writeUInt32LE(packed, at + 4);
  bytes.writeUInt32LE(size, at + 8);
}

function deflated(content: ZipEntry['content'], sum: Sum): AsyncIterable<Buffer> {
  // Chosen: twice as fast as the default level, and 10 % larger.
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED + 3 });
  // The consumer gets errors from the stream.
  pipeline(Readable.from(chunked(content, sum)), deflate, () => {});
  return deflate;
}

const PIECE = 2 ** 16;

/** Joins small texts into chunks, and updates `sum`. */
async function* chunked(content: ZipEntry['content'], sum: Sum): AsyncGenerator<Buffer, void, undefined> {
  let pending = '';
  const piece = () => {
    const bytes = Buffer.from(pending, 'utf8');
    pending = '';
    sum.crc = crc32(bytes, sum.crc);
    sum.size += bytes.length;
    return bytes;
  };
  for await (const text of content) {
    pending += text;
    if (pending.length >= PIECE) yield piece();
  }
  if (pending !== '') yield piece();
}
