import type { Db, Queryable } from '../../../base/db.ts';
import { rest } from '../../../base/loop.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Trash } from '../../trash.ts';
import { SERVICE } from './rows.ts';

/** Any number that no other lock of ours has. */
const LOCK = 3_355_201_117;
/** Few enough that nobody waits long for the rows of a batch. */
const BATCH = 500;
/** Another cleanup is waited for so long. Not by the database: whoever waits there keeps a connection from everybody. */
const PATIENCE_MS = 5000;
const LOOK_MS = 200;
/** The lock is held while batches run elsewhere; they are what takes its time. */
const HOUR_MS = 3_600_000;

interface Removed {
  tasks: number;
  files: number;
}

/** Removes documents that are older than `days`, in any state. One cleanup at a time, whichever process runs it. */
export async function cleanup(
  needs: { db: Db; tasks: TaskStore; trash: Trash },
  options: { days: number; dryRun: boolean },
): Promise<Removed | 'busy'> {
  const late = performance.now() + PATIENCE_MS;
  for (;;) {
    const done = await cleanupAlone(needs, options);
    if (done !== 'busy' || performance.now() > late) return done;
    await rest(LOOK_MS);
  }
}

function cleanupAlone(
  needs: { db: Db; tasks: TaskStore; trash: Trash },
  { days, dryRun }: { days: number; dryRun: boolean },
): Promise<Removed | 'busy'> {
  const { db, trash } = needs;
  return db.transaction(
    async (lock) => {
      // One moment for all batches, so that a long cleanup does not run after what grows old meanwhile.
      const { rows } = await lock.query<{ mine: boolean; before: Date }>(
        `select pg_try_advisory_xact_lock($1) as mine, (now() - make_interval(days => $2))::timestamptz(3) as before`,
        [LOCK, days],
      );
      const { mine, before } = rows[0]!;
      if (!mine) return 'busy';
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

async function count(db: Queryable, before: Date): Promise<Removed> {
  const { rows } = await db.query<Removed>(COUNT, [before]);
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
