import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import { ApiError } from '../../../base/api-error.ts';
import { composeCharacters } from '../../../base/compose-characters.ts';
import { toStorageError } from '../../../base/files/storage-unavailable.ts';
import { type FileProblem, type InvalidItem, type InvalidItems, invalidBatch, tooManyItems } from './invalid-items.ts';

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
 * The valid files of an archive in its order, without folders, hidden files and the files of operating systems. Reads only the
 * directory of the archive. Files that are refused are added to `invalid`.
 */
export async function listArchiveFiles(
  archive: ZipFile,
  { maxFiles, maxFileBytes, invalid }: { maxFiles: number; maxFileBytes: number; invalid: InvalidItems },
): Promise<ArchiveFile[]> {
  if (archive.entryCount > MAX_ENTRIES)
    throw invalidBatch('TOO_MANY_FILES', `The archive has more than ${MAX_ENTRIES} entries.`, MAX_ENTRIES);
  const files = new Map<string, ArchiveFile>();
  let [count, directoryBytes, unpackedBytes] = [0, 0, 0];
  for await (const entry of readable(archive.eachEntry())) {
    directoryBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (directoryBytes > MAX_DIRECTORY_BYTES)
      throw invalidBatch(
        'ARCHIVE_TOO_LARGE',
        `The names and comments of the archive take more than ${MAX_DIRECTORY_BYTES} bytes.`,
      );
    const name = nameOf(entry);
    if (name.endsWith('/')) continue;
    if (isIgnored(name)) {
      invalid.ignore();
      continue;
    }
    if (++count > maxFiles) throw tooManyItems(maxFiles);
    const problem = files.has(name) ? DUPLICATE : problemOf(name, entry, maxFileBytes);
    if (problem !== undefined) {
      invalid.add(invalidFile(name, ...problem));
      continue;
    }
    unpackedBytes += entry.uncompressedSize;
    files.set(name, { name, entry });
  }
  // The count of an archive without ZIP64 wraps around at 65 536 entries.
  const end = archive.fileSize - END_RECORD_BYTES - archive.comment.length;
  if (![0, ZIP64_END_BYTES].includes(end - Number(archive.readEntryCursor)))
    throw damagedArchive(`${DAMAGED_DIRECTORY}: it has other entries than it declares.`);
  if (count === 0) throw invalidBatch('EMPTY_ARCHIVE', 'The archive has no files.');
  if (files.size === 0) invalid.throwIfAny(0);
  if (unpackedBytes > MAX_UNPACKED_BYTES)
    throw invalidBatch(
      'ARCHIVE_TOO_LARGE',
      `The files of the archive have more than ${MAX_UNPACKED_BYTES} bytes when unpacked.`,
    );
  if (unpackedBytes > Math.max(MIN_BOMB_BYTES, MAX_RATIO * archive.fileSize))
    throw invalidBatch('ARCHIVE_TOO_LARGE', `The archive unpacks to more than ${MAX_RATIO} times its size.`);
  return [...files.values()];
}

/** A file that cannot be unpacked. */
export class DamagedFile extends Error {}

/**
 * The bytes of a file; throws {@link DamagedFile} if they do not have the declared size and checksum, and
 * `StorageUnavailable` if the disk fails.
 */
export async function* readArchiveFile(
  archive: ZipFile,
  { entry }: ArchiveFile,
): AsyncGenerator<Buffer, void, undefined> {
  let source: Readable | undefined;
  let checksum = 0;
  try {
    source = await archive.openReadStreamPromise(entry);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new DamagedFile('The file is damaged: the checksum does not match.');
  } catch (error) {
    const failure = toStorageError(error);
    if (failure !== error || error instanceof DamagedFile) throw failure;
    throw new DamagedFile('The file is damaged: it cannot be unpacked.');
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

const DAMAGED_DIRECTORY = 'The directory of the archive is damaged';

/** `details.code` is for pages in other languages. */
export const damagedArchive = (message: string) =>
  new ApiError('VALIDATION_ERROR', 422, message, {}, { details: { code: 'DAMAGED_ARCHIVE' } });

async function* readable(entries: AsyncIterable<Entry>): AsyncGenerator<Entry, void, undefined> {
  try {
    yield* entries;
  } catch (error) {
    const isEncrypted = (error as Error).message.includes('strong encryption');
    throw damagedArchive(isEncrypted ? 'The archive is encrypted.' : `${DAMAGED_DIRECTORY}.`);
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

function isIgnored(name: string): boolean {
  const parts = name.split('/');
  if (parts[0] === '__MACOSX' || SYSTEM_FILES.has(parts.at(-1)!.toLowerCase())) return true;
  return parts.some((part) => part.startsWith('.') && part !== '.' && part !== '..');
}

const ARCHIVE_NAME = /\.(?:zip|rar|7z|tar|gz|tgz|bz2|xz|zst)$/i;

type Problem = readonly [code: FileProblem, message: string];
const DUPLICATE: Problem = ['DUPLICATE_NAME', 'Two files have this name.'];

function problemOf(name: string, entry: Entry, maxFileBytes: number): Problem | undefined {
  if (name === '' || name.length > MAX_NAME_LENGTH)
    return ['INVALID_NAME', `The name must have 1 to ${MAX_NAME_LENGTH} characters.`];
  if (/[\0-\x1f\x7f]/.test(name)) return ['INVALID_NAME', 'The name has control characters.'];
  if (validateFileName(name) !== null) return ['UNSAFE_PATH', 'The path is absolute or leads out of the archive.'];
  if (entry.isEncrypted()) return ['ENCRYPTED', 'The file is encrypted.'];
  if (![0, 8].includes(entry.compressionMethod))
    return ['UNSUPPORTED_COMPRESSION', 'The compression method is not supported; use Deflate.'];
  if (ARCHIVE_NAME.test(name)) return ['NESTED_ARCHIVE', 'Archives in an archive are not unpacked.'];
  if (entry.uncompressedSize > maxFileBytes)
    return ['FILE_TOO_LARGE', `The file is larger than ${maxFileBytes / 2 ** 20} MiB.`];
  if (entry.uncompressedSize === 0) return ['EMPTY_FILE', 'The file is empty.'];
  return undefined;
}

export const invalidFile = (name: string, code: FileProblem, message: string): InvalidItem => ({
  name: printable(name),
  code,
  message,
});

const printable = (name: string) => name.slice(0, 200).replace(/[\0-\x1f\x7f]/g, '�');
