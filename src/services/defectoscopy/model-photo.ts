import { FetchFailed } from '../../base/fetch-failed.ts';
import type { Files } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { decodePhoto, type Photo, type PhotoProblem, PhotoRefused } from '../../ml/image.ts';
import { type Failure, TaskFailure } from '../../tasks/task.ts';
import { FAILURES } from './failures.ts';
import { IMAGE_MAX_BYTES } from './image-policy.ts';

const DOWNLOAD_MS = 30_000;

export interface PhotoSource {
  readonly fetch: GuardedFetch;
  readonly files: Files;
  readonly policy: UrlPolicy;
  /** The host of URLs that name files of our own. */
  readonly filesHost: string | undefined;
}

/** The photo behind a URL, squashed to `size`; throws a `TaskFailure` when there is none to be had. */
export async function openPhoto(
  url: string,
  size: { width: number; height: number },
  source: PhotoSource,
  signal: AbortSignal,
): Promise<Photo> {
  const bytes = await readBytes(url, source, signal);
  signal.throwIfAborted();
  // Decoding cannot always be stopped, only left (it ends by its own limits): an attempt that goes on counts as stuck.
  const left = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([decodePhoto(bytes, size, signal).catch(failDecoding), left]);
}

async function readBytes(address: string, source: PhotoSource, signal: AbortSignal): Promise<Buffer> {
  const url = new URL(address);
  if (url.hostname === source.filesHost) return readStored(url.pathname.slice(1), source.files, signal);
  try {
    const budgets = { totalMs: DOWNLOAD_MS };
    return (await source.fetch(url, { policy: source.policy, maxBytes: IMAGE_MAX_BYTES, budgets, signal })).body;
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    throw new TaskFailure(fetchFailure(error), { transient: error.transient, cause: error });
  }
}

/** A file of our own may belong to another service, and be too large to be held: its size is asked first. */
async function readStored(key: string, files: Files, signal: AbortSignal): Promise<Buffer> {
  const file = await files.stream(key);
  if (!file) throw new TaskFailure(FAILURES.notFound);
  if (file.sizeBytes > IMAGE_MAX_BYTES) {
    file.stream.destroy();
    throw new TaskFailure(FAILURES.tooLarge);
  }
  const pieces: Buffer[] = [];
  for await (const piece of file.stream) {
    pieces.push(piece as Buffer);
    signal.throwIfAborted();
  }
  return Buffer.concat(pieces);
}

function fetchFailure({ reason, status }: FetchFailed): Failure {
  if (status === 404 || status === 410) return FAILURES.notFound;
  if (reason === 'blocked_address') return FAILURES.blocked;
  if (reason === 'too_large') return FAILURES.tooLarge;
  return FAILURES.fetchFailed;
}

function failDecoding(error: unknown): never {
  if (!(error instanceof PhotoRefused)) throw error;
  throw new TaskFailure(DECODING[error.problem], { cause: error });
}

const DECODING: Record<PhotoProblem, Failure> = {
  unsupported: FAILURES.unsupported,
  no_hevc: FAILURES.noHevc,
  corrupt: FAILURES.corrupt,
  too_large: FAILURES.tooLarge,
  too_slow: FAILURES.decodingTooSlow,
};
