import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FetchFailed } from '../../base/fetch-failed.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { rest } from '../../base/loop.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { fileSha256 } from './installed.ts';

export interface Wanted {
  readonly url: string;
  readonly path: string;
  /** What the file must be; absent where nobody has said. */
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
}

export interface DownloadNeeds {
  readonly fetch: GuardedFetch;
  readonly policy: UrlPolicy;
  readonly signal: AbortSignal;
  /** Bytes of this file that lie here, now and then. */
  readonly progress: (bytes: number) => void;
  /** Rests between tries; a test has no time for them. */
  readonly restMs?: number;
}

/** The bytes that came are not those that were wanted; they are gone again. */
export class WrongBytes extends Error {
  override readonly name = 'WrongBytes';
}

/**
 * Brings a file and answers its SHA-256. What a broken connection left behind in `path.part` is gone on with, there and
 * then (some times) or at the next call; the file gets its name when it is whole and its hash is right. Throws
 * `FetchFailed`, `WrongBytes`, or the signal's reason.
 */
export async function download(wanted: Wanted, needs: DownloadNeeds): Promise<string> {
  const part = `${wanted.path}.part`;
  await mkdir(dirname(wanted.path), { recursive: true });
  await untilWhole(wanted, part, needs);
  const sha256 = await fileSha256(part);
  if (wanted.sha256 !== undefined && sha256 !== wanted.sha256) {
    await rm(part);
    throw new WrongBytes(`${wanted.url} is not what was expected: its SHA-256 is ${sha256}, not ${wanted.sha256}.`);
  }
  await rename(part, wanted.path);
  return sha256;
}

const MOST_TRIES = 4;
/** Above the largest model that anybody would run here. */
const MOST_BYTES = 16 * 2 ** 30;
const BUDGETS = { headersMs: 30_000, idleMs: 60_000, totalMs: 24 * 3_600_000 };

/** Goes on until nothing is missing; gives up after some tries in a row that brought nothing. */
async function untilWhole(wanted: Wanted, part: string, needs: DownloadNeeds): Promise<void> {
  const { restMs = 1_000, signal } = needs;
  for (let fruitless = 0; ; ) {
    const had = await sizeOf(part);
    if (had > 0 && had === wanted.bytes) return;
    try {
      await bring(wanted, part, had, needs);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchFailed)) throw error;
      if (error.status === 416 && had > 0) {
        // Nothing comes after what is here: it is whole, which its hash will tell; or it is not its beginning.
        if (wanted.sha256 !== undefined && (await fileSha256(part)) === wanted.sha256) return;
        await rm(part);
      } else if (!error.transient) throw error;
      fruitless = (await sizeOf(part)) > had ? 0 : fruitless + 1;
      if (fruitless === MOST_TRIES) throw error;
      await rest(restMs * 2 ** fruitless, signal);
      signal.throwIfAborted();
    }
  }
}

async function bring(wanted: Wanted, part: string, had: number, needs: DownloadNeeds): Promise<void> {
  const { fetch, policy, signal, progress } = needs;
  await fetch(wanted.url, {
    policy,
    signal,
    ...(had > 0 && { headers: { range: `bytes=${had}-` } }),
    maxBytes: wanted.bytes ?? MOST_BYTES,
    budgets: BUDGETS,
    async into(pieces, status) {
      // A server that knows no parts sends the whole again.
      let at = status === 206 ? had : 0;
      const file = await open(part, at > 0 ? 'a' : 'w');
      try {
        for await (const piece of pieces) {
          await file.write(piece);
          at += piece.length;
          progress(at);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      // A body without a length that just ends looks whole; where the size is known, it is not.
      if (wanted.bytes !== undefined && at < wanted.bytes) throw new FetchFailed('connect_error');
    },
  });
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
