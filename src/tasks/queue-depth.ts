import type { Db } from '../base/db.ts';
import type { Backlog } from './fair-position.ts';
import { latestFinish } from './fair-tags.ts';
import { floorParameters, IS_WAITING, isAboveFloor, type QueueFloors } from './queue-floors.ts';
import { type Depth, MAX_COUNTED } from './store.ts';
import { PRIORITY_VALUE, type Priority } from './task.ts';

/** Counts waiting tasks from the front of the queue's index, each priority up to `limit`. */
export async function queueDepth(
  db: Db,
  queueFloors: QueueFloors,
  service: string,
  limit = MAX_COUNTED,
): Promise<Depth> {
  const floors = await queueFloors.get(service);
  const { rows } = await db.query<DepthRow>(DEPTH, [service, ...floorParameters(floors), limit]);
  const row = rows[0]!;
  queueFloors.raise(service, floors, row.at, {
    realtime: row.front_realtime ?? undefined,
    batch: row.front_batch ?? undefined,
  });
  return {
    waiting: {
      realtime: Math.min(row.realtime, limit),
      batch: Math.min(row.batch, limit),
    },
    processing: row.processing,
    oldestWaitingSeconds: { realtime: row.oldest_realtime, batch: row.oldest_batch },
    virtualTime: { realtime: row.virtual_realtime ?? row.at, batch: row.virtual_batch ?? row.at },
    backlog: { realtime: row.backlog_realtime ?? {}, batch: row.backlog_batch ?? {} },
  };
}

interface DepthRow {
  realtime: number;
  batch: number;
  processing: number;
  oldest_realtime: number;
  oldest_batch: number;
  front_realtime: number | null;
  front_batch: number | null;
  virtual_realtime: number | null;
  virtual_batch: number | null;
  backlog_realtime: Backlog | null;
  backlog_batch: Backlog | null;
  at: number;
}

const FLOOR: Record<Priority, string> = { realtime: isAboveFloor('$2'), batch: isAboveFloor('$3') };

// Ordered like the index; otherwise the planner may scan the table, which is full of finished tasks.
const first = (priority: Priority, condition: string, limit: string, columns = '') => `
  select ${columns}
    from tasks
   where ${IS_WAITING} and priority = ${PRIORITY_VALUE[priority]} and ${condition}
   order by run_at, id
   limit ${limit}`;
const inOrder = (priority: Priority) => `${FLOOR[priority]} and returned is null`;
// While no task waits, the virtual time is the latest finish tag, which is the same for all gateways.
const virtualTime = (priority: Priority) => `
  coalesce(${priority}.front, extract(epoch from ${latestFinish('$1', PRIORITY_VALUE[priority])})::float8) as virtual_${priority}`;
const backlog = (priority: Priority) => `
  (select json_object_agg(owner, (extract(epoch from finish - ${priority}.run_at) * 1000000)::bigint)
     from client_queues
    where service = $1 and priority = ${PRIORITY_VALUE[priority]} and finish > ${priority}.run_at) as backlog_${priority}`;
/** Requeued tasks below the floor. */
const returned = (priority: Priority) => `returned is not null and not ${FLOOR[priority]}`;

const count = (priority: Priority) => {
  const counts = [FLOOR[priority], returned(priority)].map(
    (condition) => `(select count(*) from (${first(priority, condition, '$4')}) as counted)`,
  );
  return `(${counts.join(' + ')})::int`;
};
const MOMENTS =
  'run_at, extract(epoch from run_at)::float8 as front, extract(epoch from now() - queued_at)::float8 as waited';
/** A requeued task may be above the floor, too. */
const oldest = (priority: Priority) => `
  coalesce(greatest((${first(priority, 'returned is not null', '1', 'extract(epoch from now() - queued_at)::float8')}), ${priority}.waited), 0)`;

// Tasks with a lease that expired more than 10 s ago are about to be requeued and do not count as in progress.
const DEPTH = {
  name: 'depth',
  text: `
    select ${count('realtime')} as realtime,
           ${count('batch')} as batch,
           ${oldest('realtime')} as oldest_realtime,
           ${oldest('batch')} as oldest_batch,
           realtime.front as front_realtime,
           batch.front as front_batch,
           ${virtualTime('realtime')},
           ${virtualTime('batch')},
           ${backlog('realtime')},
           ${backlog('batch')},
           (select count(*)
              from tasks
             where worker is not null and service = $1 and leased_until > now() - interval '10 seconds')::int as processing,
           extract(epoch from now())::float8 as at
      from (select) as once
      left join lateral (${first('realtime', inOrder('realtime'), '1', MOMENTS)}) as realtime on true
      left join lateral (${first('batch', inOrder('batch'), '1', MOMENTS)}) as batch on true`,
};
