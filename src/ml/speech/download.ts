import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FetchFailed } from '../../base/fetch-failed.ts';
import { ifMissing } from '../../base/file-system.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { sleep } from '../../base/loop.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { fileSha256 } from './installed-models.ts';

export interface RemoteFile {
  readonly url: string;
  readonly path: string;
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
}

export interface DownloadDeps {
  readonly fetch: GuardedFetch;
  readonly policy: UrlPolicy;
  readonly signal: AbortSignal;
  readonly progress: (bytes: number) => void;
  /** Delay before the first retry; doubles per retry. */
  readonly retryDelayMs?: number;
}

/** The downloaded file does not match its SHA-256 and was deleted. */
export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch';
}

/**
 * Downloads a file and returns its SHA-256. Resumes from `path.part` after a broken connection; renames it when
 * complete and verified. Throws `FetchFailed`, `ChecksumMismatch` or the signal's reason.
 */
export async function download(wanted: RemoteFile, deps: DownloadDeps): Promise<string> {
  const part = `${wanted.path}.part`;
  await mkdir(dirname(wanted.path), { recursive: true });
  await downloadWithRetries(wanted, part, deps);
  await rm(etagFile(part), { force: true });
  const sha256 = await fileSha256(part);
  if (wanted.sha256 !== undefined && sha256 !== wanted.sha256) {
    await rm(part);
    throw new ChecksumMismatch(`${wanted.url} does not match: its SHA-256 is ${sha256}, not ${wanted.sha256}.`);
  }
  await rename(part, wanted.path);
  return sha256;
}

const MAX_FAILED_TRIES = 4;
const MAX_BYTES = 16 * 2 ** 30;
const BUDGETS = { headersMs: 30_000, idleMs: 60_000, totalMs: 24 * 3_600_000 };

async function downloadWithRetries(wanted: RemoteFile, part: string, deps: DownloadDeps): Promise<void> {
  const { retryDelayMs = 1_000, signal } = deps;
  // Servers without range support send the whole file at each try.
  let mostBytes = 0;
  for (let failures = 0; ; ) {
    const existingBytes = await fileSize(part);
    mostBytes = Math.max(mostBytes, existingBytes);
    if (existingBytes > 0 && existingBytes === wanted.bytes) return;
    try {
      await fetchRest(wanted, part, existingBytes, deps);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchFailed)) throw error;
      if (error.status === 416 && existingBytes > 0) {
        // No bytes follow: the partial file is either complete or corrupt.
        if (wanted.sha256 !== undefined && (await fileSha256(part)) === wanted.sha256) return;
        await rm(part);
      } else if (!error.transient) throw error;
      failures = (await fileSize(part)) > mostBytes ? 0 : failures + 1;
      if (failures === MAX_FAILED_TRIES) throw error;
      await sleep(retryDelayMs * 2 ** failures, signal);
      signal.throwIfAborted();
    }
  }
}

async function fetchRest(wanted: RemoteFile, part: string, existingBytes: number, deps: DownloadDeps): Promise<void> {
  const { fetch, policy, signal, progress } = deps;
  // A known hash detects parts of two versions.
  const etag = wanted.sha256 === undefined ? await readFile(etagFile(part), 'utf8').catch(ifMissing) : undefined;
  const from = etag || wanted.sha256 !== undefined ? existingBytes : 0;
  await fetch(wanted.url, {
    policy,
    signal,
    ...(from > 0 && { headers: { range: `bytes=${from}-`, ...(etag && { 'if-range': etag }) } }),
    maxBytes: wanted.bytes ?? MAX_BYTES,
    budgets: BUDGETS,
    async into(pieces, status, headers) {
      const current = strongEtag(headers['etag']);
      if (status === 206 && etag && current && current !== etag) {
        // The server ignores `If-Range`.
        await rm(part);
        throw new FetchFailed('connect_error');
      }
      let at = status === 206 ? from : 0;
      const file = await open(part, at > 0 ? 'a' : 'w');
      try {
        if (at === 0) await writeFile(etagFile(part), current);
        for await (const piece of pieces) {
          // `write` may write only a part.
          await file.appendFile(piece);
          at += piece.length;
          progress(at);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      // Without Content-Length a truncated body looks complete.
      if (wanted.bytes !== undefined && at < wanted.bytes) throw new FetchFailed('connect_error');
    },
  });
}

const etagFile = (part: string): string => `${part}.etag`;

/** Empty for a weak ETag, which `If-Range` may not contain. */
const strongEtag = (header: string | string[] | undefined): string =>
  typeof header === 'string' && header.startsWith('"') ? header : '';

const fileSize = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
