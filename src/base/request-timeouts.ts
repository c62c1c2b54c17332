import { FetchFailed } from './fetch-failed.ts';

/** Limits an outgoing request by its total time, the time of each step, and the caller's signal. */
export interface RequestTimeouts {
  /** Aborts with a {@link FetchFailed} (`timeout` or `aborted`). */
  readonly signal: AbortSignal;
  startStep(ms: number): void;
  endStep(): void;
  end(): void;
}

export function startRequestTimeouts(totalMs: number, caller: AbortSignal | undefined): RequestTimeouts {
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
    startStep(ms) {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    endStep() {
      clearTimeout(step);
    },
    end() {
      clearTimeout(total);
      clearTimeout(step);
      caller?.removeEventListener('abort', abort);
    },
  };
}
