import { createTimeShare } from '../base/time-share.ts';

export type FeedFloor = ReturnType<typeof createFeedFloor>;

/** Share of the time. */
const FULL_READ_SHARE = 0.01;
const LONGEST_REST_MS = 600_000;
/** Rows get their serial before they are committed; a full read finds later ones. */
const LATE_COMMIT_MS = 10_000;

/**
 * The lower bound of the feed's index scans. While a snapshot is open, PostgreSQL keeps the index entries of all rows
 * deleted since, and a scan from the beginning reads all of them.
 */
export function createFeedFloor(now = () => performance.now()) {
  const share = createTimeShare(FULL_READ_SHARE, { leastMs: 0, mostMs: LONGEST_REST_MS }, now);
  let floor = 0;
  let next = { floor: 0, since: now() };
  let highest = 0;

  return {
    read<T>(query: (from: number) => Promise<T>): Promise<T> {
      if (now() - next.since > LATE_COMMIT_MS) {
        floor = next.floor;
        next = { floor: highest, since: now() };
      }
      return share.isDue() ? share.spend(() => query(0)) : query(floor);
    },
    /** These first rows of the feed were deleted. */
    reportDeleted(rows: readonly { readonly serial: number }[]): void {
      for (const { serial } of rows) highest = Math.max(highest, serial);
    },
  };
}
