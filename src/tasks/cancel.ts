import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { FAILURES } from './task.ts';
import { processingMsSql } from './task-rows.ts';

/** Ends an unfinished task. Its worker loses the lease and detects that at the next renewal. */
export async function cancel(db: Db, service: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(CANCEL, [service, id, FAILURES.CANCELLED.code, FAILURES.CANCELLED.message]);
  return rowCount > 0;
}

const CANCEL = {
  name: 'cancel',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with cancelled as (
      update tasks
         set status        = 'failed',
             finished_at   = now(),
             error_code    = $3,
             error         = $4,
             processing_ms = ${processingMsSql('started_at')},
             checkpoint    = null,
             worker        = null,
             leased_until  = null
       where id = $2 and service = $1 and finished_at is null and (expires_at is null or expires_at > now())
      returning id
    ),
    due as (
      update deliveries d set due_at = now() from cancelled where d.task_id = cancelled.id
    )
    select from cancelled`,
};
