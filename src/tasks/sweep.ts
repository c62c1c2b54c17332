import type { Db } from '../base/db.ts';
import { isRowError, isStatementTimeout } from '../base/db-errors.ts';
import { createTimeShare } from '../base/time-share.ts';
import type { SweepLimits, SweepResult } from './store.ts';
import { findDueTasks, runSweep, type SweepRow } from './sweep-statement.ts';

/**
 * Maximum share of the time for full scans. Other sweeps start where the last complete one ended, because PostgreSQL keeps
 * old index entries while a snapshot is open (`queue-floors.ts`).
 */
const FULL_SCAN_SHARE = 0.01;
const MAX_REST_MS = 300_000;
/** A task on which the statement failed is skipped for this long. */
const SKIP_MS = 600_000;
const EVER = Number.NEGATIVE_INFINITY;

/**
 * Concurrent sweeps skip each other's locked rows. If the statement fails on a task, tasks are swept one by one and the
 * failing task is skipped from then on.
 */
export function createSweep(db: Db): (limits: SweepLimits) => Promise<SweepResult> {
  const skipped = new Map<string, number>();
  const fullScan = createTimeShare(FULL_SCAN_SHARE, { leastMs: 0, mostMs: MAX_REST_MS });
  /** Everything due by then is swept, except rows locked by others. `EVER`: full scans until a sweep is complete. */
  let since: number | null = EVER;
  /** Time of the last complete sweep. */
  let completedAt: number | null = null;
  let maxRows = Number.POSITIVE_INFINITY;

  const together = async (limits: SweepLimits): Promise<SweepRow> => {
    const rows = Math.min(limits.rows, maxRows);
    const sweep = () => runSweep(db, limits, { since, rows, excluded: [...skipped.keys()] });
    if (fullScan.isDue()) since = EVER;
    const row = await (since === EVER ? fullScan.spend(sweep) : sweep());
    if (row.complete) since = completedAt = row.at.getTime() / 1000;
    maxRows *= 2;
    return row;
  };

  const oneByOne = async (limits: SweepLimits): Promise<SweepResult> => {
    const swept: SweepRow[] = [];
    const failures: SweepResult['skipped'][number][] = [];
    for (const id of await findDueTasks(db, limits)) {
      if (skipped.has(id)) continue;
      try {
        swept.push(await runSweep(db, limits, { since: EVER, rows: 1, excluded: [], only: id }));
      } catch (error) {
        if (!isRowError(error)) throw error;
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
      if (isStatementTimeout(error)) {
        // Too many rows to read or delete at once.
        since = completedAt;
        maxRows = Math.max(1, Math.floor(Math.min(limits.rows, maxRows) / 10));
      }
      if (!isRowError(error)) throw error;
      return oneByOne(limits);
    }
  };
}

/** Sums the counts; takes everything else from the first row. */
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
    extended: total(({ extended }) => extended),
  };
}
