import type { Db, Queryable, Transaction } from '../../../base/db.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import type { Log } from '../../../base/log.ts';
import { TASK_COLUMNS, type TaskRow, toTask } from '../../../tasks/rows.ts';
import { isFinished } from '../../../tasks/task.ts';
import type { EndedTask, RecordSource } from '../../records.ts';
import { type Entry, entryOf, recordIdOf } from './entry.ts';
import { createFeedFloor, type FeedFloor } from './feed-floor.ts';
import { erase, write } from './write.ts';

export interface Indexer {
  /**
   * Takes what comes next in the feed and writes its records, in one transaction: so each ending is indexed once, in the
   * order of the feed, whoever dies meanwhile. `more`: there was as much as can be taken at once, and the next can be
   * taken at once; false also where another indexer is at it.
   */
  turn(): Promise<{ indexed: ReadonlyMap<string, number>; more: boolean }>;
}

interface Needs {
  readonly db: Db;
  readonly sources: readonly RecordSource[];
  readonly log: Log;
  readonly floor: FeedFloor;
}

export function openIndexer(options: Omit<Needs, 'floor'>): Indexer {
  const { db, log } = options;
  const needs: Needs = { ...options, floor: createFeedFloor() };

  /** What cannot be written is left out, and said: one bad result must not keep all others from being found. */
  const oneByOne = async (count: number) => {
    const indexed = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const taken: Fed[] = [];
      try {
        const counts = await db.transaction((tx) => index(tx, needs, 1, taken));
        for (const [service, count] of counts) indexed.set(service, (indexed.get(service) ?? 0) + count);
      } catch (err) {
        const [bad] = taken;
        if (isUnavailable(err) || isCollision(err) || bad === undefined) throw err;
        log.error({ err, service: bad.service, task: bad.task_id }, 'a finished task cannot be made a record');
        await db.query('delete from catalog_feed where serial = $1', [bad.serial]);
      }
    }
    return indexed;
  };

  return {
    async turn() {
      const taken: Fed[] = [];
      try {
        const indexed = await db.transaction((tx) => index(tx, needs, BATCH, taken));
        needs.floor.taken(taken);
        return { indexed, more: taken.length > 0 && (taken.length === BATCH || taken.at(-1)!.more) };
      } catch (error) {
        if (isUnavailable(error) || taken.length === 0) throw error;
        return { indexed: await oneByOne(taken.length), more: true };
      }
    },
  };
}

/** Deadlock and serialisation failure: nothing is wrong with what was to be written. */
const isCollision = (error: unknown) => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

/** Records of a few rows are little more work than those of one. */
const BATCH = 500;
/** So much of stored (compressed) results is in memory at once. */
const BATCH_BYTES = 4 * 2 ** 20;
/** One indexer at a time; any number that no other lock of ours has. */
const LOCK = 2_907_113_645;

interface Fed {
  readonly serial: number;
  readonly service: string;
  readonly task_id: string;
  readonly gone: boolean;
  /** Whether more of the feed would have been taken, had it not been too large. */
  readonly more: boolean;
}

/** Answers how many records of each service were written or removed. */
async function index(tx: Transaction, needs: Needs, limit: number, taken: Fed[]): Promise<Map<string, number>> {
  const { rows: lock } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [LOCK]);
  if (!lock[0]!.mine) return new Map();
  const { rows: fed } = await needs.floor.read((from) => tx.query<Fed>(TAKE, [limit, BATCH_BYTES, from]));
  taken.push(...fed);
  if (fed.length === 0) return new Map();
  const gone = new Set(fed.filter((row) => row.gone).map(({ service, task_id }) => recordIdOf(service, task_id)));
  const { entries, without } = await entriesOf(tx, needs.sources, fed, gone);
  await erase(tx, [...gone, ...without]);
  await write(tx, entries);
  await tx.query(TAKEN, [fed.map(({ serial }) => serial)]);
  const counts = new Map<string, number>();
  for (const { service } of entries) counts.set(service, (counts.get(service) ?? 0) + 1);
  return counts;
}

/** The records of what was fed, in its order; `without`: the ids of those whose service makes no record of them any more. */
async function entriesOf(tx: Queryable, sources: readonly RecordSource[], fed: readonly Fed[], gone: Set<string>) {
  const wanted = fed.filter(({ service, task_id }) => !gone.has(recordIdOf(service, task_id)));
  const tasks = wanted.length === 0 ? [] : await endedTasks(tx, [...new Set(wanted.map(({ task_id }) => task_id))]);
  const made = new Map<string, Entry>();
  const without: string[] = [];
  for (const source of sources) {
    const own = tasks.filter(({ service }) => service === source.service);
    if (own.length === 0) continue;
    for (const draft of await source.drafts(tx, own)) made.set(draft.taskId, entryOf(source.service, draft));
    without.push(...own.filter(({ id }) => !made.has(id)).map(({ id }) => recordIdOf(source.service, id)));
  }
  const inOrder = [...new Set(wanted.map(({ task_id }) => task_id))];
  return { entries: inOrder.flatMap((id) => made.get(id) ?? []), without };
}

async function endedTasks(tx: Queryable, ids: readonly string[]): Promise<EndedTask[]> {
  const { rows } = await tx.query<TaskRow>(ENDED, [ids]);
  return rows.map(toTask).filter(isFinished);
}

// A result may be as large as the transcript of four hours: what is taken is measured before it is read. The first is
// taken whatever it measures. What belongs to no source any more is taken too, to be dropped.
const TAKE = {
  name: 'catalog-take',
  text: `
    with next as materialized (
      select serial, service, task_id, gone from catalog_feed where serial >= $3 order by serial limit $1
    ),
    measured as (
      select n.serial, n.service, n.task_id, n.gone, s.service is not null as wanted,
             sum(coalesce(pg_column_size(t.result), 0) + coalesce(pg_column_size(t.input), 0))
               over (order by n.serial) as bytes,
             row_number() over (order by n.serial) as place
        from next n
        left join catalog_sources s on s.service = n.service
        left join tasks t on t.id = n.task_id
    )
    select serial, service, task_id, gone,
           (select count(*) from measured) > count(*) over () as more
      from measured
     where place = 1 or bytes <= $2
     order by serial`,
};

const ENDED = {
  name: 'catalog-ended',
  text: `
    select ${TASK_COLUMNS}
      from tasks t
      join catalog_sources s on s.service = t.service
      left join deliveries d on d.task_id = t.id
     where t.id = any($1::text[])
       and t.finished_at is not null and (t.expires_at is null or t.expires_at > now())`,
};

const TAKEN = { name: 'catalog-taken', text: 'delete from catalog_feed where serial = any($1::bigint[])' };
