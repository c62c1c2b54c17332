import { batched } from '../base/batch.ts';
import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';
import type { JsonValue } from '../base/json.ts';
import type { StoredCheckpoint } from './store.ts';
import { type Finished, isFinished, type Task } from './task.ts';
import { IS_READABLE, TASK_COLUMNS, type TaskRow, taskColumns, toTask } from './task-rows.ts';

/** Results with a larger stored size are read in separate batches of bounded size. */
const LARGE_STORED_BYTES = 4096;
/** Assumed ratio of text size to stored size. Chosen: test/tasks/large-results.full.test.ts has 5.7. */
const COMPRESSION_RATIO = 8;
/** Maximum text size per statement (two run at once). A larger result is read alone. */
const LARGE_BATCH_BYTES = 4 * 2 ** 20;

/** Batches concurrent reads into one statement, which is ten times cheaper under load. */
export function createTaskReader(db: Db): (service: string, id: string) => Promise<Task | undefined> {
  const read = batched(async (ids: string[]) => {
    const { rows } = await (ids.length === 1 ? db.query<ReadRow>(READ_ONE, ids) : db.query<ReadRow>(READ, [ids]));
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id));
  });
  const readLarge = batched(
    async (large: ReadRow[]) => {
      const { rows } = await db.query<{ id: string; text: string }>(READ_LARGE, [large.map(({ id }) => id)]);
      const found = new Map(rows.map(({ id, text }) => [id, text]));
      return large.map(({ id }) => found.get(id));
    },
    { weigh: { weightOf: ({ large_bytes }) => large_bytes! * COMPRESSION_RATIO, maxWeight: LARGE_BATCH_BYTES } },
  );
  return async (service, id) => {
    const row = await read(id);
    if (row?.service !== service) return undefined;
    if (row.large_bytes === null) return toTask(row);
    const text = await readLarge(row);
    return text === undefined ? undefined : toTask({ ...row, result_text: text });
  };
}

type ReadRow = TaskRow & { large_bytes: number | null };

export async function readAttachment(db: Db, id: string): Promise<JsonValue | undefined> {
  const { rows } = await db.query<{ attachment: JsonValue }>(ATTACHMENT, [id]);
  return rows[0]?.attachment ?? undefined;
}

export async function readCheckpoint(
  db: Db,
  id: string,
  knownBytes: number | undefined,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<{ bytes: number; checkpoint: JsonValue }>(CHECKPOINT, [id, knownBytes ?? null]);
  const row = rows[0];
  if (row === undefined) return undefined;
  return { storedBytes: row.bytes, ...(row.checkpoint !== null && { checkpoint: row.checkpoint }) };
}

/** The finished tasks with these ids that have not expired, of any service. */
export async function readFinished(db: Queryable, ids: readonly string[]): Promise<Finished[]> {
  const { rows } = await db.query<TaskRow>(READ_FINISHED, [ids]);
  return rows.map(toTask).filter(isFinished);
}

// `pg_column_size` does not read the value.
const IS_LARGE = `pg_column_size(t.result) > ${LARGE_STORED_BYTES}`;

const readStatement = (name: string, condition: string) => ({
  name,
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select ${taskColumns(`case when ${IS_LARGE} then null else t.result::text end`)},
           case when ${IS_LARGE} then pg_column_size(t.result) end as large_bytes
      from tasks t
      left join deliveries d on d.task_id = t.id
     where ${condition} and ${IS_READABLE}`,
});

const READ = readStatement('read', 't.id = any($1::text[])');
// PostgreSQL plans each execution of `READ` with one id, which takes four times as long as the rest of it.
const READ_ONE = readStatement('read-one', 't.id = $1');

const READ_LARGE = {
  name: 'read-large',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select t.id, t.result::text as text
      from tasks t
     where t.id = any($1::text[]) and ${IS_READABLE}`,
};

const READ_FINISHED = {
  name: 'read-finished',
  text: `
    select ${TASK_COLUMNS}
      from tasks t
      left join deliveries d on d.task_id = t.id
     where t.id = any($1::text[]) and t.finished_at is not null and ${IS_READABLE}`,
};

const ATTACHMENT = {
  name: 'attachment',
  limitMs: CLIENT_LIMIT_MS,
  text: 'select attachment from tasks where id = $1',
};

// Long recordings have megabytes of checkpoint; `pg_column_size` does not read the value.
const CHECKPOINT = {
  name: 'checkpoint',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select pg_column_size(checkpoint) as bytes,
           case when pg_column_size(checkpoint) is distinct from $2::int then checkpoint end as checkpoint
      from tasks
     where id = $1 and checkpoint is not null`,
};
