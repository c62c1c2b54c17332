import { type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { type Drafted, FileTooLarge, ifMissing, removeStaleDrafts, writeDraft } from './files/draft.ts';
import { isFileKey, placeOf } from './files/key.ts';
import { ofDisk } from './files/storage-away.ts';
import { newId } from './ids.ts';

export { FileTooLarge };

/**
 * Where uploaded bytes lie. A key is an id that nobody guesses; what was put under it never changes. Kept small, so
 * that an object storage can make the same promises: files.contract.ts holds both to them. Where a disk or a storage fails,
 * each of them is `StorageAway`.
 */
export interface Files {
  /**
   * Keeps the bytes of `source`; when it resolves they are on disk, when it throws nothing is left of them. More than
   * `maxBytes` is {@link FileTooLarge}; the source is then left to its owner, who may still have to answer on it.
   */
  put(source: Buffer | AsyncIterable<Buffer>, options: { maxBytes: number; signal?: AbortSignal }): Promise<StoredFile>;
  /**
   * All bytes, in one piece of memory, or undefined when there is no such file (or no such key could ever be). A file of
   * more than `maxBytes` is {@link FileTooLarge}, and is not read.
   */
  get(key: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Buffer | undefined>;
  /**
   * The bytes from `start` to `end` (inclusive), to be read or destroyed by the caller; `sizeBytes` is that of the whole
   * file.
   */
  stream(key: string, range?: { start?: number; end?: number }): Promise<FileStream | undefined>;
  /** Afterwards there is no such file; that there was none is no error. */
  remove(key: string): Promise<void>;
  /** Removes what uploads cut off by a crash have left behind, and says how many. */
  tidy(now?: number): Promise<number>;
}

export interface StoredFile extends Drafted {
  readonly key: string;
}

export interface FileStream {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

/** A file store in the folder `dir`. */
export function openFiles({ dir }: { dir: string }): Files {
  const drafts = join(dir, 'incoming');
  const place = (key: string) => join(dir, placeOf(key));
  const opened = async (key: string) => (isFileKey(key) ? open(place(key)).catch(ifMissing).catch(failed) : undefined);

  return {
    async put(source, { maxBytes, signal }) {
      const key = newId();
      const draft = join(drafts, key);
      try {
        await mkdir(drafts, { recursive: true });
        await mkdir(dirname(place(key)), { recursive: true });
        const drafted = await writeDraft(draft, source, { maxBytes, signal, durable: true });
        await rename(draft, place(key));
        await syncFolder(dirname(place(key)));
        return { key, ...drafted };
      } catch (error) {
        // What cannot be removed now is tidied away.
        await unlink(draft).catch(() => {});
        throw ofDisk(error);
      }
    },

    async get(key, limits = {}) {
      const handle = await opened(key);
      if (!handle) return undefined;
      try {
        return await bytesOf(handle, limits);
      } catch (error) {
        throw ofDisk(error);
      } finally {
        await handle.close().catch(() => {});
      }
    },

    async stream(key, range = {}) {
      const handle = await opened(key);
      if (!handle) return undefined;
      const sizeBytes = await sizeOf(handle);
      const stream = new PassThrough({ destroy: (error, done) => done(error && (ofDisk(error) as Error)) });
      pipeline(handle.createReadStream(range), stream, () => {});
      return { sizeBytes, stream };
    },

    async remove(key) {
      if (isFileKey(key)) await unlink(place(key)).catch(ifMissing).catch(failed);
    },

    tidy: (now = Date.now()) => removeStaleDrafts(drafts, now),
  };
}

function failed(error: unknown): never {
  throw ofDisk(error);
}

/**
 * All of a file, read into the place where it stays: pieces that are put together afterwards take the memory twice, and
 * memory outside the heap is slow to be given back.
 */
async function bytesOf(
  handle: FileHandle,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: { maxBytes?: number; signal?: AbortSignal },
): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) throw new FileTooLarge(maxBytes);
  // An empty file is read like any other: that it cannot be is not seen before.
  const bytes = Buffer.allocUnsafeSlow(Math.max(size, 1));
  let at = 0;
  for (let bytesRead = 1; bytesRead > 0 && at < bytes.length; at += bytesRead) {
    ({ bytesRead } = await handle.read(bytes, at, Math.min(bytes.length - at, MAX_READ_BYTES), at));
    signal?.throwIfAborted();
  }
  return bytes.subarray(0, at);
}

/** So much is read before it is asked again whether anybody still wants it. */
const MAX_READ_BYTES = 2 ** 26;

async function sizeOf(handle: FileHandle): Promise<number> {
  try {
    return (await handle.stat()).size;
  } catch (error) {
    await handle.close().catch(() => {});
    throw ofDisk(error);
  }
}

/** A rename is kept over a power cut only when its folder is synced as well; where folders cannot be, nothing is lost. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder);
    await handle.sync();
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  } finally {
    await handle?.close();
  }
}
