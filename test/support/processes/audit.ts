import { setTimeout as delay } from 'node:timers/promises';
import { type Db, openDb } from '../../../src/base/db.ts';
import { isUnavailable } from '../../../src/base/db-errors.ts';
import { createLog } from '../../../src/base/log.ts';

const log = createLog('silent', 'test');

/** A log of every claim, requeue and end of a task, written by a database trigger. */
export interface Audit {
  readonly db: Db;
  heldBy(pid: number): Promise<string[]>;
  workerOf(pid: number): Promise<string | undefined>;
  events(ids: readonly string[]): Promise<Event[]>;
  /** How often each task has ended; must be 1. */
  endCounts(ids: readonly string[]): Promise<Map<string, number>>;
  hasHeartbeat(pid: number, since: Date): Promise<boolean>;
  now(): Promise<Date>;
  counts(): Promise<Counts>;
  close(): Promise<void>;
}

export interface Counts {
  readonly tasks: number;
  /** Tasks without an Idempotency-Key. */
  readonly keyless: number;
  readonly unfinished: number;
  /** Tasks with a worker or a lease, finished or not. */
  readonly leased: number;
  readonly undelivered: number;
  readonly deliveriesLeased: number;
}

interface Event {
  readonly id: string;
  readonly status: string;
  readonly worker: string | null;
  readonly attempts: number;
  readonly at: Date;
}

/** Installs the trigger in a product's database. Queries wait while the database is unavailable. */
export async function openAudit(url: string): Promise<Audit> {
  const directDb = openDb({ url, log, max: 3, applicationName: 'audit', statementTimeoutMs: 10_000 });
  const db: Db = { ...directDb, query: (sql, params) => retryWhileUnavailable(() => directDb.query(sql, params)) };
  await db.query(TRIGGER);
  return {
    db,
    async heldBy(pid) {
      const { rows } = await db.query<{ id: string }>(
        `select t.id from tasks t join workers w on w.id = t.worker where (w.info ->> 'pid')::int = $1`,
        [pid],
      );
      return rows.map(({ id }) => id);
    },
    async workerOf(pid) {
      const { rows } = await db.query<{ id: string }>(
        `select id from workers where (info ->> 'pid')::int = $1 order by started_at desc limit 1`,
        [pid],
      );
      return rows[0]?.id;
    },
    async events(ids) {
      const { rows } = await db.query<Event>('select * from audit where id = any($1) order by number', [ids]);
      return rows;
    },
    async endCounts(ids) {
      const { rows } = await db.query<{ id: string; ends: number }>(
        `select id, count(*) as ends from audit where id = any($1) and status in ('done', 'failed') group by id`,
        [ids],
      );
      const counted = new Map(rows.map(({ id, ends }) => [id, ends]));
      return new Map(ids.map((id) => [id, counted.get(id) ?? 0]));
    },
    async hasHeartbeat(pid, since) {
      const { rowCount } = await db.query(`select from workers where (info ->> 'pid')::int = $1 and seen_at > $2`, [
        pid,
        since,
      ]);
      return rowCount > 0;
    },
    async now() {
      const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now');
      return rows[0]!.now;
    },
    async counts() {
      const { rows } = await db.query<Counts>(COUNTS);
      return rows[0]!;
    },
    close: () => db.close(),
  };
}

async function retryWhileUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  for (const since = Date.now(); ; await delay(100)) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error) || Date.now() - since > 120_000) throw error;
    }
  }
}

const COUNTS = `
  select (select count(*) from tasks)::int as "tasks",
         (select count(*) from tasks where idempotency_key is null)::int as "keyless",
         (select count(*) from tasks where finished_at is null)::int as "unfinished",
         (select count(*) from tasks where worker is not null or leased_until is not null)::int as "leased",
         (select count(*) from deliveries where state <> 'delivered' or due_at is not null)::int as "undelivered",
         (select count(*) from deliveries where leased_until is not null)::int as "deliveriesLeased"
`;

// Any change of a finished row counts as another end.
const TRIGGER = `
  create table audit (
    number   bigserial primary key,
    id       text, status text, worker text, attempts int,
    at       timestamptz default clock_timestamp()
  );
  create index on audit (id);
  create function audit() returns trigger language plpgsql as $$
    begin
      if new.finished_at is not null or new.worker is distinct from old.worker then
        insert into audit (id, status, worker, attempts) values (new.id, new.status, new.worker, new.attempts);
      end if;
      return null;
    end
  $$;
  create trigger audit after update on tasks for each row execute function audit();
`;
