import { type FileHandle, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { type Drafted, ifMissing, removeStaleDrafts, writeDraft } from './files/draft.ts';
import { isFileKey, placeOf } from './files/key.ts';
import { ofDisk } from './files/storage-away.ts';
import { newId } from './ids.ts';

export { FileTooLarge } from './files/draft.ts';

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
  /** All bytes, or undefined when there is no such file (or no such key could ever be). */
  get(key: string): Promise<Buffer | undefined>;
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

    async get(key) {
      return isFileKey(key) ? readFile(place(key)).catch(ifMissing).catch(failed) : undefined;
    },

    async stream(key, range = {}) {
      const handle = isFileKey(key) ? await open(place(key)).catch(ifMissing).catch(failed) : undefined;
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
