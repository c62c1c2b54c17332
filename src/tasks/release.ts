import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';

/** Gives back what a worker held that is known to be dead; answers how many tasks that were. */
export async function release(db: Db, worker: string, maxAttempts: number): Promise<number> {
  const { rowCount } = await db.query(RELEASE, [worker, maxAttempts]);
  return rowCount;
}

// What somebody has locked is being ended, cancelled or swept, or a last word of the dead one's is still carried out: then
// the lease decides, as it does for everything else. By the time of the lease, since the planner looks for the worker in
// `tasks_leased`, which keeps old entries while a snapshot is open.
const RELEASE = {
  name: 'release',
  limitMs: CLIENT_LIMIT_MS, // later the leases have run out anyway
  text: `
    update tasks
       set worker = null, leased_until = null, returned = 'lost'
     where id in (select id
                    from tasks
                   where worker = $1 and attempts = 1 and attempts < $2 and leased_until > now() - interval '1 minute'
                     for update skip locked)`,
};
