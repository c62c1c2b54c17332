import type { Db } from '../base/db.ts';
import { acceptTo, RANK } from './accept.ts';
import { advance, renew } from './advance.ts';
import { cancel } from './cancel.ts';
import { dueDeliveries, keepBody, pendingDeliveries, settle } from './deliveries.ts';
import { hintsOver } from './hints.ts';
import { readAttachment, readFrom } from './read.ts';
import type { Depth, TaskStore } from './store.ts';
import { sweep } from './sweep.ts';

/** The task store in PostgreSQL: each verb is one statement, in the file of its name. */
export function postgresTaskStore(db: Db): TaskStore & { close(): void } {
  const read = readFrom(db);
  const hints = hintsOver(db);
  return {
    ...hints,
    accept: acceptTo(db),
    read,
    readAttachment: (id) => readAttachment(db, id),
    advance: (endings, want) => advance(db, endings, want),
    renew: (worker, leases) => renew(db, worker, leases),
    cancel: async (service, id) => {
      const cancelled = await cancel(db, service, id);
      const task = await read(service, id);
      return cancelled ? task : task && 'finished';
    },
    sweep: (limits) => sweep(db, limits),
    dueDeliveries: (want) => dueDeliveries(db, want),
    keepBody: (deliveryId, body) => keepBody(db, deliveryId, body),
    settle: (deliveryId, attempt, outcome) => settle(db, deliveryId, attempt, outcome),
    depth: (service) => depth(db, service),
    pendingDeliveries: () => pendingDeliveries(db),
  };
}

async function depth(db: Db, service: string): Promise<Depth> {
  const { rows } = await db.query<{ priority: number; waiting: number; processing: number; oldest: number }>(DEPTH, [
    service,
  ]);
  const of = (rank: number) => rows.find((row) => row.priority === rank);
  return {
    waiting: { realtime: of(RANK.realtime)?.waiting ?? 0, batch: of(RANK.batch)?.waiting ?? 0 },
    processing: rows.reduce((sum, row) => sum + row.processing, 0),
    oldestWaitingSeconds: { realtime: of(RANK.realtime)?.oldest ?? 0, batch: of(RANK.batch)?.oldest ?? 0 },
  };
}

const DEPTH = {
  name: 'depth',
  text: `
    select priority,
           (count(*) filter (where worker is null))::int     as waiting,
           (count(*) filter (where worker is not null))::int as processing,
           coalesce(extract(epoch from now() - min(queued_at) filter (where worker is null)), 0)::float8 as oldest
      from tasks
     where service = $1 and finished_at is null
     group by priority`,
};
