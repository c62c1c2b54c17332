import type { Db } from '../base/db.ts';
import { RANK } from './accept.ts';
import { DEPTH_COUNTED, type Depth } from './store.ts';

/** How much waits, counted from the front of the queue's index and never past `DEPTH_COUNTED`. */
export async function depth(db: Db, service: string): Promise<Depth> {
  const { rows } = await db.query<DepthRow>(DEPTH, [service, RANK.realtime, RANK.batch, DEPTH_COUNTED]);
  const row = rows[0]!;
  return {
    waiting: { realtime: row.realtime, batch: row.batch },
    processing: row.processing,
    oldestWaitingSeconds: { realtime: row.oldest_realtime, batch: row.oldest_batch },
  };
}

interface DepthRow {
  realtime: number;
  batch: number;
  processing: number;
  oldest_realtime: number;
  oldest_batch: number;
}

// In the order of the index, or the planner may prefer to read the table, whose front is full of finished tasks.
const front = (what: string, rank: string, limit: string) => `
  select ${what}
    from tasks
   where service = $1 and worker is null and finished_at is null and priority = ${rank}
   order by run_at, id
   limit ${limit}`;
const count = (rank: string) => `(select count(*) from (${front('', rank, '$4')}) as counted)::int`;
const oldest = (rank: string) => `coalesce((${front('extract(epoch from now() - queued_at)', rank, '1')}), 0)::float8`;

const DEPTH = {
  name: 'depth',
  text: `
    select ${count('$2')} as realtime,
           ${count('$3')} as batch,
           ${oldest('$2')} as oldest_realtime,
           ${oldest('$3')} as oldest_batch,
           (select count(*) from tasks where worker is not null and service = $1)::int as processing`,
};
