import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';
import { type FairTags, takenClients, takeTags } from './fair-tags.ts';
import { FAILURES, PRIORITY_VALUE, type Priority } from './task.ts';
import { afterEndSql, ENDED_COLUMNS, failSql, IS_READABLE, withLastAttemptLogged } from './task-rows.ts';

/**
 * Compare-and-set: changes nothing unless the task has failed with a retryable code. The task takes a place in the queue of its client
 * like a new one. `within` runs in the same transaction once it is queued.
 */
export async function requeue(
  db: Db,
  tags: FairTags,
  service: string,
  id: string,
  final: readonly string[],
  within?: (tx: Queryable) => Promise<unknown>,
): Promise<boolean> {
  const { rows } = await db.query<FailedTask>(FAILED, [service, id, final]);
  if (!rows[0]) return false;
  const tagged = toTagged(rows[0]);
  const [services, priorities, owners, starts, costs] = (await takeTags(db, tags, [tagged]))([tagged]);
  return db.transaction(async (tx) => {
    const { rowCount } = await tx.query(REQUEUE, [service, id, final, services, priorities, owners, starts, costs]);
    if (rowCount === 0) return false;
    await within?.(tx);
    return true;
  });
}

/** A row of {@link FAILED_COLUMNS}. */
export interface FailedTask {
  readonly service: string;
  readonly principal: string;
  readonly owner: string;
  readonly isBatch: boolean;
}

/** SQL: columns of a failed task `t` for its tag. */
export const FAILED_COLUMNS = `t.service, t.principal, coalesce(t.owner, t.principal) as owner, t.priority = ${PRIORITY_VALUE.batch} as "isBatch"`;

export const toTagged = <Row extends FailedTask>({ isBatch, ...task }: Row) => ({
  ...task,
  priority: (isBatch ? 'batch' : 'realtime') as Priority,
});

export async function remove(db: Queryable, service: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(REMOVE, [service, ids]);
  return rows.map((row) => row.id);
}

/** Ends an unfinished task. Its worker loses the lease and detects that at the next renewal. */
export async function cancel(db: Queryable, service: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(CANCEL, [service, id, FAILURES.CANCELLED.code, FAILURES.CANCELLED.message]);
  return rowCount > 0;
}

/** SQL assignments that queue a failed task `t` again. Deadline and expiry keep their distance from `queued_at`. */
export const requeuedSql = (runAt: string): string => `
           status        = 'queued',
           run_at        = ${runAt},
           queued_at     = now(),
           deadline_at   = now() + (deadline_at - queued_at),
           expires_at    = now() + (expires_at - queued_at),
           returned      = null,
           attempts      = 0,
           started_at    = null,
           finished_at   = null,
           progress      = null,
           checkpoint    = null,
           processing_ms = null,
           error_code    = null,
           error         = null,
           ended_by      = null,
           steps         = null,
           attempt_log   = ${withLastAttemptLogged(
             `'queued', extract(epoch from queued_at), 'ended', extract(epoch from finished_at), 'to', extract(epoch from now()),
              'error', error_code`,
           )}`;

const IS_RETRYABLE = `t.id = $2 and t.service = $1 and t.status = 'failed' and not t.error_code = any($3::text[])
       and ${IS_READABLE}
       and not exists (select from deliveries d where d.task_id = t.id)`;

const FAILED = {
  name: 'failed-task',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select ${FAILED_COLUMNS}
      from tasks t
     where ${IS_RETRYABLE}`,
};

const REQUEUE = {
  name: 'requeue',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with ${takenClients(4)}
    update tasks t
       set ${requeuedSql('client.start')}
      from client
     where ${IS_RETRYABLE}`,
};

// One lock order prevents deadlocks.
const REMOVE = {
  name: 'remove',
  text: `
    with gone as materialized (
      select id from tasks where id = any($2::text[]) and service = $1 order by id for update
    )
    delete from tasks t using gone where t.id = gone.id returning t.id`,
};

const CANCEL = {
  name: 'cancel',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with cancelled as (
      update tasks t
         set ${failSql('$3', '$4')}
       where id = $2 and service = $1 and finished_at is null and ${IS_READABLE}
      returning ${ENDED_COLUMNS}
    ),${afterEndSql('cancelled')}
    select from cancelled`,
};
