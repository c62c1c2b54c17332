import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';
import { withAttemptLogged } from './task-rows.ts';

/** Requeues the tasks of claims whose response was lost, uncounted; returns the claim numbers that held tasks. */
export async function returnClaims(db: Db, worker: string, claims: readonly number[]): Promise<number[]> {
  if (claims.length === 0) return [];
  const { rows } = await db.query<{ claim: number }>(RETURN_CLAIMS, [worker, claims]);
  return [...new Set(rows.map((row) => row.claim))];
}

/** Requeues all running tasks, uncounted, while no worker runs. */
export async function returnAllClaims(db: Queryable): Promise<void> {
  await db.query(RETURN_ALL_CLAIMS);
}

/** Requeues the first attempts of a dead worker; returns the number of tasks. */
export async function release(db: Db, worker: string, maxAttempts: number): Promise<number> {
  const { rowCount } = await db.query(RELEASE, [worker, maxAttempts]);
  return rowCount;
}

const HANDED_BACK = `
  attempt_log = ${withAttemptLogged("'reason', 'NOT_STARTED'")},
  worker = null, leased_until = null, attempts = t.attempts - 1, returned = coalesce(t.returned, 'handed_back'),
  run_at = least(t.run_at, now())`;

// The worker starts no task of such a claim and numbers the next one differently, so no other fencing is needed. Locks rows
// in the order of `remove`, which prevents deadlocks. The condition on the lease bounds the scan of `tasks_leased`, which
// keeps old entries while a snapshot is open.
const RETURN_CLAIMS = {
  name: 'return-claims',
  limitMs: 1800, // a lease has 1 s left when the worker gives a claim up; the next try follows 2 s later
  text: `
    with unknown as materialized (
      select id
        from tasks
       where worker = $1 and claim = any($2::int[]) and leased_until > now() - interval '1 minute'
       order by id
         for update
    )
    update tasks t
       set ${HANDED_BACK}
      from unknown
     where t.id = unknown.id
    returning t.claim`,
};

const RETURN_ALL_CLAIMS = `update tasks t set ${HANDED_BACK} where worker is not null`;

// Skips locked rows, because another statement is ending those tasks. If it fails, their leases expire.
const RELEASE = {
  name: 'release',
  limitMs: CLIENT_LIMIT_MS, // shorter than a lease
  text: `
    update tasks t
       set attempt_log = ${withAttemptLogged("'reason', 'WORKER_LOST'")},
           worker = null, leased_until = null, returned = 'lost', run_at = least(t.run_at, now())
     where id in (select id
                    from tasks
                   where worker = $1 and attempts = 1 and attempts < $2 and leased_until > now() - interval '1 minute'
                     for update skip locked)`,
};
