import type { Transaction } from '../base/db.ts';

// Locks for transactions of services, held until the transaction ends. All lock tasks in the order of their ids, which
// prevents deadlocks.

/** Locks tasks for their deletion with `TaskStore.remove`. */
export async function lockForRemoval(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query('select from tasks where id = any($1::text[]) order by id for update', [ids]);
}

/** Keeps completed tasks from being deleted; returns the ids of those that exist. */
export async function lockCompleted(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from tasks where id = any($1::text[]) and status = 'done' order by id for key share`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface AttemptKey {
  readonly task: string;
  readonly attempt: number;
  /** After a database crash, two workers may hold an attempt with the same number. */
  readonly worker: string;
}

/** Fences a write of an attempt: false unless the worker still holds it. */
export async function lockAttempt(tx: Transaction, { task, attempt, worker }: AttemptKey): Promise<boolean> {
  const { rowCount } = await tx.query(LOCK_ATTEMPT, [task, attempt, worker]);
  return rowCount > 0;
}

const LOCK_ATTEMPT = {
  name: 'lock-attempt',
  text: `
    select from tasks where id = $1 and attempts = $2 and worker = $3 and finished_at is null
       for key share`,
};
