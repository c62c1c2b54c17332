import type { Queryable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import { IS_WAITING } from './queue-floors.ts';

export type ClientQueues = ReturnType<typeof createClientQueues>;

/** Maximum share of the time: counting 100 000 tasks takes about 0.1 s. */
const COUNTING_SHARE = 0.05;
const MAX_INTERVAL_MS = 60_000;

/** A gateway's view of the waiting tasks of each client: the last count plus the tasks that this process has accepted since. */
export function createClientQueues(deps: {
  db: Queryable;
  services: readonly string[];
  signal: AbortSignal;
  log: Log;
  refreshMs: number;
}) {
  const { db, services, signal, log, refreshMs } = deps;
  // Tasks accepted during a count may be missing in it.
  const queues = new Map(
    services.map((service) => [
      service,
      { counted: noTasks(), before: noTasks(), during: noTasks(), reserved: noTasks() },
    ]),
  );
  const counting = createTimeShare(COUNTING_SHARE, { leastMs: 0, mostMs: MAX_INTERVAL_MS });

  const count = async () => {
    for (const [service, queue] of queues) {
      for (const [owner, tasks] of queue.during) add(queue.before, owner, tasks);
      queue.during = noTasks();
      const { rows } = await db.query<{ owner: string; waiting: number }>(WAITING, [service]);
      queue.counted = new Map(rows.map(({ owner, waiting }) => [owner, waiting]));
      queue.before = noTasks();
    }
  };
  void loop(async () => void (counting.isDue() && (await counting.spend(count))), {
    ...{ intervalMs: refreshMs, maxIntervalMs: 2000, signal },
    onError: (err) => signal.aborted || log.warn({ err }, 'counting the waiting tasks of clients failed'),
  });

  return {
    waiting(service: string, owner: string): number {
      const { counted, before, during, reserved } = queues.get(service) ?? {};
      return [counted, before, during, reserved].reduce((sum, tasks) => sum + (tasks?.get(owner) ?? 0), 0);
    },
    /** Counts tasks from now on; call the returned function once it is known whether they were written. */
    reserve(service: string, owner: string, tasks: number): (isWritten: boolean) => void {
      const queue = queues.get(service);
      if (!queue) return () => {};
      add(queue.reserved, owner, tasks);
      return (isWritten) => {
        add(queue.reserved, owner, -tasks);
        if (isWritten) add(queue.during, owner, tasks);
      };
    },
  };
}

const noTasks = () => new Map<string, number>();

function add(to: Map<string, number>, owner: string, tasks: number): void {
  const sum = (to.get(owner) ?? 0) + tasks;
  if (sum === 0) to.delete(owner);
  else to.set(owner, sum);
}

const WAITING = {
  name: 'waiting-by-client',
  text: `select coalesce(owner, principal) as owner, count(*)::int as waiting from tasks where ${IS_WAITING} group by 1`,
};
