import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { FAILURES } from './task.ts';
import { deliveriesDueSql, failSql, IS_READABLE } from './task-rows.ts';

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
      update tasks t
         set ${failSql('$3', '$4')}
       where id = $2 and service = $1 and finished_at is null and ${IS_READABLE}
      returning id
    ),
    due as (${deliveriesDueSql('cancelled')})
    select from cancelled`,
};
