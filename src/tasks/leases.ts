import type { Db } from '../base/db.ts';
import type { Renewal } from './store.ts';

/** Extends leases that are still held; stores progress and checkpoints. */
export async function renew(db: Db, worker: string, renewals: readonly Renewal[]): Promise<string[]> {
  if (renewals.length === 0) return [];
  const leases = [...renewals].sort(byId);
  const { rows } = await db.query<{ id: string }>(RENEW, [
    worker,
    leases.map((l) => l.id),
    leases.map((l) => l.attempt),
    leases.map((l) => l.leaseMs),
    leases.map((l) => l.progress ?? null),
    leases.map((l) => (l.checkpoint ? JSON.stringify(l.checkpoint) : null)),
  ]);
  return rows.map((row) => row.id);
}

/**
 * With `=` the planner could scan the partial index `tasks_leased`, which is larger than its statistics say while a snapshot
 * is open.
 */
export const isHeldBy = (worker: string) => `t.worker is not distinct from ${worker}`;

/** One lock order for both statements of a worker prevents deadlocks. */
export const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

// Locks the rows in one order, whatever plan joins them.
const RENEW = {
  name: 'renew',
  limitMs: 1800, // a lease has 4 s left: time for a retry
  text: `
    with held as materialized (
      select id from tasks t where id = any($2::text[]) and ${isHeldBy('$1')} order by id for update
    )
    update tasks t
       set leased_until = now() + l.lease_ms * interval '1 millisecond',
           progress     = coalesce(l.progress, t.progress),
           checkpoint   = coalesce(l.checkpoint::json, t.checkpoint)
      from unnest($2::text[], $3::smallint[], $4::float8[], $5::real[], $6::text[])
           as l (id, attempt, lease_ms, progress, checkpoint)
      join held using (id)
     where t.id = l.id and t.attempts = l.attempt
    returning t.id`,
};
