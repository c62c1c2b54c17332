import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { type ZipEntry, zip } from '../../../base/xlsx/zip.ts';

/** Why bytes are no workbook that is read here; a sentence for people. */
export class NotAWorkbook extends Error {
  override readonly name = 'NotAWorkbook';
}

const MOST_ENTRIES = 500;
/** Of all parts that are read, unpacked: a thousand rows of the longest cells there can be. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * All cells before it would be in memory too, empty ones as well. The search ends where the next cell begins: an archive can
 * hold 20 million cells that do not end, and would be read to its end from each of them.
 */
const FAR_CELL = /<(?:\w+:)?c\s(?:[^<>]|<(?!(?:\w+:)?c\s))*?\br=["'](?:[A-Z]{3}|[A-Z]{1,2}\d{6})/;

/**
 * The parts of a workbook that hold its cells, packed anew: what comes out is an archive without tricks, in which every
 * part is as large as it says, no two overlap or have one name, and all together stay below 64 MiB. What was declared is
 * held against what comes out of unpacking, so nothing of a bomb is ever in memory.
 */
export async function unpackedAnew(bytes: Buffer): Promise<Buffer> {
  const archive = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true }).catch(refuse);
  const pieces: Buffer[] = [];
  for await (const piece of zip(partsOf(archive))) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* partsOf(archive: ZipFile): AsyncGenerator<ZipEntry, void, undefined> {
  if (archive.entryCount > MOST_ENTRIES) throw new NotAWorkbook('The workbook has too many parts');
  const names = new Set<string>();
  let size = 0;
  const entries = archive.eachEntry();
  for (let entry = await next(entries); entry !== undefined; entry = await next(entries)) {
    const { fileName: name, uncompressedSize } = entry;
    if (!/^(\[Content_Types\]\.xml|_rels\/.*|xl\/.*\.(xml|rels))$/.test(name)) continue;
    if (names.has(name)) throw new NotAWorkbook('The workbook has two parts of one name');
    names.add(name);
    size += uncompressedSize;
    if (size > MOST_BYTES)
      throw new NotAWorkbook(`The workbook is larger than ${MOST_BYTES / 2 ** 20} MiB when unpacked`);
    const text = await textOf(archive, entry);
    if (hasLongTag(text)) throw new NotAWorkbook('The file is not a well-formed XLSX workbook');
    if (FAR_CELL.test(text)) throw new NotAWorkbook('A cell of the workbook lies beyond column ZZ or row 99 999');
    yield { name, content: [text] };
  }
}

/** The reader takes quadratic time for a tag: 10 s for one of a megabyte (measured). No program writes one so long. */
const LONGEST_TAG = 64 * 1024;

function hasLongTag(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; ) {
    const end = text.indexOf('>', at);
    if (end < 0 || end - at > LONGEST_TAG) return true;
    at = text.indexOf('<', end);
  }
  return false;
}

/** The next part's name and sizes; what is wrong with them is a refusal. */
async function next(entries: AsyncIterator<Entry>): Promise<Entry | undefined> {
  const { value, done } = await entries.next().catch(refuse);
  return done ? undefined : value;
}

async function textOf(archive: ZipFile, entry: Entry): Promise<string> {
  const stream: Readable = await archive.openReadStreamPromise(entry).catch(refuse);
  stream.setEncoding('utf8');
  const text: string[] = [];
  try {
    for await (const piece of stream) text.push(piece as string);
  } catch (error) {
    refuse(error);
  }
  return text.join('');
}

/** What yauzl says is of the bytes, and every word of it means the same: this is no archive that can be read. */
function refuse(cause: unknown): never {
  throw new NotAWorkbook('The file is not a well-formed XLSX workbook', { cause });
}
