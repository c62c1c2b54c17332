import type { Db } from '../../../base/db.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Caller, Document } from '../documents.ts';
import { PERMANENT_ERRORS } from '../failures.ts';
import { find } from './read.ts';
import { SERVICE } from './rows.ts';

export function retry(
  { db, tasks }: { db: Db; tasks: TaskStore },
  caller: Caller,
  id: string,
  strict: boolean,
): Promise<Document | 'not-retryable' | undefined> {
  return db.transaction(async (tx) => {
    // Access to a document never changes, so it can be checked first.
    if (!(await find(tx, caller, id, strict))) return undefined;
    if (!(await tasks.requeue(SERVICE, id, PERMANENT_ERRORS, tx))) {
      return (await find(tx, caller, id, strict)) && 'not-retryable';
    }
    await tx.query('update passport_documents set changed_at = clock_timestamp() where id = $1', [id]);
    return find(tx, caller, id, strict);
  });
}

/** Deletes a document; its row is deleted with that of the task. */
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
