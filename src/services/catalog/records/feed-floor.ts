import { createTimeShare } from '../../../base/time-share.ts';

export interface FeedFloor {
  /** Reads the feed from the serial that it passes to `query`. */
  read<T>(query: (from: number) => Promise<T>): Promise<T>;
  /** These rows, which came first in the feed, were removed from it. */
  taken(rows: readonly { readonly serial: number }[]): void;
}

/** Of the time, at most, for reading the feed from its beginning. */
const WHOLE_SHARE = 0.01;
const LONGEST_REST_MS = 600_000;
/** Rows get their serial before their transaction commits. One that commits later than this is found from the beginning. */
const LATE_MS = 10_000;

/**
 * From which serial on the feed is read. While a snapshot is open, PostgreSQL keeps the index entries of all rows that were
 * taken since it began, and reading from the beginning reads them all.
 */
export function createFeedFloor(now = () => performance.now()): FeedFloor {
  const share = createTimeShare(WHOLE_SHARE, { leastMs: 0, mostMs: LONGEST_REST_MS }, now);
  let floor = 0;
  let next = { floor: 0, since: now() };
  let highest = 0;

  return {
    read(query) {
      if (now() - next.since > LATE_MS) {
        floor = next.floor;
        next = { floor: highest, since: now() };
      }
      return share.isDue() ? share.spend(() => query(0)) : query(floor);
    },
    taken(rows) {
      for (const { serial } of rows) highest = Math.max(highest, serial);
    },
  };
}
