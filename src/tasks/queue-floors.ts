import type { Db } from '../base/db.ts';
import { rest } from '../base/loop.ts';
import { createTimeShare, type TimeShare } from '../base/time-share.ts';
import { RANK } from './accept.ts';
import type { Priority } from './task.ts';

/**
 * The least `run_at` (seconds since 1970) from which the index of waiting tasks is read, per priority. Undefined: unknown;
 * then it is read from `WINDOW_SECONDS` ago.
 */
export type Floors = Partial<Record<Priority, number>>;

/** The first `run_at` that a statement has found from the floor on: null if no task waits, undefined if it did not look. */
export type Fronts = Record<Priority, number | null | undefined>;

export interface QueueFloors {
  /** The floors to read from. Also starts a search below them when one is due, and waits for the first one. */
  of(service: string): Promise<Floors>;
  /** Raises the floors to what a statement has found that used `used` at the time `at` of the database. */
  raise(service: string, used: Floors, at: number, fronts: Fronts): void;
  /** Makes a search due, after a failed statement: what it had locked may lie below floors that were raised meanwhile. */
  doubt(service: string): void;
}

/**
 * A task becomes visible when the transaction commits that wrote it, and its `run_at` is when that transaction began. A task
 * that becomes visible later than this is found by the search.
 */
export const WINDOW_SECONDS = 5;
const SEARCH_EVERY_MS = 5000;
/** Of the time, at most. */
const SEARCH_SHARE = 0.01;
/** The first claim waits this long for the first search, and then begins with the latest tasks. */
const FIRST_SEARCH_MS = 2000;
/** A connection that hangs must not keep the next search for long; one that took too long gets four times as much. */
const SEARCH_LIMIT_MS = 5000;
const LONGEST_SEARCH_MS = 600_000;
const STATEMENT_TIMEOUT = '57014';

/**
 * Floors of the waiting tasks of each service. While a snapshot is open, PostgreSQL keeps every index entry that was in use
 * since it began, and a statement that reads the queue from its front reads the entries of all tasks that were claimed
 * since then. So statements begin at a floor, which follows the front. A task below the floor (its transaction committed
 * late, a claim was rolled back) is found by a search from the front, which may take long and therefore runs beside the
 * claims. The floors are in memory because a row for them would itself collect dead versions.
 */
export function createQueueFloors(db: Db, { searchEveryMs = SEARCH_EVERY_MS } = {}): QueueFloors {
  const queues = new Map<string, Queue>();

  const search = async (queue: Queue) => {
    const { service, floors, limitMs } = queue;
    const { rows } = await db.transaction((tx) => tx.query<Front>(SEARCH, [service, ...inOrder(floors)]), {
      statementTimeoutMs: limitMs,
    });
    for (const { priority, front } of rows) floors[priority] = Math.min(floors[priority] ?? front, front);
  };

  /** Resolves when the search has ended, however it has. */
  const startSearch = (queue: Queue) =>
    queue.share
      .spend(() => search(queue))
      .catch((error: { code?: string }) => {
        if (error.code === STATEMENT_TIMEOUT) queue.limitMs = Math.min(4 * queue.limitMs, LONGEST_SEARCH_MS);
        else queue.share.reset();
      });

  const open = (service: string): Queue => {
    const queue: Queue = {
      ...{ service, floors: {}, limitMs: SEARCH_LIMIT_MS },
      share: createTimeShare(SEARCH_SHARE, { leastMs: searchEveryMs, mostMs: LONGEST_SEARCH_MS }),
    };
    queue.first = Promise.race([startSearch(queue), rest(FIRST_SEARCH_MS)]);
    queues.set(service, queue);
    return queue;
  };

  return {
    async of(service) {
      const queue = queues.get(service) ?? open(service);
      await queue.first;
      if (queue.share.isDue()) void startSearch(queue);
      return { ...queue.floors };
    },
    raise(service, used, at, fronts) {
      const floors = queues.get(service)?.floors;
      for (const priority of PRIORITIES) {
        const front = fronts[priority];
        // A search has lowered the floor meanwhile: this statement did not look there.
        if (!floors || front === undefined || floors[priority] !== used[priority]) continue;
        floors[priority] = Math.min(front ?? at, at - WINDOW_SECONDS);
      }
    },
    doubt: (service) => queues.get(service)?.share.reset(),
  };
}

interface Queue {
  readonly service: string;
  readonly floors: Floors;
  readonly share: TimeShare;
  limitMs: number;
  first?: Promise<unknown>;
}

interface Front {
  readonly priority: Priority;
  readonly front: number;
}

const PRIORITIES = Object.keys(RANK) as Priority[];

/** As parameters of a statement: realtime, then batch; null where unknown. */
export const inOrder = (floors: Floors): (number | null)[] => [floors.realtime ?? null, floors.batch ?? null];

/** SQL for the moment from which to read: `floor` is a parameter made by `inOrder`. */
export const fromFloor = (floor: string) =>
  `run_at >= coalesce(to_timestamp(${floor}::float8), now() - interval '${WINDOW_SECONDS} seconds')`;

const frontBelow = (priority: Priority, floor: string) => `
    (select '${priority}' as priority, extract(epoch from run_at)::float8 as front
       from tasks
      where service = $1 and worker is null and finished_at is null and priority = ${RANK[priority]}
        and run_at < coalesce(to_timestamp(${floor}::float8), now()) and returned is null
      order by run_at, id
      limit 1)`;

const SEARCH = {
  name: 'search-queue',
  text: `${frontBelow('realtime', '$2')} union all ${frontBelow('batch', '$3')}`,
};
