import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import { validationError } from '../../../base/api-error.ts';
import { composeCharacters } from '../../../base/compose-characters.ts';
import { createInvalidItems } from './invalid-items.ts';

/** A file in a ZIP archive. */
export interface ArchiveFile {
  /** The path in the archive. */
  readonly name: string;
  readonly entry: Entry;
}

/** Also counts folders and skipped files, of which macOS adds one to each file. */
const MAX_ENTRIES = 30_000;
/** Names, comments and other data of all entries. */
const MAX_DIRECTORY_BYTES = 16 * 2 ** 20;
const MAX_UNPACKED_BYTES = 8 * 2 ** 30;
/** Photos, recordings and scans are compressed already; only bombs and blank scans exceed this. */
const MAX_RATIO = 100;
/** Archives that unpack to less may have any ratio. */
const MIN_BOMB_BYTES = 64 * 2 ** 20;
const MAX_NAME_LENGTH = 500;
const END_RECORD_BYTES = 22;
/** The end record of ZIP64 and its locator, before the end record. */
const ZIP64_END_BYTES = 76;

/**
 * The files of an archive in its order, without folders and the files of operating systems. Reads only the directory of the
 * archive; throws one error for all files that are refused.
 */
export async function listArchiveFiles(
  archive: ZipFile,
  { maxFiles, maxFileBytes }: { maxFiles: number; maxFileBytes: number },
): Promise<ArchiveFile[]> {
  if (archive.entryCount > MAX_ENTRIES) throw validationError(`The archive has more than ${MAX_ENTRIES} entries.`);
  const files = new Map<string, ArchiveFile>();
  const invalid = createInvalidItems();
  let [count, directoryBytes, unpackedBytes] = [0, 0, 0];
  for await (const entry of readable(archive.eachEntry())) {
    directoryBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (directoryBytes > MAX_DIRECTORY_BYTES)
      throw validationError(`The names and comments of the archive take more than ${MAX_DIRECTORY_BYTES} bytes.`);
    const name = nameOf(entry);
    if (isSkipped(name)) continue;
    if (++count > maxFiles) throw validationError(`A batch has at most ${maxFiles} items.`);
    const problem = files.has(name) ? 'Two files have this name.' : problemOf(name, entry, maxFileBytes);
    unpackedBytes += entry.uncompressedSize;
    if (problem !== undefined) invalid.add({ name: printable(name), message: problem });
    else files.set(name, { name, entry });
  }
  // The count of an archive without ZIP64 wraps around at 65 536 entries.
  const end = archive.fileSize - END_RECORD_BYTES - archive.comment.length;
  if (![0, ZIP64_END_BYTES].includes(end - Number(archive.readEntryCursor)))
    throw validationError('The directory of the archive is damaged: it has other entries than it declares.');
  if (count === 0) throw validationError('The archive has no files.');
  invalid.throwIfAny(count);
  if (unpackedBytes > MAX_UNPACKED_BYTES)
    throw validationError(`The files of the archive have more than ${MAX_UNPACKED_BYTES} bytes when unpacked.`);
  if (unpackedBytes > Math.max(MIN_BOMB_BYTES, MAX_RATIO * archive.fileSize))
    throw validationError(`The archive unpacks to more than ${MAX_RATIO} times its size.`);
  return [...files.values()];
}

/** The bytes of a file; throws if they do not have the declared size and checksum. */
export async function* readArchiveFile(
  archive: ZipFile,
  { name, entry }: ArchiveFile,
): AsyncGenerator<Buffer, void, undefined> {
  let source: Readable | undefined;
  let checksum = 0;
  try {
    source = await archive.openReadStreamPromise(entry);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new Error('the checksum does not match');
  } catch (error) {
    throw damaged(`${printable(name)} is damaged`, error);
  } finally {
    source?.destroy();
  }
}

/** The first bytes of a file, to detect its type. */
export async function readHead(archive: ZipFile, file: ArchiveFile, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readArchiveFile(archive, file)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

export const damaged = (what: string, error: unknown) =>
  validationError(`${what}: ${error instanceof Error ? error.message : String(error)}.`);

async function* readable(entries: AsyncIterable<Entry>): AsyncGenerator<Entry, void, undefined> {
  try {
    yield* entries;
  } catch (error) {
    throw damaged('The directory of the archive is damaged', error);
  }
}

const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;

/** Programs that do not set the UTF-8 flag write UTF-8 (macOS) or, on Russian Windows, code page 866. */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: Entry): string {
  const isDeclared = (flags & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH);
  const name = isDeclared
    ? getFileNameLowLevel(flags, raw, extraFields, false)
    : new TextDecoder(isUtf8(raw) ? 'utf-8' : 'ibm866').decode(raw).replaceAll('\\', '/');
  return composeCharacters(name, 'NFC');
}

const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);

function isSkipped(name: string): boolean {
  if (name.endsWith('/') || name.startsWith('__MACOSX/')) return true;
  return SYSTEM_FILES.has(name.slice(name.lastIndexOf('/') + 1).toLowerCase());
}

const ARCHIVE_NAME = /\.(?:zip|rar|7z|tar|gz|tgz|bz2|xz|zst)$/i;

function problemOf(name: string, entry: Entry, maxFileBytes: number): string | undefined {
  if (name === '' || name.length > MAX_NAME_LENGTH) return `The name must have 1 to ${MAX_NAME_LENGTH} characters.`;
  if (/[\0-\x1f\x7f]/.test(name)) return 'The name has control characters.';
  if (validateFileName(name) !== null) return 'The path is absolute or leads out of the archive.';
  if (entry.isEncrypted()) return 'The file is encrypted.';
  if (![0, 8].includes(entry.compressionMethod)) return 'The compression method is not supported; use Deflate.';
  if (ARCHIVE_NAME.test(name)) return 'Archives in an archive are not unpacked.';
  if (entry.uncompressedSize > maxFileBytes) return `The file is larger than ${maxFileBytes} bytes.`;
  return undefined;
}

const printable = (name: string) => name.slice(0, 200).replace(/[\0-\x1f\x7f]/g, '�');
