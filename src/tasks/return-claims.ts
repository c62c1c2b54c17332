import type { Db } from '../base/db.ts';

/** Returns the tasks of claims whose answer was lost to the queue, uncounted; answers which of the claims held any. */
export async function returnClaims(db: Db, worker: string, claims: readonly number[]): Promise<number[]> {
  if (claims.length === 0) return [];
  const { rows } = await db.query<{ claim: number }>(RETURN, [worker, claims]);
  return [...new Set(rows.map((row) => row.claim))];
}

// The fence needs nothing more: the worker begins nothing of such a claim, and numbers the next one differently. In the
// order in which `remove` locks, so that the two never wait for each other in a circle. By the time of the lease, since the
// planner looks for the worker in `tasks_leased`, which keeps old entries while a snapshot is open.
const RETURN = {
  name: 'return-claims',
  limitMs: 1800, // a lease has a second left when the worker gives a claim up; the next try comes two seconds later
  text: `
    with unknown as materialized (
      select id
        from tasks
       where worker = $1 and claim = any($2::int[]) and leased_until > now() - interval '1 minute'
       order by id
         for update
    )
    update tasks t
       set worker = null, leased_until = null, attempts = t.attempts - 1, returned = coalesce(t.returned, 'handed_back')
      from unknown
     where t.id = unknown.id
    returning t.claim`,
};
