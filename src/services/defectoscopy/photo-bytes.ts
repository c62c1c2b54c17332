import { FetchFailed } from '../../base/fetch-failed.ts';
import type { Files } from '../../base/files.ts';
import { TaskFailure } from '../../tasks/task.ts';
import { type FileSource, fetchFailure, readStoredFile } from '../shared/stored-file.ts';
import { FAILURES } from './failures.ts';
import { IMAGE_MAX_BYTES } from './url-policy.ts';

const DOWNLOAD_MS = 30_000;

/** Throws a `TaskFailure`. */
export async function readPhoto(address: string, source: FileSource, signal: AbortSignal): Promise<Buffer> {
  const url = new URL(address);
  if (url.hostname === source.filesHost) return readStored(url.pathname.slice(1), source.files, signal);
  try {
    const budgets = { totalMs: DOWNLOAD_MS };
    return (await source.fetch(url, { policy: source.policy, maxBytes: IMAGE_MAX_BYTES, budgets, signal })).body;
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    throw new TaskFailure(fetchFailure(error, FAILURES), { transient: error.transient, cause: error });
  }
}

async function readStored(key: string, files: Files, signal: AbortSignal): Promise<Buffer> {
  const bytes = await readStoredFile(files, key, { maxBytes: IMAGE_MAX_BYTES, signal });
  if (bytes === 'missing') throw new TaskFailure(FAILURES.notFound);
  if (bytes === 'too-large') throw new TaskFailure(FAILURES.tooLarge);
  return bytes;
}
