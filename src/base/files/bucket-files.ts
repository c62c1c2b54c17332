import { createReadStream } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Files } from '../files.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { rest } from '../loop.ts';
import { type BucketRequests, openBucket } from './bucket-requests.ts';
import type { Bucket, BucketKeys } from './bucket-url.ts';
import { checkBucket } from './check-bucket.ts';
import { FileTooLarge, removeStaleDrafts, writeDraft } from './draft.ts';
import { isFileKey, placeOf } from './key.ts';
import { listKeys } from './list-keys.ts';
import { ofDisk, StorageAway } from './storage-away.ts';
import { takeBack } from './take-back.ts';

export interface BucketFiles extends Files {
  /** An `OperatorError` where only the operator can mend it; a warning where the storage cannot be reached yet. */
  check(): Promise<void>;
  /** The keys of all files, in order. */
  keys(): AsyncIterable<string>;
  close(): Promise<void>;
}

/**
 * A file store in a bucket. What comes is first written to `draftsDir`, since a request says at its beginning how long it
 * is and what it hashes to; then it is one PUT, so that a file is there whole or not at all.
 */
export function openBucketFiles({
  bucket,
  keys,
  draftsDir,
  log,
  patienceMs,
}: {
  bucket: Bucket;
  keys: BucketKeys;
  draftsDir: string;
  log: Log;
  /** How long the storage may be silent before it counts as away. */
  patienceMs?: number;
}): BucketFiles {
  const requests = openBucket(bucket, { keys, log, patienceMs });
  const pathOf = (key: string) => bucket.prefix + placeOf(key);
  const remove = async (key: string, signal?: AbortSignal) =>
    drop(await requests.ask({ method: 'DELETE', path: pathOf(key), signal }));
  const takenBack = takeBack(remove, log);

  const files: Files = {
    async put(source, { maxBytes, signal }) {
      const key = newId();
      const draft = join(draftsDir, key);
      let sent = false;
      try {
        await mkdir(draftsDir, { recursive: true });
        const drafted = await writeDraft(draft, source, { maxBytes, signal, durable: false });
        const open = () => {
          sent = true;
          return createReadStream(draft);
        };
        const body = { ...drafted, open };
        await drop(await requests.ask({ method: 'PUT', path: pathOf(key), body, signal }));
        return { key, ...drafted };
      } catch (error) {
        // It may have arrived for all that; and who did not answer is not asked again at once.
        if (sent) await remove(key).catch(() => takenBack.add(key));
        throw ofDisk(error);
      } finally {
        // What cannot be removed now is tidied away.
        await unlink(draft).catch(() => {});
      }
    },

    async get(key, { maxBytes = Number.POSITIVE_INFINITY, signal = new AbortController().signal } = {}) {
      if (!isFileKey(key)) return undefined;
      const part = await openPart(requests, pathOf(key), {}, signal);
      if (part === undefined) return undefined;
      if (part.sizeBytes > maxBytes) {
        if (part.body) letGo(part.body);
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
      const over = new AbortController();
      const part = await openPart(requests, pathOf(key), range, over.signal);
      if (part === undefined) return undefined;
      const stream = new PassThrough();
      // Who destroys it does not wait for what the storage has yet to say.
      stream.once('close', () => over.abort());
      pipeline(piecesOf(requests, pathOf(key), part, over.signal), stream, () => {});
      return { sizeBytes: part.sizeBytes, stream };
    },

    async remove(key) {
      if (isFileKey(key)) await remove(key);
    },

    tidy: (now = Date.now()) => removeStaleDrafts(draftsDir, now),
  };

  return {
    ...files,
    check: () => checkBucket(bucket, { requests, log }),
    keys: () => listKeys(requests, bucket),
    async close() {
      await takenBack.close();
      await requests.close();
    },
  };
}

async function drop(answer: Awaited<ReturnType<BucketRequests['ask']>>): Promise<void> {
  if (typeof answer === 'object') await answer.body.dump();
}

/** The bytes from `start` to `end` of a file of `sizeBytes`. */
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
  const answer = await requests.ask({ method: 'GET', path, signal, ...(range !== undefined && { range }) });
  if (answer === 'no-such-key') return undefined;
  if (answer === 'no-such-part') {
    // Behind the last byte there is nothing, as in a folder; how long the whole is, was not said.
    const whole = await openPart(requests, path, {}, signal);
    if (whole?.body) letGo(whole.body);
    return whole && { ...whole, start, end: start - 1, body: undefined };
  }
  const { statusCode, headers, body } = answer;
  const [, from, to, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'] ?? '')) ?? [];
  if (range === undefined && statusCode === 200) {
    const sizeBytes = Number(headers['content-length'] ?? Number.NaN);
    if (Number.isInteger(sizeBytes)) return { sizeBytes, start: 0, end: sizeBytes - 1, body };
  }
  const isPart = statusCode === 206 && Number(from) === start && Number(to) <= (end ?? Number.POSITIVE_INFINITY);
  if (isPart) return { sizeBytes: Number(size), start, end: Number(to), body };
  letGo(body);
  throw new StorageAway('it does not send what was asked for, or does not say how long it is');
}

/** Destroys what nobody reads: that it was not read to its end is an error of its own, which nobody else would hear. */
function letGo(body: Readable): void {
  body.on('error', () => {}).destroy();
}

const RESUMES = 4;

/** The bytes of a part; where the connection breaks, it goes on at the byte that was missing. */
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
    if (resumes === RESUMES) throw new StorageAway('it breaks off again and again');
    await rest(50 * 2 ** resumes, signal);
    body = (await openPart(requests, path, { start, end: part.end }, signal))?.body;
  }
  if (start <= part.end) throw new StorageAway('the file was removed while it was read');
}
