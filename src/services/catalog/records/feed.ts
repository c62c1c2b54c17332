import type { Db, Queryable, Transaction } from '../../../base/db.ts';
import { isCollision, isUnavailable } from '../../../base/db-errors.ts';
import type { Log } from '../../../base/log.ts';
import { createEventStore } from '../../../tasks/events.ts';
import { createFeedFloor, type FeedFloor } from '../../../tasks/feed-floor.ts';
import { readFinished } from '../../../tasks/read.ts';
import type { RecordSource } from '../../shared/records.ts';
import { createEntry, type Entry, recordIdOf } from './entry.ts';
import { deleteRecords, writeRecords } from './write.ts';

interface Deps {
  readonly db: Db;
  readonly sources: readonly RecordSource[];
  readonly log: Log;
  readonly floor: FeedFloor;
}

export function createIndexer(options: Omit<Deps, 'floor'>) {
  const { db, log } = options;
  const deps: Deps = { ...options, floor: createFeedFloor() };
  const events = createEventStore(db);

  /** One bad result must not block the feed. */
  const indexOneByOne = async (count: number) => {
    const indexed = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const taken: FeedRow[] = [];
      try {
        const counts = await db.transaction((tx) => index(tx, deps, 1, taken));
        for (const [service, count] of counts) indexed.set(service, (indexed.get(service) ?? 0) + count);
      } catch (err) {
        const [bad] = taken;
        if (isUnavailable(err) || isCollision(err) || bad === undefined) throw err;
        log.error({ err, service: bad.service, task: bad.task_id }, 'a finished task cannot be indexed');
        await db.query('delete from catalog_feed where serial = $1', [bad.serial]);
      }
    }
    return indexed;
  };

  return {
    /**
     * Indexes a batch in one transaction: each finished task once and in order, also after a crash. `more`: the batch was
     * full; false while another indexer runs.
     */
    async indexBatch(): Promise<{ indexed: ReadonlyMap<string, number>; more: boolean }> {
      // A trigger then feeds the tasks that have ended.
      await events.numberNew();
      const taken: FeedRow[] = [];
      try {
        const indexed = await db.transaction((tx) => index(tx, deps, BATCH_ROWS, taken));
        deps.floor.reportDeleted(taken);
        return { indexed, more: taken.length > 0 && (taken.length === BATCH_ROWS || taken.at(-1)!.more) };
      } catch (error) {
        if (isUnavailable(error) || taken.length === 0) throw error;
        return { indexed: await indexOneByOne(taken.length), more: true };
      }
    },
  };
}

const BATCH_ROWS = 500;
/** Stored (compressed) size of the results in memory. */
const BATCH_BYTES = 4 * 2 ** 20;
/** One indexer at a time. Any number that no other lock uses. */
const LOCK = 2_907_113_645;

interface FeedRow {
  readonly serial: number;
  readonly service: string;
  readonly task_id: string;
  readonly deleted: boolean;
  /** Whether its service is a source. */
  readonly wanted: boolean;
  /** Whether the size limit excluded further rows. */
  readonly more: boolean;
}

/** Returns the number of records per service. */
async function index(tx: Transaction, deps: Deps, limit: number, taken: FeedRow[]): Promise<Map<string, number>> {
  const { rows: lock } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [LOCK]);
  if (!lock[0]!.mine) return new Map();
  const { rows } = await deps.floor.read((from) => tx.query<FeedRow>(CLAIM, [limit, BATCH_BYTES, from]));
  taken.push(...rows);
  if (rows.length === 0) return new Map();
  const deleted = new Set(
    rows.filter((row) => row.deleted).map(({ service, task_id }) => recordIdOf(service, task_id)),
  );
  const { entries, without } = await entriesOf(tx, deps.sources, rows, deleted);
  await deleteRecords(tx, [...deleted, ...without]);
  await writeRecords(tx, entries);
  await tx.query(DELETE_TAKEN, [rows.map(({ serial }) => serial)]);
  const counts = new Map<string, number>();
  for (const { service } of entries) counts.set(service, (counts.get(service) ?? 0) + 1);
  return counts;
}

/** `without`: ids of tasks for which the service no longer creates a record. */
async function entriesOf(
  tx: Queryable,
  sources: readonly RecordSource[],
  rows: readonly FeedRow[],
  deleted: Set<string>,
) {
  const wanted = rows.filter((row) => row.wanted && !deleted.has(recordIdOf(row.service, row.task_id)));
  const inOrder = [...new Set(wanted.map(({ task_id }) => task_id))];
  const tasks = inOrder.length === 0 ? [] : await readFinished(tx, inOrder);
  const entryById = new Map<string, Entry>();
  const without: string[] = [];
  for (const source of sources) {
    const own = tasks.filter(({ service }) => service === source.service);
    if (own.length === 0) continue;
    for (const draft of await source.drafts(tx, own)) entryById.set(draft.taskId, createEntry(source.service, draft));
    without.push(...own.filter(({ id }) => !entryById.has(id)).map(({ id }) => recordIdOf(source.service, id)));
  }
  return { entries: inOrder.flatMap((id) => entryById.get(id) ?? []), without };
}

// Sizes are summed before results are read; the first row is always taken. Rows of removed sources are taken too, to be
// deleted.
const CLAIM = {
  name: 'catalog-take',
  text: `
    with next as materialized (
      select serial, service, task_id, deleted from catalog_feed where serial >= $3 order by serial limit $1
    ),
    measured as (
      select n.serial, n.service, n.task_id, n.deleted, s.service is not null as wanted,
             sum(coalesce(pg_column_size(t.result), 0) + coalesce(pg_column_size(t.input), 0))
               over (order by n.serial) as bytes,
             row_number() over (order by n.serial) as place
        from next n
        left join catalog_sources s on s.service = n.service
        left join tasks_read_only t on t.id = n.task_id
    )
    select serial, service, task_id, deleted, wanted,
           (select count(*) from measured) > count(*) over () as more
      from measured
     where place = 1 or bytes <= $2
     order by serial`,
};

const DELETE_TAKEN = { name: 'catalog-taken', text: 'delete from catalog_feed where serial = any($1::bigint[])' };
