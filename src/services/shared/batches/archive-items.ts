import { type FileHandle, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { fromFdPromise, type ZipFile } from 'yauzl';
import { quotaExceeded } from '../../../base/api-error.ts';
import { isOutcomeUnknown } from '../../../base/db-errors.ts';
import { toStorageError } from '../../../base/files/storage-unavailable.ts';
import type { Files } from '../../../base/files.ts';
import { newId } from '../../../base/ids.ts';
import type { FileType } from '../file-type.ts';
import { keepFilesIfCommitted } from '../keep-files-if-committed.ts';
import type { GatewayContext, SharedSettings } from '../service.ts';
import { type ArchiveFile, damaged, listArchiveFiles, readArchiveFile, readHead } from './archive-files.ts';
import { createInvalidItems } from './invalid-items.ts';

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
    await writeFile(file, body).catch(failStorage);
    // Not closed: only the file handle closes its descriptor.
    const archive = await fromFdPromise(file.fd, { lazyEntries: true, decodeStrings: false }).catch(
      (error: unknown) => {
        throw damaged('The body is not a complete ZIP archive', error);
      },
    );
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
export async function checkArchive(archive: ZipFile, { maxBytes, sniff, expected }: FileType, maxFiles: number) {
  const files = await listArchiveFiles(archive, { maxFiles, maxFileBytes: maxBytes });
  const invalid = createInvalidItems();
  const typed: (ArchiveFile & { contentType: string })[] = [];
  for (const file of files) {
    const contentType = sniff(await readHead(archive, file, HEAD_BYTES));
    if (contentType === undefined) invalid.add({ name: file.name, message: `The file is not ${expected}.` });
    else typed.push({ ...file, contentType });
  }
  invalid.throwIfAny(files.length);
  return typed;
}

type CheckedFiles = Awaited<ReturnType<typeof checkArchive>>;

export const unpackedBytes = (files: readonly ArchiveFile[]) =>
  files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);

/** Stores all files. Adds their keys to `keys`, also when it fails, so that the caller can delete them. */
export async function putFiles(
  archive: ZipFile,
  checked: CheckedFiles,
  { files, maxBytes, keys }: { files: Files; maxBytes: number; keys: string[] },
) {
  const stop = new AbortController();
  const putOne = async (file: CheckedFiles[number]) => {
    stop.signal.throwIfAborted();
    const { key, sizeBytes, sha256 } = await files.put(readArchiveFile(archive, file), { maxBytes });
    keys.push(key);
    const { name, contentType } = file;
    return { key, sizeBytes, contentType, name, sha256 };
  };
  const limit = pLimit(CONCURRENCY);
  const puts = checked.map((file) => limit(putOne, file));
  for (const put of puts) put.catch((error: unknown) => stop.abort(error));
  // No file may be stored after its key was deleted.
  await Promise.allSettled(puts);
  return Promise.all(puts);
}

/** Stores all files as uploads, or none, and then calls `use`, after whose failure the next sweep deletes the files. */
export async function storeUploads<T>(
  archive: ZipFile,
  checked: CheckedFiles,
  { context, shared, type, principal }: ArchiveDeps & { principal: string },
  use: (items: StoredItem[]) => Promise<T>,
): Promise<T> {
  const { files, uploads } = context;
  const { filesQuotaBytes: quotaBytes, resultTtlSeconds: ttlSeconds } = shared;
  if (!(await uploads.hasRoom(principal, unpackedBytes(checked), quotaBytes))) throw quotaExceeded(quotaBytes);
  const keys: string[] = [];
  const stored = await keepFilesIfCommitted(keys, context, async () => {
    const all = await putFiles(archive, checked, { files, maxBytes: type.maxBytes, keys });
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
