import type { Db, Queryable } from '../../../base/db.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { SERVICE } from './rows.ts';
import type { Trash } from './trash.ts';

/** Any number that no other lock of ours has. */
const LOCK = 3_355_201_117;
/** Few enough that nobody waits long for the rows of a batch. */
const BATCH = 500;
/** Another cleanup is waited for so long; PostgreSQL's name for having waited in vain. */
const PATIENCE = '5s';
const LOCK_NOT_AVAILABLE = '55P03';
/** The lock is held while batches run elsewhere; they are what takes its time. */
const HOUR_MS = 3_600_000;

/** Removes documents that are older than `days`, in any state. One cleanup at a time, whichever process runs it. */
export async function cleanup(
  needs: { db: Db; tasks: TaskStore; trash: Trash },
  { days, dryRun }: { days: number; dryRun: boolean },
): Promise<{ tasks: number; files: number } | 'busy'> {
  const { db, trash } = needs;
  try {
    return await db.transaction(
      async (lock) => {
        await lock.query(`set local lock_timeout = '${PATIENCE}'`);
        await lock.query('select pg_advisory_xact_lock($1)', [LOCK]);
        // One moment for all batches, so that a long cleanup does not run after what grows old meanwhile.
        const { rows } = await lock.query<{ before: Date }>(
          `select (now() - make_interval(days => $1))::timestamptz(3) as before`,
          [days],
        );
        const { before } = rows[0]!;
        if (dryRun) return count(db, before);
        const removed = { tasks: 0, files: 0 };
        for (let batch = await removeBatch(needs, before); batch; batch = await removeBatch(needs, before)) {
          removed.tasks += batch.tasks;
          removed.files += batch.files;
          await trash.empty();
        }
        return removed;
      },
      { statementTimeoutMs: HOUR_MS },
    );
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return 'busy';
    throw error;
  }
}

/** What a batch removed; nothing when there is nothing left. Files are stored PDFs, counted when their last document goes. */
function removeBatch({ db, tasks }: { db: Db; tasks: TaskStore }, before: Date) {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; file_key: string }>(OLD, [before, BATCH]);
    if (rows.length === 0) return undefined;
    const keys = [...new Set(rows.map(({ file_key }) => file_key))];
    await tx.query('select from passport_files where key = any($1::text[]) order by key for update', [keys]);
    const removed = await tasks.remove(
      SERVICE,
      rows.map(({ id }) => id),
      tx,
    );
    const left = await tx.query('select from passport_files where key = any($1::text[])', [keys]);
    return { tasks: removed.length, files: keys.length - left.rowCount };
  });
}

async function count(db: Queryable, before: Date): Promise<{ tasks: number; files: number }> {
  const { rows } = await db.query<{ tasks: number; files: number }>(COUNT, [before]);
  return rows[0]!;
}

// Tasks in the order of their ids, then files in the order of their keys, as everybody locks them.
const OLD = `
  select d.id, d.file_key
    from passport_documents d
    join tasks t on t.id = d.id
   where d.id in (select id from passport_documents where created_at < $1 order by created_at, id limit $2)
   order by d.id
     for update of t`;

const COUNT = `
  select count(*) as tasks,
         count(distinct d.file_key) filter (where not exists (
           select from passport_documents y where y.file_key = d.file_key and y.created_at >= $1)) as files
    from passport_documents d
   where d.created_at < $1`;
