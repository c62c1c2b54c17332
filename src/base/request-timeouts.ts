import { FetchFailed } from './fetch-failed.ts';

export type RequestTimeouts = ReturnType<typeof startRequestTimeouts>;

/** Limits an outgoing request by its total time, the time of each step, and the caller's signal. */
export function startRequestTimeouts(totalMs: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const expire = () => controller.abort(new FetchFailed('timeout'));
  const abort = () => controller.abort(new FetchFailed('aborted', { cause: caller?.reason }));
  const total = setTimeout(expire, totalMs);
  let step: NodeJS.Timeout | undefined;
  if (caller?.aborted) abort();
  // Not AbortSignal.any: the caller's signal may live as long as the process and would accumulate listeners.
  caller?.addEventListener('abort', abort, { once: true });
  return {
    /** Aborts with a {@link FetchFailed} (`timeout` or `aborted`). */
    signal: controller.signal,
    startStep(ms: number): void {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    endStep(): void {
      clearTimeout(step);
    },
    end(): void {
      clearTimeout(total);
      clearTimeout(step);
      caller?.removeEventListener('abort', abort);
    },
  };
}
