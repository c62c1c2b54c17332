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
  const queues = new Map(services.map((service) => [service, new Map<string, number>()]));
  const accepted = new Map(services.map((service) => [service, new Map<string, number>()]));
  const counting = createTimeShare(COUNTING_SHARE, { leastMs: 0, mostMs: MAX_INTERVAL_MS });

  const count = async () => {
    for (const service of services) {
      accepted.set(service, new Map());
      const { rows } = await db.query<{ owner: string; waiting: number }>(WAITING, [service]);
      queues.set(service, new Map(rows.map(({ owner, waiting }) => [owner, waiting])));
    }
  };
  void loop(async () => void (counting.isDue() && (await counting.spend(count))), {
    ...{ intervalMs: refreshMs, maxIntervalMs: 2000, signal },
    onError: (err) => signal.aborted || log.warn({ err }, 'counting the waiting tasks of clients failed'),
  });

  return {
    waiting: (service: string, owner: string): number =>
      (queues.get(service)?.get(owner) ?? 0) + (accepted.get(service)?.get(owner) ?? 0),
    add(service: string, owner: string, tasks: number): void {
      const of = accepted.get(service);
      of?.set(owner, (of.get(owner) ?? 0) + tasks);
    },
  };
}

const WAITING = {
  name: 'waiting-by-client',
  text: `select coalesce(owner, principal) as owner, count(*)::int as waiting from tasks where ${IS_WAITING} group by 1`,
};
