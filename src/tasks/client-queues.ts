import { createCoalescedRun } from '../base/coalesced-run.ts';
import type { Queryable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import { IS_WAITING } from './queue-floors.ts';
import { MAX_COUNTED } from './store.ts';
import { MIN_COUNT_INTERVAL_MS } from './worker-registry.ts';

export type ClientQueues = ReturnType<typeof createClientQueues>;

/** Maximum share of the time for counting more than `MAX_COUNTED` tasks of a service: 100 000 take about 0.1 s. */
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
  const createQueue = (service: string) => {
    const share = createTimeShare(COUNTING_SHARE, { leastMs: 0, mostMs: MAX_INTERVAL_MS });
    // Tasks accepted during a count may be missing in it.
    const queue = { counted: noTasks(), before: noTasks(), during: noTasks(), reserved: noTasks() };
    const count = async () => {
      for (const [owner, tasks] of queue.during) add(queue.before, owner, tasks);
      queue.during = noTasks();
      const { rows } = await db.query<{ owner: string; waiting: number }>(WAITING, [service]);
      queue.counted = new Map(rows.map(({ owner, waiting }) => [owner, waiting]));
      queue.before = noTasks();
      return rows.reduce((sum, { waiting }) => sum + waiting, 0);
    };
    const countIfDue = async () => {
      if (share.isDue() && (await share.spend(count)) <= MAX_COUNTED) share.reset();
    };
    const recount = createCoalescedRun(countIfDue, Math.min(MIN_COUNT_INTERVAL_MS, refreshMs));
    return Object.assign(queue, { recount });
  };
  const queues = new Map(services.map((service) => [service, createQueue(service)]));
  const refresh = async () => {
    for (const { recount } of queues.values()) await recount();
  };
  void loop(refresh, {
    ...{ intervalMs: refreshMs, maxIntervalMs: 2000, signal },
    onError: (err) => signal.aborted || log.warn({ err }, 'counting the waiting tasks of clients failed'),
  });

  return {
    waiting(service: string, owner: string): number {
      const { counted, before, during, reserved } = queues.get(service) ?? {};
      return [counted, before, during, reserved].reduce((sum, tasks) => sum + (tasks?.get(owner) ?? 0), 0);
    },
    /** Counts the tasks again; concurrent calls share one count. A long queue is not counted again before its interval. */
    recount: async (service: string) => queues.get(service)?.recount(),
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
