import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { newId } from './ids.ts';

/**
 * Where uploaded bytes lie. A key is an id that nobody guesses; what was put under it never changes. Kept small, so
 * that an object storage can make the same promises.
 */
export interface Files {
  /**
   * Keeps the bytes of `source`; when it resolves they are on disk, when it throws nothing is left of them. More than
   * `maxBytes` is {@link FileTooLarge}; the source is then left to its owner, who may still have to answer on it.
   */
  put(source: Buffer | AsyncIterable<Buffer>, options: { maxBytes: number; signal?: AbortSignal }): Promise<StoredFile>;
  /** All bytes, or undefined when there is no such file (or no such key could ever be). */
  get(key: string): Promise<Buffer | undefined>;
  /** The bytes from `start` to `end` (inclusive), to be read or destroyed by the caller. */
  stream(key: string, range?: { start?: number; end?: number }): Promise<FileStream | undefined>;
  /** Afterwards there is no such file; that there was none is no error. */
  remove(key: string): Promise<void>;
  /** Removes what uploads cut off by a crash have left behind, and says how many. */
  tidy(now?: number): Promise<number>;
}

export interface StoredFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The first 16 KiB, to tell what the file is. */
  readonly head: Buffer;
}

export interface FileStream {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/** A file store in the folder `dir`. */
export function openFiles({ dir }: { dir: string }): Files {
  const drafts = join(dir, 'incoming');
  // An id begins with its time; its end is random, so that is what spreads the files evenly over 1024 folders.
  const place = (key: string) => join(dir, key.slice(-2), key);

  return {
    async put(source, { maxBytes, signal }) {
      const key = newId();
      const draft = join(drafts, key);
      await mkdir(drafts, { recursive: true });
      await mkdir(dirname(place(key)), { recursive: true });
      try {
        const stored = await write(draft, piecesOf(source, signal), { maxBytes, signal });
        await rename(draft, place(key));
        await syncFolder(dirname(place(key)));
        return { key, ...stored };
      } catch (error) {
        await unlink(draft).catch(ifMissing);
        throw error;
      }
    },

    async get(key) {
      return isKey(key) ? readFile(place(key)).catch(ifMissing) : undefined;
    },

    async stream(key, range = {}) {
      const handle = isKey(key) ? await open(place(key)).catch(ifMissing) : undefined;
      if (!handle) return undefined;
      return { sizeBytes: (await handle.stat()).size, stream: handle.createReadStream(range) };
    },

    async remove(key) {
      if (isKey(key)) await unlink(place(key)).catch(ifMissing);
    },

    async tidy(now = Date.now()) {
      let removed = 0;
      for (const name of (await readdir(drafts).catch(ifMissing)) ?? []) {
        const draft = join(drafts, name);
        // An upload that still runs has just written; one that has not for an hour belongs to a process that died.
        const { mtimeMs } = (await stat(draft).catch(ifMissing)) ?? { mtimeMs: now };
        if (now - mtimeMs < STALE_MS) continue;
        await unlink(draft).catch(ifMissing);
        removed++;
      }
      return removed;
    },
  };
}

const HEAD_BYTES = 16_384;
const STALE_MS = 3_600_000;

const isKey = (key: string) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(key);

function piecesOf(source: Buffer | AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncIterable<Buffer> {
  if (Buffer.isBuffer(source)) return Readable.from([source]);
  if (!(source instanceof Readable)) return source;
  if (signal) addAbortSignal(signal, source);
  return source.iterator({ destroyOnReturn: false });
}

async function write(
  file: string,
  pieces: AsyncIterable<Buffer>,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal | undefined },
): Promise<Omit<StoredFile, 'key'>> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let sizeBytes = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      if (sizeBytes + piece.length > maxBytes) throw new FileTooLarge(maxBytes);
      if (sizeBytes < HEAD_BYTES) head.push(piece.subarray(0, HEAD_BYTES - sizeBytes));
      sizeBytes += piece.length;
      hash.update(piece);
      await handle.writeFile(piece);
    }
    signal?.throwIfAborted();
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex'), head: Buffer.concat(head) };
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

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
