import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import type { Task } from '../../../tasks/task.ts';
import type { SessionEvent } from '../documents.ts';
import { statusOf } from './status.ts';

const limitMs = CLIENT_LIMIT_MS;
export const MAX_EVENTS = 1000;
/** Age from which events of unwatched sessions are numbered. */
const UNWATCHED_SECONDS = 60;
/** Lifetime of a session cookie. */
const KEPT_DAYS = 31;

/**
 * Triggers insert events without a number, so that writers never wait; the first reader numbers them. So numbers have
 * no gaps, and no event appears below a number that a reader has seen.
 */
export function postgresEvents(db: Db) {
  const assignNumbers = (session: string) =>
    db.transaction(async (tx) => {
      // A separate statement: a second reader then sees the numbers of the first.
      await tx.query(LOCK, [session]);
      await tx.query(NUMBER, [session]);
      await tx.query(TRIM, [session, MAX_EVENTS]);
    });

  const range = async (session: string) => {
    const query = async () => (await db.query<Range>(RANGE, [session])).rows[0]!;
    const stored = await query();
    if (!stored.pending) return stored;
    await assignNumbers(session);
    return query();
  };

  return {
    /** `lost` if some are no longer stored (the last 1000 per session are). */
    async after(session: string, after: number): Promise<readonly SessionEvent[] | 'lost'> {
      const { first, last } = await range(session);
      if (after > last || after < first - 1) return 'lost';
      if (after === last) return [];
      const { rows } = await db.query<Row>(AFTER, [session, after]);
      // Deleted meanwhile by another reader.
      if (rows[0]?.id !== after + 1) return 'lost';
      return rows.map(toEvent);
    },

    last: async (session: string) => (await range(session)).last,

    /** The sessions with another latest event number than `after`, in one query. */
    async findChangedSessions(watched: readonly { session: string; after: number }[]): Promise<ReadonlySet<string>> {
      const { rows } = await db.query<{ session: string }>(FIND_CHANGED, [
        watched.map(({ session }) => session),
        watched.map(({ after }) => after),
      ]);
      return new Set(rows.map(({ session }) => session));
    },

    /** Numbers the events of unwatched sessions and deletes old events. */
    async deleteExpired() {
      const { rows } = await db.query<{ session: string }>(FIND_UNWATCHED, [UNWATCHED_SECONDS]);
      for (const { session } of rows) await assignNumbers(session);
      await db.query(DELETE_OLD, [KEPT_DAYS]);
      await db.query(DELETE_COUNTS, [KEPT_DAYS]);
    },
  };
}

interface Range {
  first: number;
  last: number;
  pending: boolean;
}

interface Row extends Omit<SessionEvent, 'status' | 'previousStatus'> {
  status: Task['status'] | null;
  errorCode: string | null;
  previousStatus: Task['status'] | null;
  previousErrorCode: string | null;
}

const toEvent = ({ status, errorCode, previousStatus, previousErrorCode, ...row }: Row): SessionEvent => ({
  ...row,
  status: status && statusOf(status, errorCode),
  previousStatus: previousStatus && statusOf(previousStatus, previousErrorCode),
});

const RANGE = {
  name: 'passport-event-range',
  limitMs,
  text: `
    select coalesce((select min(number) from passport_events where session = $1 and number is not null), c.last + 1) as first,
           c.last,
           exists (select from passport_events where session = $1 and number is null) as pending
      from (select coalesce((select last from passport_event_counts where session = $1), 0) as last) as c`,
};

const FIND_CHANGED = {
  name: 'passport-events-changed',
  limitMs,
  text: `
    select w.session
      from unnest($1::text[], $2::bigint[]) as w (session, after)
      left join passport_event_counts c on c.session = w.session
     where coalesce(c.last, 0) <> w.after
        or exists (select from passport_events e where e.session = w.session and e.number is null)`,
};

const LOCK = {
  name: 'passport-event-lock',
  limitMs,
  text: `
    insert into passport_event_counts (session) values ($1)
        on conflict (session) do update set numbered_at = now()`,
};

const NUMBER = {
  name: 'passport-event-number',
  limitMs,
  text: `
    with pending as (
      select serial, row_number() over (order by serial) as place
        from passport_events
       where session = $1 and number is null
    ),
    numbered as (
      update passport_events e
         set number = c.last + pending.place
        from pending, passport_event_counts c
       where e.serial = pending.serial and c.session = $1
      returning 1
    )
    update passport_event_counts set last = last + (select count(*) from numbered) where session = $1`,
};

const TRIM = {
  name: 'passport-event-drop',
  limitMs,
  text: `
    delete from passport_events
     where session = $1 and number <= (select last from passport_event_counts where session = $1) - $2`,
};

const AFTER = {
  name: 'passport-events',
  limitMs,
  text: `
    select number as id, kind, document as task, status, error_code as "errorCode",
           previous_status as "previousStatus", previous_error_code as "previousErrorCode", at
      from passport_events
     where session = $1 and number > $2
     order by number`,
};

const FIND_UNWATCHED = `
  select distinct session
    from passport_events
   where number is null and at < now() - make_interval(secs => $1)
   limit 1000`;

// Without gaps from the oldest number on, although an event may be older than one with a lower number.
const DELETE_OLD = `
  delete from passport_events e
   using (select session, max(number) as number
            from passport_events
           where number is not null and at < now() - make_interval(days => $1)
           group by session) as old
   where e.session = old.session and e.number <= old.number`;

// A client's old number is then above the latest one, which also counts as `lost`.
const DELETE_COUNTS = `
  delete from passport_event_counts c
   where numbered_at < now() - make_interval(days => $1)
     and not exists (select from passport_events e where e.session = c.session)
     and not exists (select from passport_documents d where d.session = c.session)`;
