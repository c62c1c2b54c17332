import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FetchFailed } from '../../../base/fetch-failed.ts';
import { TaskFailure } from '../../../tasks/task.ts';
import { type FileSource, fetchFailure } from '../../shared/stored-file.ts';
import { FAILURES } from '../failures.ts';
import { AUDIO_MAX_BYTES } from '../url-policy.ts';

const BUDGETS = { totalMs: 300_000, idleMs: 15_000 };

/** Throws a `TaskFailure`. */
export async function fetchRecording(
  address: string,
  path: string,
  source: FileSource,
  signal: AbortSignal,
): Promise<void> {
  try {
    await write(new URL(address), path, source, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TaskFailure) throw error;
    const failure = error instanceof FetchFailed ? fetchFailure(error, FAILURES) : FAILURES.fetchFailed;
    // Other errors are local, for example a full disk, and may be transient.
    const transient = error instanceof FetchFailed ? error.transient : true;
    throw new TaskFailure(failure, { transient, cause: error });
  }
  if ((await stat(path)).size === 0) throw new TaskFailure(FAILURES.corrupt);
}

async function write(url: URL, path: string, source: FileSource, signal: AbortSignal): Promise<void> {
  const file = () => createWriteStream(path, { flags: 'wx', mode: 0o600 });
  if (url.hostname === source.filesHost) {
    const stored = await source.files.stream(url.pathname.slice(1));
    if (!stored) throw new TaskFailure(FAILURES.notFound);
    await pipeline(stored.stream, file(), { signal });
    return;
  }
  await source.fetch(url, {
    policy: source.policy,
    maxBytes: AUDIO_MAX_BYTES,
    budgets: BUDGETS,
    signal,
    into: (pieces) => pipeline(pieces, file(), { signal }),
  });
}
