import { batched } from '../base/batch.ts';
import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';
import type { JsonValue } from '../base/json.ts';
import { sleep } from '../base/loop.ts';
import { createFeedFloor } from './feed-floor.ts';

/** The events of the tasks of one client in one service. */
export interface Feed {
  readonly service: string;
  readonly principal: string;
}

export interface TaskEvent {
  /** Increases in the order in which events become visible. */
  readonly number: number;
  /** `paused`: the endpoint of the webhooks. `completed`: a batch, with its id as `taskId`. */
  readonly kind: 'terminal' | 'deleted' | 'corrected' | 'paused' | 'completed';
  readonly taskId: string;
  /** Of a terminal event. */
  readonly status: 'done' | 'failed' | null;
  readonly errorCode: string | null;
  /** Of a pause. */
  readonly endpoint: string | null;
  /** Of a completed batch. */
  readonly batch: EndedBatch | null;
  readonly at: Date;
}

/** A batch at its first end. */
export interface EndedBatch {
  /** JSON text. */
  readonly input: string;
  readonly summary: JsonValue;
  readonly queuedAt: string;
  readonly finishedAt: string;
}

/** A number: the events after that one. */
export type FeedPosition = number | 'earliest' | 'latest';

export interface EventPage {
  readonly events: readonly TaskEvent[];
  /** Where the next page starts. */
  readonly position: number;
  /** Further events were stored at the time of the read. */
  readonly more: boolean;
}

/** `expired`: events after the position are deleted. `unknown`: no event has this number yet. */
export type EventReading =
  | ({ readonly outcome: 'page' } & EventPage)
  | { readonly outcome: 'expired'; readonly earliest: number }
  | { readonly outcome: 'unknown' };

export type EventStore = ReturnType<typeof createEventStore>;

const MAX_NUMBERED = 2000;
const MAX_DELETED = 10_000;
/** While another process numbers events. */
const BUSY_PAUSE_MS = 5;
/** A reader does not wait for a longer backlog, which the sweep numbers. */
const MAX_ROUNDS = 10;
/** Any numbers that no other lock uses. */
const NUMBER_LOCK = 1_406_338_217;
const DELETE_LOCK = 1_406_338_218;

/** Reads and numbers the events of tasks, which are recorded without a number. */
export function createEventStore(db: Db) {
  const floor = createFeedFloor();

  /** Numbers a batch of committed events. `busy`: another process is doing so. */
  async function numberBatch(): Promise<{ busy: boolean; isFull: boolean }> {
    const { rows } = await floor.read((from) => db.query<Numbered>(NUMBER, [from, MAX_NUMBERED]));
    const { mine, count, highest } = rows[0]!;
    if (highest !== null) floor.reportDeleted([{ serial: highest }]);
    return { busy: !mine, isFull: count === MAX_NUMBERED };
  }

  /** Returns whether more are left. Calls of the same moment share one statement. */
  const numberNew = batched(
    async (calls: undefined[]) => {
      let more = true;
      for (let round = 0; more && round < MAX_ROUNDS; round++) {
        const batch = await numberBatch();
        if (batch.busy) await sleep(BUSY_PAUSE_MS);
        more = batch.busy || batch.isFull;
      }
      return calls.map(() => more);
    },
    { max: Number.POSITIVE_INFINITY, inFlight: 1 },
  );

  const read = batched(async (requests: ReadRequest[]): Promise<EventReading[]> => {
    const { rows } = await db.query<ReadRow>(READ, [
      requests.map(({ feed }) => feed.service),
      requests.map(({ feed }) => feed.principal),
      requests.map(({ after }) => (typeof after === 'number' ? after : null)),
      requests.map(({ after, limit }) => (after === 'latest' ? 0 : limit)),
    ]);
    const rowsOf = requests.map((): ReadRow[] => []);
    for (const row of rows) rowsOf[row.place - 1]!.push(row);
    return requests.map((request, index) => toReading(request, rowsOf[index]!));
  });

  return {
    /** Numbers the events committed so far, so that `read` returns them; returns whether some are left. */
    numberNew: (): Promise<boolean> => numberNew(undefined),

    /** One statement for all reads of the same moment. */
    read: (feed: Feed, after: FeedPosition, limit: number): Promise<EventReading> => read({ feed, after, limit }),

    /** The feeds with events above a number, and the highest number; only that without `after`. */
    async changedSince(after: number | undefined): Promise<{ feeds: readonly Feed[]; newest: number }> {
      if (after === undefined) {
        const { rows } = await db.query<{ newest: number }>(NEWEST);
        return { feeds: [], newest: rows[0]!.newest };
      }
      const { rows } = await db.query<Feed & { newest: number }>(CHANGED, [after]);
      return { feeds: rows, newest: rows.reduce((newest, row) => Math.max(newest, row.newest), after) };
    },

    /** The age of the oldest event without a number. */
    async lagSeconds(): Promise<number> {
      const { rows } = await floor.read((from) => db.query<{ seconds: number | null }>(LAG, [from]));
      return rows[0]?.seconds ?? 0;
    },

    /** Deletes events whose results have expired. */
    async deleteExpired(signal: AbortSignal): Promise<void> {
      for (let count = MAX_DELETED; count === MAX_DELETED && !signal.aborted; ) {
        const { rows } = await db.query<{ count: number }>(DELETE, [MAX_DELETED]);
        count = rows[0]!.count;
      }
      await db.query(DELETE_FLOORS);
    },
  };
}

/**
 * Continues far above the numbers of the backup: events after it may have had the next ones, and clients may have
 * received them.
 */
export async function skipEventNumbers(db: Queryable): Promise<void> {
  await db.query(SKIP, [1_000_000_000]);
}

interface Numbered {
  readonly mine: boolean;
  readonly count: number;
  /** Serial of the latest numbered event. */
  readonly highest: number | null;
}

interface ReadRequest {
  readonly feed: Feed;
  readonly after: FeedPosition;
  readonly limit: number;
}

type ReadRow = { place: number; floor: number; newest: number; issued: number } & (TaskEvent | { number: null });

function toReading({ after, limit }: ReadRequest, rows: readonly ReadRow[]): EventReading {
  const { floor, newest, issued } = rows[0]!;
  if (after === 'latest') return { outcome: 'page', events: [], position: Math.max(newest, floor), more: false };
  const start = after === 'earliest' ? floor : after;
  if (start < floor) return { outcome: 'expired', earliest: floor };
  if (start > issued) return { outcome: 'unknown' };
  const events = rows.flatMap(({ place: _, floor: __, newest: ___, issued: ____, ...row }) =>
    row.number === null ? [] : [row as TaskEvent],
  );
  const position = events.at(-1)?.number ?? start;
  return { outcome: 'page', events, position, more: events.length === limit && newest > position };
}

const limitMs = CLIENT_LIMIT_MS;

// The lock makes the numbering serial, so that rows become visible in the order of their numbers. It is held until the rows
// are visible, and only by this one statement.
const NUMBER = {
  name: 'number-events',
  limitMs,
  text: `
    with lock as materialized (select pg_try_advisory_xact_lock(${NUMBER_LOCK}) as mine),
    next as materialized (
      select u.serial
        from lock
       cross join lateral (
              select serial from unnumbered_task_events where serial >= $1 order by serial limit $2) as u
       where lock.mine
    ),
    taken as (
      delete from unnumbered_task_events where serial = any(array(select serial from next)) returning *
    ),
    numbered as (
      insert into task_events (serial, service, principal, task_id, kind, status, error_code, endpoint, batch, at, expires_at)
      select serial, service, principal, task_id, kind, status, error_code, endpoint, batch, at, expires_at
        from (select * from taken order by serial) as in_order
      returning 1
    )
    select mine, (select count(*) from numbered)::int as count,
           coalesce((select max(serial) from taken), (select serial from task_events order by number desc limit 1)) as highest
      from lock`,
};

const READ = {
  name: 'read-events',
  limitMs,
  text: `
    select q.place::int, coalesce(f.number, 0) as floor,
           coalesce((select max(number) from task_events m where m.service = q.service and m.principal = q.principal), 0)
             as newest,
           coalesce((select pg_sequence_last_value(pg_get_serial_sequence('task_events', 'number')::regclass)), 0) as issued,
           e.*
      from unnest($1::text[], $2::text[], $3::bigint[], $4::int[])
             with ordinality as q (service, principal, after, size, place)
      left join task_event_floors f on f.service = q.service and f.principal = q.principal
      left join lateral (
             select number, kind, task_id as "taskId", status, error_code as "errorCode", endpoint, batch, at
               from task_events t
              where t.service = q.service and t.principal = q.principal
                and t.number > greatest(coalesce(q.after, 0), coalesce(f.number, 0))
              order by number
              limit q.size) as e on true
     order by q.place, e.number`,
};

const NEWEST = { name: 'newest-event', limitMs, text: 'select coalesce(max(number), 0) as newest from task_events' };

const CHANGED = {
  name: 'changed-feeds',
  limitMs,
  text: `
    select service, principal, max(number) as newest from task_events where number > $1 group by service, principal`,
};

const LAG = {
  name: 'event-lag',
  limitMs,
  text: `
    select extract(epoch from clock_timestamp() - at)::float8 as seconds
      from unnumbered_task_events
     where serial >= $1
     order by serial
     limit 1`,
};

const DELETE = {
  name: 'delete-events',
  text: `
    with lock as materialized (select pg_try_advisory_xact_lock(${DELETE_LOCK}) as mine),
    old as materialized (
      select o.number
        from lock
       cross join lateral (
              select number from task_events where expires_at < now() order by expires_at limit $1) as o
       where lock.mine
    ),
    deleted as (
      delete from task_events where number = any(array(select number from old)) returning service, principal, number
    ),
    raised as (
      insert into task_event_floors as f (service, principal, number)
      select service, principal, max(number) from deleted group by service, principal
          on conflict (service, principal) do update
         set number = greatest(f.number, excluded.number), raised_at = now()
    )
    select count(*)::int as count from deleted`,
};

const DELETE_FLOORS = `delete from task_event_floors where raised_at < now() - interval '366 days'`;

const SKIP = `
  select setval(pg_get_serial_sequence('task_events', 'number'),
                $1 + coalesce(pg_sequence_last_value(pg_get_serial_sequence('task_events', 'number')::regclass), 0))`;
