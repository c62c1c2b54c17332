import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { type ZipEntry, zip } from '../../../base/xlsx/zip.ts';

/** The message is shown to users. */
export class InvalidWorkbook extends Error {
  override readonly name = 'NotAWorkbook';
}

const MAX_ENTRIES = 500;
/** All parts together, unpacked: a thousand rows of the longest cells. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * A cell beyond column ZZ or row 99999: the reader allocates all cells before it. The match stops at the next cell;
 * otherwise 20 million unterminated cells take quadratic time.
 */
const FAR_CELL = /<(?:\w+:)?c\s(?:[^<>]|<(?!(?:\w+:)?c\s))*?\br=["'](?:[A-Z]{3}|[A-Z]{1,2}\d{6})/;

/**
 * Repacks the parts that hold cells: sizes as declared, no parts overlap or share a name, below 64 MiB together. Checks
 * sizes while unpacking, so a decompression bomb is never in memory.
 */
export async function repackWorkbook(bytes: Buffer): Promise<Buffer> {
  const archive = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true }).catch(reject);
  const pieces: Buffer[] = [];
  for await (const piece of zip(partsOf(archive))) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* partsOf(archive: ZipFile): AsyncGenerator<ZipEntry, void, undefined> {
  if (archive.entryCount > MAX_ENTRIES) throw new InvalidWorkbook('The workbook has too many parts');
  const names = new Set<string>();
  let size = 0;
  const entries = archive.eachEntry();
  for (let entry = await next(entries); entry !== undefined; entry = await next(entries)) {
    const { fileName: name, uncompressedSize } = entry;
    if (!/^(\[Content_Types\]\.xml|_rels\/.*|xl\/.*\.(xml|rels))$/.test(name)) continue;
    if (names.has(name)) throw new InvalidWorkbook('The workbook has two parts with the same name');
    names.add(name);
    size += uncompressedSize;
    if (size > MAX_BYTES)
      throw new InvalidWorkbook(`The workbook is larger than ${MAX_BYTES / 2 ** 20} MiB when unpacked`);
    const text = await textOf(archive, entry);
    if (hasLongTag(text)) throw new InvalidWorkbook('The file is not a well-formed XLSX workbook');
    if (FAR_CELL.test(text)) throw new InvalidWorkbook('A cell of the workbook is beyond column ZZ or row 99 999');
    yield { name, content: [text] };
  }
}

/** The reader's time is quadratic in a tag's length: 10 s for 1 MB (measured). */
const MAX_TAG_LENGTH = 64 * 1024;

function hasLongTag(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; ) {
    const end = text.indexOf('>', at);
    if (end < 0 || end - at > MAX_TAG_LENGTH) return true;
    at = text.indexOf('<', end);
  }
  return false;
}

async function next(entries: AsyncIterator<Entry>): Promise<Entry | undefined> {
  const { value, done } = await entries.next().catch(reject);
  return done ? undefined : value;
}

async function textOf(archive: ZipFile, entry: Entry): Promise<string> {
  const stream: Readable = await archive.openReadStreamPromise(entry).catch(reject);
  stream.setEncoding('utf8');
  const text: string[] = [];
  try {
    for await (const piece of stream) text.push(piece as string);
  } catch (error) {
    reject(error);
  }
  return text.join('');
}

function reject(cause: unknown): never {
  throw new InvalidWorkbook('The file is not a well-formed XLSX workbook', { cause });
}
