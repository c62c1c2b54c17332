import { FetchFailed } from './fetch-failed.ts';

/** One clock per outgoing request: its total, the step under way, and the caller who may give up. */
export interface RequestTime {
  /** Aborts with a {@link FetchFailed} that says which of the three it was. */
  readonly signal: AbortSignal;
  /** The next thing must happen within `ms`. */
  allow(ms: number): void;
  pause(): void;
  end(): void;
}

export function startRequestTime(totalMs: number, caller: AbortSignal | undefined): RequestTime {
  const controller = new AbortController();
  const late = () => controller.abort(new FetchFailed('timeout'));
  const giveUp = () => controller.abort(new FetchFailed('aborted', { cause: caller?.reason }));
  const total = setTimeout(late, totalMs);
  let step: NodeJS.Timeout | undefined;
  if (caller?.aborted) giveUp();
  // Not AbortSignal.any: a caller's signal may live as long as the process, and must not collect what listened to it.
  caller?.addEventListener('abort', giveUp, { once: true });
  return {
    signal: controller.signal,
    allow(ms) {
      clearTimeout(step);
      step = setTimeout(late, ms);
    },
    pause() {
      clearTimeout(step);
    },
    end() {
      clearTimeout(total);
      clearTimeout(step);
      caller?.removeEventListener('abort', giveUp);
    },
  };
}
