import type { Db } from '../../../base/db.ts';
import { sleep } from '../../../base/loop.ts';
import { lockForRemoval } from '../../../tasks/locks.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { FileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import { sandboxQueue } from '../../shared/sandbox/queue.ts';
import { SERVICE } from './rows.ts';

/** Advisory lock key, unique in this product. */
const LOCK = 3_355_201_117;
/** Limits how long the rows of a batch stay locked. */
const BATCH = 500;
/** Time to wait for another cleanup. Polls, because waiting in the database would occupy a connection. */
const WAIT_MS = 5000;
const POLL_MS = 200;
/** The lock's transaction stays open while batches run in other transactions. */
const HOUR_MS = 3_600_000;

type Removed = { tasks: number; files: number };
type Deps = { db: Db; tasks: TaskStore; deletions: FileDeletionQueue };
type Options = { days: number; dryRun: boolean };

/** Only one cleanup runs at a time across all processes. */
export async function cleanup(deps: Deps, options: Options): Promise<Removed | 'busy'> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const done = await cleanupWithLock(deps, options);
    if (done !== 'busy' || performance.now() > deadline) return done;
    await sleep(POLL_MS);
  }
}

function cleanupWithLock(deps: Deps, { days, dryRun }: Options): Promise<Removed | 'busy'> {
  const { db, tasks, deletions } = deps;
  return db.transaction(
    async (lock) => {
      // One cutoff for all batches, so that a long cleanup ends.
      const { rows } = await lock.query<{ locked: boolean; before: Date }>(
        `select pg_try_advisory_xact_lock($1) as locked, (now() - make_interval(days => $2))::timestamptz(3) as before`,
        [LOCK, days],
      );
      const { locked, before } = rows[0]!;
      if (!locked) return 'busy';
      if (dryRun) return (await db.query<Removed>(COUNT, [before])).rows[0]!;
      const removed = { tasks: 0, files: 0 };
      for (let batch = await removeBatch(deps, before); batch; batch = await removeBatch(deps, before)) {
        removed.tasks += batch.tasks;
        removed.files += batch.files;
        await deletions.drain();
      }
      while ((await tasks.batches.removeEmpty(SERVICE, before, BATCH)) === BATCH);
      return removed;
    },
    { statementTimeoutMs: HOUR_MS },
  );
}

/** `files` counts stored PDFs whose last document was deleted. */
function removeBatch({ db, tasks }: Deps, before: Date) {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; file_key: string }>(OLD, [before, BATCH]);
    if (rows.length === 0) return undefined;
    const ids = rows.map(({ id }) => id);
    const keys = [...new Set(rows.map(({ file_key }) => file_key))];
    // Lock order: tasks by id, then files by key.
    await lockForRemoval(tx, ids);
    await tx.query('select from passport_files where key = any($1::text[]) order by key for update', [keys]);
    const removed = await tasks.remove(SERVICE, ids, tx);
    const sandboxTasks = await tasks.remove(sandboxQueue(SERVICE), ids, tx);
    const remaining = await tx.query('select from passport_files where key = any($1::text[])', [keys]);
    return { tasks: removed.length + sandboxTasks.length, files: keys.length - remaining.rowCount };
  });
}

const OLD = `
  select id, file_key
    from passport_documents
   where created_at < $1
   order by created_at, id
   limit $2`;

const COUNT = `
  select count(*) as tasks,
         count(distinct d.file_key) filter (where not exists (
           select from passport_documents y where y.file_key = d.file_key and y.created_at >= $1)) as files
    from passport_documents d
   where d.created_at < $1`;
