import type { JsonValue } from '../../../base/json.ts';

const MS_PER_PAGE = 20_000;

/** Limits the time of a document, over all attempts. `workedMs` is the time of earlier ones. */
export function startWorkTimer(job: AbortSignal, { limitMs, workedMs }: { limitMs: number; workedMs: number }) {
  const startedAt = performance.now();
  const expired = new AbortController();
  const elapsedMs = () => workedMs + performance.now() - startedAt;
  const expire = () => expired.abort(new Error('The time limit of the document has expired.'));
  let timer: NodeJS.Timeout | undefined;
  const limit = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, Math.max(0, ms - elapsedMs()));
  };
  limit(limitMs);
  return {
    signal: AbortSignal.any([job, expired.signal]),
    get isExpired() {
      return expired.signal.aborted && !job.aborted;
    },
    /** Raises the limit to at least 20 s per page. */
    extend: (pages: number) => limit(maxWorkTimeMs(limitMs, pages)),
    /** In milliseconds, including earlier attempts. */
    elapsedMs,
    stop: () => clearTimeout(timer),
  };
}

export const maxWorkTimeMs = (limitMs: number, pages: number): number => Math.max(limitMs, pages * MS_PER_PAGE);

/** The time of earlier attempts. */
export const readElapsedMs = (checkpoint: JsonValue | undefined): number => {
  const worked = (checkpoint as { worked_ms?: unknown } | null | undefined)?.worked_ms;
  return typeof worked === 'number' && worked > 0 ? worked : 0;
};
