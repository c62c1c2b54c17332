import { type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { deleteStale, ifMissing, syncFolder } from './file-system.ts';
import { isFileKey, keyToPath } from './files/file-key.ts';
import { toStorageError } from './files/storage-unavailable.ts';
import { FileTooLarge, STALE_UPLOAD_MS, type WrittenFile, writeTempFile } from './files/temp-file.ts';
import { newId } from './ids.ts';

export { FileTooLarge };

/**
 * The file store. Keys are random ids and files never change. test/support/files-contract.ts tests all implementations. Failures of the
 * disk or storage throw `StorageUnavailable`.
 */
export interface Files {
  /**
   * Stores `source` durably, or throws and leaves nothing. Throws {@link FileTooLarge} beyond `maxBytes` and does not
   * destroy the source, because an HTTP request must still be answered.
   */
  put(source: Buffer | AsyncIterable<Buffer>, options: { maxBytes: number; signal?: AbortSignal }): Promise<StoredFile>;
  /** Undefined if the file does not exist or the key is invalid. Throws {@link FileTooLarge} without reading. */
  get(key: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Buffer | undefined>;
  /** The bytes from `start` to `end` (inclusive), to be read or destroyed by the caller; `sizeBytes` is the file size. */
  stream(key: string, range?: { start?: number; end?: number }): Promise<FileStream | undefined>;
  /**
   * Calls `read` with the path of the file, which is a temporary copy if the store is a bucket; the path may be invalid after
   * `read` returns. Undefined if the file does not exist. Do not write to it.
   */
  withPath<Result>(
    key: string,
    read: (path: string) => Promise<Result>,
    options: { signal: AbortSignal },
  ): Promise<Result | undefined>;
  /** Idempotent. */
  remove(key: string): Promise<void>;
  /** Deletes temporary files left by a crash. Returns their number. */
  cleanup(): Promise<number>;
}

export interface StoredFile extends WrittenFile {
  readonly key: string;
}

export interface FileStream {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

export function createFolderFiles({ dir }: { dir: string }): Files {
  const tempDir = join(dir, 'incoming');
  const pathOf = (key: string) => join(dir, keyToPath(key));
  const opened = async (key: string) =>
    isFileKey(key) ? open(pathOf(key)).catch(ifMissing).catch(failStorage) : undefined;
  const exists = async (key: string) => {
    const handle = await opened(key);
    await handle?.close();
    return handle !== undefined;
  };

  return {
    async put(source, { maxBytes, signal }) {
      const key = newId();
      const draft = join(tempDir, key);
      try {
        const drafted = await writeTempFile(draft, source, { maxBytes, signal, durable: true });
        await rename(draft, pathOf(key)).catch(async (error: NodeJS.ErrnoException) => {
          ifMissing(error);
          await mkdir(dirname(pathOf(key)), { recursive: true });
          await syncFolder(dir);
          await rename(draft, pathOf(key));
        });
        await syncFolder(dirname(pathOf(key)));
        return { key, ...drafted };
      } catch (error) {
        // `cleanup` deletes it if this fails.
        await unlink(draft).catch(() => {});
        throw toStorageError(error);
      }
    },

    async get(key, limits = {}) {
      const handle = await opened(key);
      if (!handle) return undefined;
      try {
        return await bytesOf(handle, limits);
      } catch (error) {
        throw toStorageError(error);
      } finally {
        await handle.close().catch(() => {});
      }
    },

    async stream(key, range = {}) {
      const handle = await opened(key);
      if (!handle) return undefined;
      const sizeBytes = await sizeOf(handle);
      const stream = new PassThrough({ destroy: (error, done) => done(error && (toStorageError(error) as Error)) });
      pipeline(handle.createReadStream(range), stream, () => {});
      return { sizeBytes, stream };
    },

    async withPath(key, read, { signal }) {
      if (!(await exists(key))) return undefined;
      try {
        return await read(pathOf(key));
      } catch (error) {
        // It may have been removed meanwhile.
        if (!signal.aborted && !(await exists(key))) return undefined;
        throw error;
      }
    },

    async remove(key) {
      if (isFileKey(key)) await unlink(pathOf(key)).catch(ifMissing).catch(failStorage);
    },

    cleanup: () => deleteStale(tempDir, STALE_UPLOAD_MS),
  };
}

function failStorage(error: unknown): never {
  throw toStorageError(error);
}

/** Reads into one buffer: concatenating chunks takes the memory twice, and memory outside the heap is freed slowly. */
async function bytesOf(
  handle: FileHandle,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: { maxBytes?: number; signal?: AbortSignal },
): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) throw new FileTooLarge(maxBytes);
  // Also reads an empty file, so that an unreadable one fails.
  const bytes = Buffer.allocUnsafeSlow(Math.max(size, 1));
  let offset = 0;
  for (let bytesRead = 1; bytesRead > 0 && offset < bytes.length; offset += bytesRead) {
    ({ bytesRead } = await handle.read(bytes, offset, Math.min(bytes.length - offset, MAX_READ_BYTES), offset));
    signal?.throwIfAborted();
  }
  return bytes.subarray(0, offset);
}

/** Bytes per read, after which the abort signal is checked. */
const MAX_READ_BYTES = 2 ** 26;

async function sizeOf(handle: FileHandle): Promise<number> {
  try {
    return (await handle.stat()).size;
  } catch (error) {
    await handle.close().catch(() => {});
    throw toStorageError(error);
  }
}
