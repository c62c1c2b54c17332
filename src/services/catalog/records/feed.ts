import type { Db, Queryable } from '../../../base/db.ts';
import { isCollision, isDuplicate, isLockTimeout, isStatementTimeout, isUnavailable } from '../../../base/db-errors.ts';
import type { Log } from '../../../base/log.ts';
import { createEventStore } from '../../../tasks/events.ts';
import { createFeedFloor, type FeedFloor } from '../../../tasks/feed-floor.ts';
import { readFinished } from '../../../tasks/read.ts';
import type { RecordSource } from '../../shared/records.ts';
import { createEntry, type Entry, recordIdOf } from './entry.ts';
import { deleteRecords, writeRecords } from './write.ts';

interface Options {
  /** The database of the records. */
  readonly db: Db;
  /** The database of the tasks; absent: the same. */
  readonly feed?: Feed;
  readonly sources: readonly RecordSource[];
  readonly log: Log;
  /** A task of this service is not indexed, because it fails repeatedly. */
  readonly onSkipped?: (service: string) => void;
}

/** The feed of a database. */
export interface Feed {
  readonly db: Db;
  /** Services of this installation in other databases. Their rows are left, here those of a copied database. */
  readonly servicesElsewhere: readonly string[];
}

type Deps = Required<Omit<Options, 'log' | 'onSkipped'>> & { readonly floor: FeedFloor };

/** Rows of one read of the feed. */
interface Batch {
  taken: readonly FeedRow[];
}

export function createIndexer({
  db,
  feed = { db, servicesElsewhere: [] },
  sources,
  log,
  onSkipped = () => {},
}: Options) {
  const deps: Deps = { db, feed, sources, floor: createFeedFloor() };
  const events = createEventStore(feed.db);
  const index = createBatchIndexer(deps);

  /** Rows of the next batch: fewer after one whose statements took too long. */
  let limit = BATCH_ROWS;
  /** The row whose statements took too long, alone in its batch; `tried`: the last row behind it that was tried. */
  let slow = { serial: -1, timeouts: 0, tried: -1 };

  const skip = async (row: FeedRow, err: unknown) => {
    log.error({ err, service: row.service, task: row.task_id }, 'a finished task cannot be indexed');
    await feed.db.query('delete from catalog_feed where serial = $1', [row.serial]);
    onSkipped(row.service);
  };

  /** Whether a row behind the slow one becomes a record: otherwise the database may be slow. */
  const indexesNext = async () => {
    const next: Batch = { taken: [] };
    const counts = await index(1, next, slow.tried + 1).catch(() => new Map());
    slow.tried = next.taken[0]?.serial ?? slow.serial;
    return counts.size > 0;
  };

  /** Whether the row, alone in its batch, has exceeded the limit of a statement too often. */
  const isTooSlow = async ({ serial }: FeedRow) => {
    if (serial !== slow.serial) slow = { serial, timeouts: 0, tried: serial };
    else if (!(await indexesNext())) return false;
    return ++slow.timeouts >= MAX_TIMEOUTS;
  };

  /** One bad result must not block the feed. */
  const indexOneByOne = async (count: number) => {
    const indexed = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const batch: Batch = { taken: [] };
      try {
        const counts = await index(1, batch).catch((err: unknown) => {
          // An indexer that was paused and lost the feed's lock has indexed the row meanwhile: found now, it is skipped.
          if (!isDuplicate(err)) throw err;
          return index(1, batch);
        });
        for (const [service, count] of counts) indexed.set(service, (indexed.get(service) ?? 0) + count);
      } catch (err) {
        const [bad] = batch.taken;
        if (bad === undefined || isCollision(err) || isLockTimeout(err)) throw err;
        if (isUnavailable(err) && !(isStatementTimeout(err) && (await isTooSlow(bad)))) throw err;
        await skip(bad, err);
      }
    }
    return indexed;
  };

  return {
    /**
     * Indexes a batch: each finished task once and in order, also after a crash. `more`: the batch was full; false while
     * another indexer runs.
     */
    async indexBatch(): Promise<{ indexed: ReadonlyMap<string, number>; more: boolean }> {
      // A trigger then feeds the tasks that have ended.
      await events.numberNew();
      const batch: Batch = { taken: [] };
      try {
        const rows = limit;
        const indexed = await index(rows, batch);
        // Slowly: each batch that exceeds the timeout costs 30 s.
        limit = Math.min(rows + Math.ceil(rows / 10), BATCH_ROWS);
        const { taken } = batch;
        deps.floor.reportDeleted(taken);
        return { indexed, more: taken.length > 0 && (taken.length === rows || taken.at(-1)!.more) };
      } catch (error) {
        if (isStatementTimeout(error)) {
          const [row, ...others] = batch.taken;
          if (row !== undefined && others.length === 0 && (await isTooSlow(row))) {
            await skip(row, error);
            return { indexed: new Map(), more: true };
          }
          limit = Math.max(1, Math.floor(batch.taken.length / 2));
        }
        if (isUnavailable(error) || isLockTimeout(error) || batch.taken.length === 0) throw error;
        return { indexed: await indexOneByOne(batch.taken.length), more: true };
      }
    },
  };
}

const BATCH_ROWS = 500;
/**
 * Attempts of 30 s each, which do not wait long for locks, after which a row is skipped. Each but the first counts only if
 * a row behind is then indexed.
 */
const MAX_TIMEOUTS = 3;
/** Below the limit of a statement, so that a row that waits for a lock does not count as slow. */
const LOCK_TIMEOUT = { settings: "set local lock_timeout = '20s'" };
/** Stored (compressed) size of the results and attachments in memory. */
const BATCH_BYTES = 4 * 2 ** 20;
/** One indexer per feed at a time. Any number that no other lock uses. */
const LOCK = 2_907_113_645;

interface FeedRow {
  readonly serial: number;
  readonly id: string;
  readonly service: string;
  readonly task_id: string;
  readonly deleted: boolean;
  /** Whether its service is a source. */
  readonly wanted: boolean;
  /** Whether the size limit excluded further rows. */
  readonly more: boolean;
}

/**
 * Writes the records in a transaction of their database that also stores the ids of the feed's rows. The deletion of the rows
 * is committed afterwards; if that fails, their ids exclude them from the next batch.
 */
function createBatchIndexer({ db, feed, sources, floor }: Deps) {
  /** Ids of the batch before. */
  let deletedRows: readonly string[] = [];

  /** Returns the number of records per service. */
  return async (limit: number, batch: Batch, least = 0): Promise<Map<string, number>> => {
    const entries = await feed.db.transaction(async (tx) => {
      const { rows: lock } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [LOCK]);
      if (!lock[0]!.mine) return [];
      const parameters = [limit, BATCH_BYTES, feed.servicesElsewhere];
      const { rows } = await floor.read((from) => tx.query<FeedRow>(CLAIM, [...parameters, Math.max(from, least)]));
      batch.taken = rows;
      if (rows.length === 0) return [];
      const { rows: known } = await db.query<{ id: string }>(FIND_INDEXED, [rows.map(({ id }) => id)]);
      const indexedIds = new Set(known.map(({ id }) => id));
      const unindexed = rows.filter(({ id }) => !indexedIds.has(id));
      return indexRows(tx, unindexed, () => tx.query(DELETE_TAKEN, [rows.map(({ serial }) => serial)]));
    }, LOCK_TIMEOUT);
    if (batch.taken.length > 0) deletedRows = batch.taken.map(({ id }) => id);
    const counts = new Map<string, number>();
    for (const { service } of entries) counts.set(service, (counts.get(service) ?? 0) + 1);
    return counts;
  };

  async function indexRows(
    tx: Queryable,
    rows: readonly FeedRow[],
    deleteTaken: () => Promise<unknown>,
  ): Promise<readonly Entry[]> {
    const deleted = new Set(
      rows.filter((row) => row.deleted).map(({ service, task_id }) => recordIdOf(service, task_id)),
    );
    const { entries, without } = await entriesOf(tx, sources, rows, deleted);
    await db.transaction(async (records) => {
      await deleteRecords(records, [...deleted, ...without]);
      await writeRecords(records, entries);
      // While the records are locked: fails if this process was paused and lost the feed's lock, so that another indexer can
      // have written newer records.
      await deleteTaken();
      await records.query(STORE_INDEXED, [deletedRows, rows.map(({ id }) => id)]);
    }, LOCK_TIMEOUT);
    return entries;
  }
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
    const drafts = await source.drafts(tx, own);
    const attachments = await readAttachments(
      tx,
      drafts.filter(({ withAttachment }) => withAttachment).map(({ taskId }) => taskId),
    );
    for (const draft of drafts)
      entryById.set(draft.taskId, createEntry(source.service, draft, attachments.get(draft.taskId)));
    without.push(...own.filter(({ id }) => !entryById.has(id)).map(({ id }) => recordIdOf(source.service, id)));
  }
  return { entries: inOrder.flatMap((id) => entryById.get(id) ?? []), without };
}

async function readAttachments(db: Queryable, taskIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (taskIds.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; attachment: string }>(ATTACHMENTS, [taskIds]);
  return new Map(rows.map(({ id, attachment }) => [id, attachment]));
}

// Sizes are summed before results are read; the first row is always taken. Rows of removed sources are taken too, to be
// deleted.
const CLAIM = {
  name: 'catalog-take',
  text: `
    with next as materialized (
      select serial, id, service, task_id, deleted
        from catalog_feed
       where serial >= $4 and service <> all($3::text[])
       order by serial
       limit $1
    ),
    measured as (
      select n.serial, n.id, n.service, n.task_id, n.deleted, s.service is not null as wanted,
             sum(coalesce(pg_column_size(t.result), 0) + coalesce(pg_column_size(t.input), 0)
                 + coalesce(pg_column_size(t.attachment), 0)) over (order by n.serial) as bytes,
             row_number() over (order by n.serial) as place
        from next n
        left join catalog_sources s on s.service = n.service
        left join tasks_read_only t on t.id = n.task_id
    )
    select serial, id, service, task_id, deleted, wanted,
           (select count(*) from measured) > count(*) over () as more
      from measured
     where place = 1 or bytes <= $2
     order by serial`,
};

// The member training is for the service only.
const ATTACHMENTS = {
  name: 'catalog-attachments',
  text: `
    select id, (attachment::jsonb - 'training')::text as attachment
      from tasks_read_only
     where id = any($1::text[]) and attachment is not null`,
};

const DELETE_TAKEN = { name: 'catalog-taken', text: 'delete from catalog_feed where serial = any($1::bigint[])' };

const FIND_INDEXED = {
  name: 'catalog-find-indexed',
  text: 'select id from catalog_indexed_feed_rows where id = any($1::uuid[])',
};

// The first ids are those of deleted rows of the feed.
const STORE_INDEXED = {
  name: 'catalog-store-indexed',
  text: `
    with gone as (delete from catalog_indexed_feed_rows where id = any($1::uuid[]))
    insert into catalog_indexed_feed_rows (id) select unnest($2::uuid[])`,
};
