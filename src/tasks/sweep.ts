import type { Db } from '../base/db.ts';
import { isUnavailable } from '../base/db-errors.ts';
import { createTimeShare } from '../base/time-share.ts';
import type { SweepLimits, Swept } from './store.ts';
import { findDue, runSweep, type SweepRow } from './sweep-statement.ts';

/**
 * Of the time, at most, for reading all that may be due. What the last sweep has left nothing of is not read every time:
 * while a snapshot is open, PostgreSQL keeps its index entries (`queue-floors.ts`).
 */
const WHOLE_SHARE = 0.01;
const LONGEST_REST_MS = 300_000;
/** A task on which the statement fails is tried again after this long. */
const SKIP_MS = 600_000;
/** Data that does not fit, a constraint, an exception of a trigger, damaged pages: the same task fails again. */
const OF_THE_TASK = /^(22|23|P0|XX)/;
const STATEMENT_TIMEOUT = '57014';
const EVER = Number.NEGATIVE_INFINITY;

/**
 * One round of housekeeping. Sweeps of several processes do not wait for each other: each takes what no other has locked.
 * If the statement fails on a task, the tasks are swept one by one, and that task is skipped from then on.
 */
export function sweepIn(db: Db): (limits: SweepLimits) => Promise<Swept> {
  const skipped = new Map<string, number>();
  const whole = createTimeShare(WHOLE_SHARE, { leastMs: 0, mostMs: LONGEST_REST_MS });
  /** What was due by then is done, except what others had locked; all of it is read until a sweep leaves nothing. */
  let since: number | null = EVER;
  /** When a sweep left nothing for the last time. */
  let doneAt: number | null = null;
  let mostRows = Number.POSITIVE_INFINITY;

  const together = async (limits: SweepLimits): Promise<SweepRow> => {
    const rows = Math.min(limits.rows, mostRows);
    const sweep = () => runSweep(db, limits, { since, rows, without: [...skipped.keys()] });
    if (whole.isDue()) since = EVER;
    const row = await (since === EVER ? whole.spend(sweep) : sweep());
    if (row.complete) since = doneAt = row.at.getTime() / 1000;
    mostRows *= 2;
    return row;
  };

  const oneByOne = async (limits: SweepLimits): Promise<Swept> => {
    const swept: SweepRow[] = [];
    const failures: Swept['skipped'][number][] = [];
    for (const id of await findDue(db, limits)) {
      if (skipped.has(id)) continue;
      try {
        swept.push(await runSweep(db, limits, { since: EVER, rows: 1, without: [], only: id }));
      } catch (error) {
        if (!isOfTheTask(error)) throw error;
        skipped.set(id, performance.now() + SKIP_MS);
        failures.push({ id, error });
      }
    }
    return { ...add(await together(limits), swept), skipped: failures };
  };

  return async (limits) => {
    const now = performance.now();
    for (const [id, until] of skipped) if (until < now) skipped.delete(id);
    try {
      return { ...(await together(limits)), skipped: [] };
    } catch (error) {
      if (codeOf(error) === STATEMENT_TIMEOUT) {
        // There was too much to read, or to remove at once.
        since = doneAt;
        mostRows = Math.max(1, Math.floor(Math.min(limits.rows, mostRows) / 10));
      }
      if (!isOfTheTask(error)) throw error;
      return oneByOne(limits);
    }
  };
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';
const isOfTheTask = (error: unknown) => !isUnavailable(error) && OF_THE_TASK.test(codeOf(error));

/** The counts of several statements, and all else of the first. */
function add(first: SweepRow, others: readonly SweepRow[]): SweepRow {
  const all = [first, ...others];
  const total = (count: (row: SweepRow) => number) => all.reduce((sum, row) => sum + count(row), 0);
  const services = new Set(all.flatMap(({ failed }) => Object.keys(failed)));
  return {
    ...first,
    returned: total(({ returned }) => returned),
    failed: Object.fromEntries([...services].map((service) => [service, total(({ failed }) => failed[service] ?? 0)])),
    promoted: total(({ promoted }) => promoted),
    removed: total(({ removed }) => removed),
    spared: total(({ spared }) => spared),
  };
}
