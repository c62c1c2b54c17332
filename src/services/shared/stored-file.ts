import type { FetchFailed } from '../../base/fetch-failed.ts';
import { type Files, FileTooLarge } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { Failure } from '../../tasks/task.ts';

/** Reads a stored file. Clients name keys, so the file can have any type and size. */
export async function readStoredFile(
  files: Files,
  key: string,
  limits: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer | 'missing' | 'too-large'> {
  try {
    return (await files.get(key, limits)) ?? 'missing';
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too-large';
    throw error;
  }
}

/** Where the file of a task is read: at an allowed URL, or in the files stored here. */
export interface FileSource {
  readonly fetch: GuardedFetch;
  readonly files: Files;
  readonly policy: UrlPolicy;
  readonly filesHost: string | undefined;
}

type FetchFailures = Readonly<Record<'notFound' | 'blocked' | 'tooLarge' | 'fetchFailed', Failure>>;

/** The failure of a task whose file could not be fetched. */
export function fetchFailure({ reason, status }: FetchFailed, failures: FetchFailures): Failure {
  if (status === 404 || status === 410) return failures.notFound;
  if (reason === 'blocked_address') return failures.blocked;
  if (reason === 'too_large') return failures.tooLarge;
  return failures.fetchFailed;
}
