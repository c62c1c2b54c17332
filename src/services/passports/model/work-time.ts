import type { JsonValue } from '../../../base/json.ts';

const MS_PER_PAGE = 20_000;

/** The time that a document may be worked on, over all its attempts. */
export interface WorkTime {
  /** Ends when the job's does, or when the time is up; then `isUp`. */
  readonly signal: AbortSignal;
  readonly isUp: boolean;
  /** Grants at least 20 seconds a page. */
  grant(pages: number): void;
  /** Milliseconds worked so far, earlier attempts included. */
  worked(): number;
  stop(): void;
}

/** Begins to count; `workedMs` is what earlier attempts have taken. */
export function countWorkTime(
  job: AbortSignal,
  { limitMs, workedMs }: { limitMs: number; workedMs: number },
): WorkTime {
  const begun = performance.now();
  const over = new AbortController();
  const worked = () => workedMs + performance.now() - begun;
  const up = () => over.abort(new Error('The time for this document is up.'));
  let timer: NodeJS.Timeout | undefined;
  const limit = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(up, Math.max(0, ms - worked()));
  };
  limit(limitMs);
  return {
    signal: AbortSignal.any([job, over.signal]),
    get isUp() {
      return over.signal.aborted && !job.aborted;
    },
    grant: (pages) => limit(Math.max(limitMs, pages * MS_PER_PAGE)),
    worked,
    stop: () => clearTimeout(timer),
  };
}

/** The longest that any document of up to `pages` pages may take. */
export const longestMs = (limitMs: number, pages: number): number => Math.max(limitMs, pages * MS_PER_PAGE);

/** What a successor finds in the checkpoint of a lost attempt. */
export const workedBefore = (checkpoint: JsonValue | undefined): number => {
  const worked = (checkpoint as { worked_ms?: unknown } | null | undefined)?.worked_ms;
  return typeof worked === 'number' && worked > 0 ? worked : 0;
};
