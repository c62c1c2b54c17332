import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { pipeline as copy } from 'node:stream/promises';
import { deleteStale } from '../file-system.ts';
import type { Files } from '../files.ts';
import { newId } from '../ids.ts';
import { sleep } from '../loop.ts';
import { type BucketOptions, type BucketRequests, openBucketRequests } from './bucket-requests.ts';
import type { Bucket } from './bucket-url.ts';
import { checkBucket } from './check-bucket.ts';
import { isFileKey, keyToPath } from './file-key.ts';
import { listKeys } from './list-keys.ts';
import { createOrphanCleanup } from './orphan-cleanup.ts';
import { StorageUnavailable, toStorageError } from './storage-unavailable.ts';
import { MARKER, type StoredKeys } from './stored-keys.ts';
import { FileTooLarge, STALE_UPLOAD_MS, writeTempFile } from './temp-file.ts';

/** The keys are sorted. */
export interface BucketFiles extends Files, StoredKeys {
  /** Throws an `OperatorError` for a wrong configuration; logs a warning if the storage is unreachable. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file store in a bucket. Uploads are first written to `tempDir`, because a request starts with its length and hash, and
 * then sent as one atomic PUT. Copies for `withPath` are there, too.
 */
export function openBucketFiles(
  bucket: Bucket,
  { tempDir, ...options }: { tempDir: string } & BucketOptions,
): BucketFiles {
  const { log } = options;
  const requests = openBucketRequests(bucket, options);
  const pathOf = (key: string) => bucket.prefix + keyToPath(key);
  const remove = async (key: string, signal?: AbortSignal) =>
    discard(await requests.send({ method: 'DELETE', path: pathOf(key), signal }));
  const cleanup = createOrphanCleanup(remove, log);

  const files: Files = {
    async put(source, { maxBytes, signal }) {
      const key = newId();
      const draft = join(tempDir, key);
      let sent = false;
      try {
        const drafted = await writeTempFile(draft, source, { maxBytes, signal, durable: false });
        const open = () => {
          sent = true;
          return createReadStream(draft);
        };
        const body = { ...drafted, open };
        await discard(await requests.send({ method: 'PUT', path: pathOf(key), body, signal }));
        return { key, ...drafted };
      } catch (error) {
        // The upload may have arrived anyway. The cleanup retries later.
        if (sent) await remove(key).catch(() => cleanup.add(key));
        throw toStorageError(error);
      } finally {
        // The store's `cleanup` deletes it if this fails.
        await unlink(draft).catch(() => {});
      }
    },

    async get(key, { maxBytes = Number.POSITIVE_INFINITY, signal = new AbortController().signal } = {}) {
      if (!isFileKey(key)) return undefined;
      const part = await openPart(requests, pathOf(key), {}, signal);
      if (part === undefined) return undefined;
      if (part.sizeBytes > maxBytes) {
        if (part.body) destroyBody(part.body);
        throw new FileTooLarge(maxBytes);
      }
      const bytes = Buffer.allocUnsafeSlow(part.sizeBytes);
      let at = 0;
      for await (const piece of piecesOf(requests, pathOf(key), part, signal)) at += piece.copy(bytes, at);
      signal.throwIfAborted();
      return bytes;
    },

    async stream(key, range = {}) {
      if (!isFileKey(key)) return undefined;
      const closed = new AbortController();
      const part = await openPart(requests, pathOf(key), range, closed.signal);
      if (part === undefined) return undefined;
      const stream = new PassThrough();
      stream.once('close', () => closed.abort());
      pipeline(piecesOf(requests, pathOf(key), part, closed.signal), stream, () => {});
      return { sizeBytes: part.sizeBytes, stream };
    },

    async withPath(key, read, { signal }) {
      const path = join(tempDir, newId());
      try {
        await mkdir(tempDir, { recursive: true });
        const stored = await files.stream(key);
        if (!stored) return undefined;
        await copy(stored.stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
      } catch (error) {
        await unlink(path).catch(() => {});
        signal.throwIfAborted();
        throw toStorageError(error);
      }
      return read(path).finally(() => unlink(path).catch(() => {}));
    },

    async remove(key) {
      if (isFileKey(key)) await remove(key);
    },

    cleanup: () => deleteStale(tempDir, STALE_UPLOAD_MS),
  };

  return {
    ...files,
    check: () => checkBucket(bucket, { requests, log }),
    keys: (folder) => listKeys(requests, bucket, folder),
    async readMarker() {
      const response = await requests.send({ method: 'GET', path: bucket.prefix + MARKER });
      return typeof response === 'string' ? undefined : response.body.text();
    },
    async writeMarker(text) {
      const sha256 = createHash('sha256').update(text).digest('hex');
      const body = { sizeBytes: Buffer.byteLength(text), sha256, open: () => Readable.from([Buffer.from(text)]) };
      await discard(await requests.send({ method: 'PUT', path: bucket.prefix + MARKER, body }));
    },
    async close() {
      await cleanup.close();
      await requests.close();
    },
  };
}

async function discard(response: Awaited<ReturnType<BucketRequests['send']>>): Promise<void> {
  if (typeof response === 'object') await response.body.dump();
}

interface Part {
  readonly sizeBytes: number;
  readonly start: number;
  readonly end: number;
  readonly body: Readable | undefined;
}

async function openPart(
  requests: BucketRequests,
  path: string,
  { start = 0, end }: { start?: number; end?: number },
  signal: AbortSignal,
): Promise<Part | undefined> {
  const range = start === 0 && end === undefined ? undefined : `bytes=${start}-${end ?? ''}`;
  const response = await requests.send({ method: 'GET', path, signal, ...(range !== undefined && { range }) });
  if (response === 'no-such-key') return undefined;
  if (response === 'no-such-part') {
    // An empty part behind the last byte, as in a folder. Another request returns the size of the file.
    const whole = await openPart(requests, path, {}, signal);
    if (whole?.body) destroyBody(whole.body);
    return whole && { ...whole, start, end: start - 1, body: undefined };
  }
  const { statusCode, headers, body } = response;
  const [, from, to, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'] ?? '')) ?? [];
  if (range === undefined && statusCode === 200) {
    const sizeBytes = Number(headers['content-length'] ?? Number.NaN);
    if (Number.isInteger(sizeBytes)) return { sizeBytes, start: 0, end: sizeBytes - 1, body };
  }
  const isPart = statusCode === 206 && Number(from) === start && Number(to) <= (end ?? Number.POSITIVE_INFINITY);
  if (isPart) return { sizeBytes: Number(size), start, end: Number(to), body };
  destroyBody(body);
  throw new StorageUnavailable('its response has a wrong range or no length');
}

/** Destroys an unread body and ignores the error that this causes. */
function destroyBody(body: Readable): void {
  body.on('error', () => {}).destroy();
}

const MAX_RESUMES = 4;

/** The bytes of a part; resumes at the next byte if the connection breaks. */
async function* piecesOf(
  requests: BucketRequests,
  path: string,
  part: Part,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let { start, body } = part;
  for (let resumes = 0; body !== undefined; resumes++) {
    try {
      for await (const piece of body as AsyncIterable<Buffer>) {
        start += piece.length;
        yield piece;
      }
    } catch {
      signal.throwIfAborted();
    }
    if (start > part.end) return;
    if (resumes === MAX_RESUMES) throw new StorageUnavailable('its connection breaks repeatedly');
    await sleep(50 * 2 ** resumes, signal);
    body = (await openPart(requests, path, { start, end: part.end }, signal))?.body;
  }
  if (start <= part.end) throw new StorageUnavailable('the file was removed while it was read');
}
