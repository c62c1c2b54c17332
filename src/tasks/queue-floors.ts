import type { Db } from '../base/db.ts';
import { isStatementTimeout } from '../base/db-errors.ts';
import { sleep } from '../base/loop.ts';
import { createTimeShare, type TimeShare } from '../base/time-share.ts';
import { latestFinish } from './fair-tags.ts';
import { PRIORITY_VALUE, type Priority } from './task.ts';

/**
 * Lower bounds of `run_at` (seconds since 1970) for scans of the index of waiting tasks. Undefined: unknown; scans then
 * start `WINDOW_SECONDS` ago.
 */
export type Floors = Partial<Record<Priority, number>>;

/** The first `run_at` found at or above the floor; undefined without a task, or if not read. */
export type Fronts = Record<Priority, number | undefined>;

export type QueueFloors = ReturnType<typeof createQueueFloors>;

/**
 * A front becomes the floor after this time. A task of a client that had none waiting is put at the front, but a gateway may
 * know only an earlier front, and the task is visible after the commit. The search finds later ones.
 */
export const WINDOW_SECONDS = 5;
const SEARCH_INTERVAL_MS = 5000;
/** Maximum share of the time. */
const SEARCH_SHARE = 0.01;
/** The first claim waits this long for the first search, then starts with the latest tasks. */
const FIRST_SEARCH_TIMEOUT_MS = 2000;
/** Bounds the effect of a hanging connection. A search that times out gets four times as long. */
const SEARCH_TIMEOUT_MS = 5000;
const MAX_SEARCH_TIMEOUT_MS = 600_000;

/**
 * Keeps the queue floors of each service. While a snapshot is open, PostgreSQL keeps the index entries of all tasks claimed
 * since, and a scan from the front of the queue reads them all. So scans start at a floor that follows the front. A
 * background search from the front finds tasks below the floor (late commits, claims rolled back). Floors are in memory:
 * a row for them would collect dead versions itself.
 */
export function createQueueFloors(db: Db, { searchEveryMs = SEARCH_INTERVAL_MS } = {}) {
  const queues = new Map<string, Queue>();

  const search = async (queue: Queue) => {
    const { service, floors, limitMs } = queue;
    const { rows } = await db.transaction((tx) => tx.query<Front>(SEARCH, [service, ...floorParameters(floors)]), {
      statementTimeoutMs: limitMs,
    });
    queue.isSearched = true;
    for (const { priority, front } of rows) {
      if (front === null || front >= (floors[priority] ?? Number.POSITIVE_INFINITY)) continue;
      floors[priority] = front;
      delete queue.next[priority];
    }
  };

  /** Never rejects. */
  const startSearch = (queue: Queue) =>
    queue.share
      .spend(() => search(queue))
      .catch((error: unknown) => {
        if (isStatementTimeout(error)) queue.limitMs = Math.min(4 * queue.limitMs, MAX_SEARCH_TIMEOUT_MS);
        // Tags differ from the clock: without a search, scans may find nothing.
        if (!isStatementTimeout(error) || !queue.isSearched) queue.share.reset();
      });

  const createQueue = (service: string): Queue => {
    const queue: Queue = {
      ...{ service, floors: {}, next: {}, limitMs: SEARCH_TIMEOUT_MS, isSearched: false },
      share: createTimeShare(SEARCH_SHARE, { leastMs: searchEveryMs, mostMs: MAX_SEARCH_TIMEOUT_MS }),
    };
    queue.first = Promise.race([startSearch(queue), sleep(FIRST_SEARCH_TIMEOUT_MS)]);
    queues.set(service, queue);
    return queue;
  };

  return {
    /** Returns the floors; waits for the first search and starts further ones when due. */
    async get(service: string): Promise<Floors> {
      const queue = queues.get(service) ?? createQueue(service);
      await queue.first;
      if (queue.share.isDue()) void startSearch(queue);
      return { ...queue.floors };
    },
    /** Raises the floors by what a statement with the floors `used` found at the database time `at`. */
    raise(service: string, used: Floors, at: number, fronts: Fronts): void {
      const queue = queues.get(service);
      if (!queue) return;
      const { floors, next } = queue;
      for (const priority of PRIORITIES) {
        const front = fronts[priority];
        if (!queue.isSearched && floors[priority] === undefined) continue;
        // Without a floor, the scan started this long ago.
        floors[priority] ??= used[priority] ?? at - WINDOW_SECONDS;
        // Skip floors that a search has lowered meanwhile.
        if (front === undefined || floors[priority] !== used[priority]) continue;
        const found = next[priority];
        if (found && at < found.at + WINDOW_SECONDS) continue;
        if (found) floors[priority] = found.front;
        next[priority] = { at, front };
      }
    },
    /** Makes a search due after a failed statement, whose locked tasks may be below floors raised meanwhile. */
    requestSearch: (service: string): void => queues.get(service)?.share.reset(),
  };
}

interface Queue {
  readonly service: string;
  readonly floors: Floors;
  /** The next floors, and the time at which they were the fronts. */
  readonly next: Partial<Record<Priority, { readonly at: number; readonly front: number }>>;
  readonly share: TimeShare;
  limitMs: number;
  isSearched: boolean;
  first?: Promise<unknown>;
}

interface Front {
  readonly priority: Priority;
  readonly front: number | null;
}

const PRIORITIES = Object.keys(PRIORITY_VALUE) as Priority[];

/** SQL condition: a task of the service `$1` that waits for a worker. */
export const IS_WAITING = 'service = $1 and worker is null and finished_at is null';

/** SQL parameters: realtime, batch; null if unknown. */
export const floorParameters = (floors: Floors): (number | null)[] => [floors.realtime ?? null, floors.batch ?? null];

/** SQL condition on `run_at`; `floor` is a parameter made by `floorParameters`. */
export const isAboveFloor = (floor: string) =>
  `run_at >= coalesce(to_timestamp(${floor}::float8), now() - interval '${WINDOW_SECONDS} seconds')`;

// Without a waiting task and a floor, the floor is the latest tag, because tags differ from the clock.
const frontBelow = (priority: Priority, floor: string) => `
    select '${priority}' as priority,
           extract(epoch from coalesce(
             (select run_at
                from tasks
               where ${IS_WAITING} and priority = ${PRIORITY_VALUE[priority]}
                 and run_at < coalesce(to_timestamp(${floor}::float8), 'infinity') and returned is null
               order by run_at, id
               limit 1),
             case when ${floor} is null then ${latestFinish('$1', PRIORITY_VALUE[priority])} end))::float8 as front`;

const SEARCH = {
  name: 'search-queue',
  text: `${frontBelow('realtime', '$2')} union all ${frontBelow('batch', '$3')}`,
};
