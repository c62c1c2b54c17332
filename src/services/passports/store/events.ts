import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';
import type { SessionEvent, Status } from '../documents.ts';

const limitMs = CLIENT_LIMIT_MS;
/** How many events of a session are kept. */
export const RING = 1000;
/** A session that nobody watches is numbered, and its old events dropped, so late after they came. */
const UNWATCHED_SECONDS = 60;
/** As long as the cookie lives. */
const KEPT_DAYS = 31;

/**
 * The events of sessions. Triggers write them down without a number, so that who makes something happen waits for nobody;
 * a reader gives numbers to those that it is the first to see. Hence no gaps, and no event that appears below a number
 * which somebody has seen already.
 */
export interface Events {
  after(session: string, number: number): Promise<readonly SessionEvent[] | 'lost'>;
  last(session: string): Promise<number>;
  /** Those of these sessions whose latest event is not the one named beside them; one question for all of them. */
  stirred(watched: readonly { session: string; after: number }[]): Promise<ReadonlySet<string>>;
  /** Numbers and drops what nobody has asked for. */
  sweep(): Promise<void>;
}

export function postgresEvents(db: Db): Events {
  const number = (session: string) =>
    db.transaction(async (tx) => {
      // A statement of its own: whoever comes second then sees what the first has numbered.
      await tx.query(LOCK, [session]);
      await tx.query(NUMBER, [session]);
      await tx.query(DROP, [session, RING]);
    });

  /** The numbers that there are: those of kept events, and the latest. */
  const range = async (session: string) => {
    const ask = async () => (await db.query<Range>(RANGE, [session])).rows[0]!;
    const known = await ask();
    if (!known.news) return known;
    await number(session);
    return ask();
  };

  return {
    async after(session, after) {
      const { first, last } = await range(session);
      if (after > last || after < first - 1) return 'lost';
      if (after === last) return [];
      const { rows } = await db.query<Row>(AFTER, [session, after]);
      // Dropped in between by another reader.
      if (rows[0]?.number !== after + 1) return 'lost';
      return rows.map(toEvent);
    },

    last: async (session) => (await range(session)).last,

    async stirred(watched) {
      const { rows } = await db.query<{ session: string }>(STIRRED, [
        watched.map(({ session }) => session),
        watched.map(({ after }) => after),
      ]);
      return new Set(rows.map(({ session }) => session));
    },

    async sweep() {
      const { rows } = await db.query<{ session: string }>(UNWATCHED, [UNWATCHED_SECONDS]);
      for (const { session } of rows) await number(session);
      await db.query(FORGET, [KEPT_DAYS]);
      await db.query(FORGET_COUNTS, [KEPT_DAYS]);
    },
  };
}

interface Range {
  first: number;
  last: number;
  news: boolean;
}

interface Row {
  number: number;
  kind: SessionEvent['kind'];
  document: string;
  status: Status | null;
  previous: Status | null;
  at: Date;
}

const toEvent = (row: Row): SessionEvent => ({
  id: row.number,
  kind: row.kind,
  task: row.document,
  status: row.status,
  previousStatus: row.previous,
  at: row.at,
});

const RANGE = {
  name: 'passport-event-range',
  limitMs,
  text: `
    select coalesce((select min(number) from passport_events where session = $1 and number is not null), c.last + 1) as first,
           c.last,
           exists (select from passport_events where session = $1 and number is null) as news
      from (select coalesce((select last from passport_event_counts where session = $1), 0) as last) as c`,
};

const STIRRED = {
  name: 'passport-events-stirred',
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
        on conflict (session) do update set asked_at = now()`,
};

const NUMBER = {
  name: 'passport-event-number',
  limitMs,
  text: `
    with news as (
      select serial, row_number() over (order by serial) as place
        from passport_events
       where session = $1 and number is null
    ),
    numbered as (
      update passport_events e
         set number = c.last + news.place
        from news, passport_event_counts c
       where e.serial = news.serial and c.session = $1
      returning 1
    )
    update passport_event_counts set last = last + (select count(*) from numbered) where session = $1`,
};

const DROP = {
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
    select number, kind, document, status, previous, at
      from passport_events
     where session = $1 and number > $2
     order by number`,
};

const UNWATCHED = `
  select distinct session
    from passport_events
   where number is null and at < now() - make_interval(secs => $1)
   limit 1000`;

// From the oldest on without a hole, though an event may be written down earlier than one that has a lower number.
const FORGET = `
  delete from passport_events e
   using (select session, max(number) as number
            from passport_events
           where number is not null and at < now() - make_interval(days => $1)
           group by session) as old
   where e.session = old.session and e.number <= old.number`;

// A number that a client still holds is then beyond the last one, which is as good as an event that was lost.
const FORGET_COUNTS = `
  delete from passport_event_counts c
   where asked_at < now() - make_interval(days => $1)
     and not exists (select from passport_events e where e.session = c.session)
     and not exists (select from passport_documents d where d.session = c.session)`;
