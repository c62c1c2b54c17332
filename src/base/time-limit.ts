import { setMaxListeners } from 'node:events';

/**
 * Runs `run` with a signal that aborts with a `TimeoutError` after `ms` milliseconds, or with the reason of `signal`.
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 collects a timeout signal that only another signal refers to, and
 * the limit then never ends.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  run: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const limited = new AbortController();
  const abort = () => limited.abort(signal!.reason);
  const timer = setTimeout(() => limited.abort(new DOMException('The time limit is over.', 'TimeoutError')), ms);
  if (signal) setMaxListeners(0, signal); // of everything that it limits at the same time
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await run(limited.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
