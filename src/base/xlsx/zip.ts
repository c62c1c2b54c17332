import { pipeline, Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** One file of an archive: its content is asked for when its turn has come. */
export interface ZipEntry {
  readonly name: string;
  readonly content: AsyncIterable<string> | Iterable<string>;
}

/**
 * The bytes of a ZIP archive (PKWARE APPNOTE 6.3), made as they are asked for: of no entry is more in memory than a few
 * pieces. No times are written, so the same entries make the same bytes. Up to 4 GiB, beyond which it throws.
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
    const after = Buffer.alloc(16);
    after.writeUInt32LE(0x08074b50, 0);
    writeSums(after, 4, sum);
    length += after.length;
    yield after;
    if (length > 0xffffffff || sum.size > 0xffffffff) throw new RangeError('The archive is larger than 4 GiB.');
    directory.push(header({ ...LOCAL, ...CENTRAL, offset }, name, sum));
    count++;
  }
  const entriesOf = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(entriesOf.length, 12);
  end.writeUInt32LE(length, 16);
  yield entriesOf;
  yield end;
}

interface Sum {
  crc: number;
  packed: number;
  size: number;
}

// Sums come after the content (bit 3), names are UTF-8 (bit 11), packed by deflate (8), of the first of January 1980.
const [FLAGS, DEFLATE, DAY] = [0x0808, 8, 0x21];
const LOCAL = { signature: 0x04034b50, at: 4, fixed: 30, offset: undefined as number | undefined };
const CENTRAL = { signature: 0x02014b50, at: 6, fixed: 46 };

function header(kind: typeof LOCAL, name: string, sum: Sum): Buffer {
  const named = Buffer.from(name, 'utf8');
  const bytes = Buffer.alloc(kind.fixed + named.length);
  bytes.writeUInt32LE(kind.signature, 0);
  // Made by and readable since version 2.0.
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
  // The level at which a sheet is packed twice as fast and a tenth larger.
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED + 3 });
  // Whoever reads is told of the failure by the stream.
  pipeline(Readable.from(gathered(content, sum)), deflate, () => {});
  return deflate;
}

const PIECE = 2 ** 16;

/** In pieces worth a call each, counted and summed up. */
async function* gathered(content: ZipEntry['content'], sum: Sum): AsyncGenerator<Buffer, void, undefined> {
  let waiting = '';
  const piece = () => {
    const bytes = Buffer.from(waiting, 'utf8');
    waiting = '';
    sum.crc = crc32(bytes, sum.crc);
    sum.size += bytes.length;
    return bytes;
  };
  for await (const text of content) {
    waiting += text;
    if (waiting.length >= PIECE) yield piece();
  }
  if (waiting !== '') yield piece();
}
