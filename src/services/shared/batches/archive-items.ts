import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { fromFdPromise, type ZipFile } from 'yauzl';
import { quotaExceeded } from '../../../base/api-error.ts';
import { isOutcomeUnknown } from '../../../base/db-errors.ts';
import { requireFreeSpace, withFreeSpace } from '../../../base/files/free-space.ts';
import { toStorageError } from '../../../base/files/storage-unavailable.ts';
import type { Files } from '../../../base/files.ts';
import { newId } from '../../../base/ids.ts';
import { requireArrivalRate } from '../arrival-rate.ts';
import type { FileType } from '../file-type.ts';
import { keepFilesIfCommitted } from '../keep-files-if-committed.ts';
import type { GatewayContext, SharedSettings } from '../service.ts';
import {
  type ArchiveFile,
  DamagedFile,
  damagedArchive,
  invalidFile,
  listArchiveFiles,
  readArchiveFile,
  readHead,
} from './archive-files.ts';
import { type InvalidItems, invalidItems } from './invalid-items.ts';

export interface ArchiveDeps {
  readonly type: FileType;
  readonly context: Pick<GatewayContext, 'files' | 'uploads' | 'log'>;
  readonly shared: Pick<SharedSettings, 'dataDir' | 'filesQuotaBytes' | 'resultTtlSeconds'>;
}

export interface Archives extends ArchiveDeps {
  /** The field of a request that has the URL of its file. */
  readonly urlField: string;
  readonly filesHost: string;
}

/** Undefined without a host of stored files. */
export function archivesOf(
  urlField: string,
  { shared, ...deps }: ArchiveDeps & { shared: Pick<SharedSettings, 'filesHost'> },
): Archives | undefined {
  const { filesHost } = shared;
  return filesHost === undefined ? undefined : { urlField, filesHost, shared, ...deps };
}

/** A file of an archive in the file store, as an upload of the client. */
export interface StoredItem {
  readonly name: string;
  readonly key: string;
  readonly sha256: string;
}

/** Bounds the memory: each has a few buffers of 64 KiB. */
const CONCURRENCY = 8;
const HEAD_BYTES = 16_384;

/**
 * Receives an archive on disk, because its directory is at its end, and calls `use`. The file has no name while it is used,
 * so the system deletes it also when this process is killed.
 */
export async function receiveArchive<T>(body: Readable, dataDir: string, use: (archive: ZipFile) => Promise<T>) {
  const file = await createUnnamedFile(join(dataDir, 'scratch'));
  try {
    await writeFile(file, withFreeSpace(requireArrivalRate(body), dataDir)).catch(failStorage);
    // Not closed: only the file handle closes its descriptor.
    const archive = await fromFdPromise(file.fd, { lazyEntries: true, decodeStrings: false }).catch(() => {
      throw damagedArchive('The file is not a complete ZIP archive.');
    });
    // Without a listener, an error while no entry is being read would end the process.
    archive.on('error', () => {});
    return await use(archive);
  } finally {
    await file.close();
  }
}

async function createUnnamedFile(dir: string): Promise<FileHandle> {
  const path = join(dir, `${newId()}.zip`);
  await mkdir(dir, { recursive: true, mode: 0o700 }).catch(failStorage);
  const file = await open(path, 'wx+', 0o600).catch(failStorage);
  await unlink(path).catch(failStorage);
  return file;
}

function failStorage(error: unknown): never {
  throw toStorageError(error);
}

/** The files of an archive. Nothing is stored before the name, size and type of all files are checked. */
export async function checkArchive(
  archive: ZipFile,
  { maxBytes, sniff, expected }: FileType,
  { maxFiles, invalid }: { maxFiles: number; invalid: InvalidItems },
) {
  const files = await listArchiveFiles(archive, { maxFiles, maxFileBytes: maxBytes, invalid });
  const typed: (ArchiveFile & { contentType: string })[] = [];
  for (const file of files) {
    const head = await readHead(archive, file, HEAD_BYTES).catch(toDamage);
    const contentType = head instanceof DamagedFile ? undefined : sniff(head);
    if (head instanceof DamagedFile) invalid.add(invalidFile(file.name, 'DAMAGED', head.message));
    else if (contentType === undefined)
      invalid.add(invalidFile(file.name, 'UNSUPPORTED_MEDIA_TYPE', `The file is not ${expected}.`));
    else typed.push({ ...file, contentType });
  }
  invalid.throwIfAny(typed.length);
  return typed;
}

function toDamage(error: unknown): DamagedFile {
  if (error instanceof DamagedFile) return error;
  throw error;
}

type CheckedFiles = Awaited<ReturnType<typeof checkArchive>>;

export const unpackedBytes = (files: readonly ArchiveFile[]) =>
  files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);

/**
 * Stores all files, except damaged ones if they are left out. Adds their keys to `keys`, also when it fails, so that the caller
 * can delete them.
 */
export const putFiles = (
  archive: ZipFile,
  checked: CheckedFiles,
  {
    files,
    dataDir,
    maxBytes,
    keys,
    invalid,
  }: { files: Files; dataDir: string; maxBytes: number; keys: string[]; invalid: InvalidItems },
) =>
  readFiles(archive, checked, invalid, async (bytes, sizeBytes) => {
    await requireFreeSpace(dataDir, sizeBytes);
    const { key, sha256 } = await files.put(bytes, { maxBytes });
    keys.push(key);
    return { key, sha256 };
  });

/** Like {@link putFiles}, but stores nothing: all files have the key `example`. */
export const hashFiles = (archive: ZipFile, checked: CheckedFiles, invalid: InvalidItems) =>
  readFiles(archive, checked, invalid, async (bytes) => {
    const digest = createHash('sha256');
    for await (const chunk of bytes) digest.update(chunk);
    return { key: EXAMPLE_KEY, sha256: digest.digest('hex') };
  });

/** In place of the key of a file that is not stored. */
export const EXAMPLE_KEY = 'example';

async function readFiles(
  archive: ZipFile,
  checked: CheckedFiles,
  invalid: InvalidItems,
  read: (bytes: AsyncIterable<Buffer>, sizeBytes: number) => Promise<Omit<StoredItem, 'name'>>,
) {
  const stop = new AbortController();
  const readOne = async (file: CheckedFiles[number]) => {
    stop.signal.throwIfAborted();
    const { name, contentType, entry } = file;
    const sizeBytes = entry.uncompressedSize;
    const found = await read(readArchiveFile(archive, file), sizeBytes).catch(toDamage);
    if (found instanceof DamagedFile) {
      const item = invalidFile(name, 'DAMAGED', found.message);
      if (!invalid.skip) throw invalidItems(item, { invalid: 1, total: checked.length, items: [item] });
      invalid.add(item);
      return [];
    }
    return { ...found, sizeBytes, contentType, name };
  };
  const limit = pLimit(CONCURRENCY);
  const reads = checked.map((file) => limit(readOne, file));
  for (const each of reads) each.catch((error: unknown) => stop.abort(error));
  // No file may be stored after its key was deleted.
  await Promise.allSettled(reads);
  const found = (await Promise.all(reads)).flat();
  if (found.length === 0) invalid.throwIfAny(0);
  return found;
}

/** Stores all files as uploads, or none, and then calls `use`, after whose failure the next sweep deletes the files. */
export async function storeUploads<T>(
  archive: ZipFile,
  checked: CheckedFiles,
  { context, shared, type, principal, invalid }: ArchiveDeps & { principal: string; invalid: InvalidItems },
  use: (items: StoredItem[]) => Promise<T>,
): Promise<T> {
  const { files, uploads } = context;
  const { dataDir, filesQuotaBytes: quotaBytes, resultTtlSeconds: ttlSeconds } = shared;
  if (!(await uploads.hasRoom(principal, unpackedBytes(checked), quotaBytes))) throw quotaExceeded(quotaBytes);
  const keys: string[] = [];
  const stored = await keepFilesIfCommitted(keys, context, async () => {
    const all = await putFiles(archive, checked, { files, dataDir, maxBytes: type.maxBytes, keys, invalid });
    if (!(await uploads.insertAll(principal, all, { ttlSeconds, quotaBytes }))) throw quotaExceeded(quotaBytes);
    return all;
  });
  try {
    return await use(stored);
  } catch (error) {
    // Frees the quota of the client, which may repeat the request at once.
    if (!isOutcomeUnknown(error)) await uploads.expire(keys).catch(() => {});
    throw error;
  }
}
