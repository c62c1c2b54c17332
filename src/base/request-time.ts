import { FetchFailed } from './fetch-failed.ts';

/** Limits an outgoing request by its total time, the time of each step, and the caller's signal. */
export interface RequestTime {
  /** Aborts with a {@link FetchFailed} (`timeout` or `aborted`). */
  readonly signal: AbortSignal;
  allow(ms: number): void;
  pause(): void;
  end(): void;
}

export function startRequestTime(totalMs: number, caller: AbortSignal | undefined): RequestTime {
  const controller = new AbortController();
  const expire = () => controller.abort(new FetchFailed('timeout'));
  const abort = () => controller.abort(new FetchFailed('aborted', { cause: caller?.reason }));
  const total = setTimeout(expire, totalMs);
  let step: NodeJS.Timeout | undefined;
  if (caller?.aborted) abort();
  // Not AbortSignal.any: the caller's signal may live as long as the process and would accumulate listeners.
  caller?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    allow(ms) {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    pause() {
      clearTimeout(step);
    },
    end() {
      clearTimeout(total);
      clearTimeout(step);
      caller?.removeEventListener('abort', abort);
    },
  };
}
