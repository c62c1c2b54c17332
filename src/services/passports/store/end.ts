import type { Db } from '../../../base/db.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Caller, Document } from '../documents.ts';
import { FINAL } from '../failures.ts';
import { find } from './read.ts';
import { SERVICE } from './rows.ts';

/** Of two at once one finds the task failed, the other queued again. */
export function retry(
  { db, tasks }: { db: Db; tasks: TaskStore },
  caller: Caller,
  id: string,
  strict: boolean,
): Promise<Document | 'not-retryable' | undefined> {
  return db.transaction(async (tx) => {
    // Who may see a document never changes, so asking first is no race.
    if (!(await find(tx, caller, id, strict))) return undefined;
    if (!(await tasks.requeue(SERVICE, id, FINAL, tx))) {
      // Removed in the meantime, or not in a state to be tried again.
      return (await find(tx, caller, id, strict)) && 'not-retryable';
    }
    await tx.query('update passport_documents set changed_at = clock_timestamp() where id = $1', [id]);
    return find(tx, caller, id, strict);
  });
}

/** The document's row goes with its task's. */
export function remove(
  { db, tasks }: { db: Db; tasks: TaskStore },
  caller: Caller,
  id: string,
  strict: boolean,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await find(tx, caller, id, strict))) return false;
    return (await tasks.remove(SERVICE, [id], tx)).length > 0;
  });
}
