import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';

const INTERVAL_MS = 5_000;
const MAX_SAMPLES = 4_000;

/**
 * Exports the age of the oldest snapshot of sessions, prepared transactions and standbys. While it is open, PostgreSQL
 * keeps dead row versions, and the queue and its indexes grow.
 */
export function watchOldestSnapshot(deps: {
  db: Db;
  registry: Registry;
  log: Log;
  signal: AbortSignal;
  everyMs?: number;
}): void {
  const { db, registry, log, signal, everyMs = INTERVAL_MS } = deps;
  const gauge = new Gauge({
    name: 'assay_database_oldest_snapshot_seconds',
    help: 'Age of the oldest snapshot in the database; measured from the start of this gateway when the session is not visible.',
    registers: [registry],
    aggregator: 'max',
  });
  const read = createSnapshotAgeReader(db);
  const onError = (err: unknown) =>
    void (signal.aborted || log.debug({ err }, 'reading the age of the oldest snapshot failed'));
  void loop(async () => gauge.set(await read()), { intervalMs: everyMs, signal, onError });
}

interface Holder {
  /** Age of the transaction in seconds; null if not visible. */
  since: number | null;
  /** Transactions since the oldest one that the snapshot may see; null without a snapshot. */
  transactions: number | null;
  /** The next transaction id. */
  next: number;
}

/**
 * Reads the age in seconds. The start of other roles' sessions is visible only to members of pg_read_all_stats, and that of
 * standbys never: their age is counted from when this process last saw a transaction id older than the snapshot.
 */
export function createSnapshotAgeReader(db: Db, now = () => performance.now()): () => Promise<number> {
  /** When each transaction id was last seen as the next one. */
  let samples: { next: number; atMs: number }[] = [];
  let firstReadMs: number | undefined;

  function addSample(next: number): void {
    firstReadMs ??= now();
    if (samples.at(-1)?.next === next) samples.pop();
    samples.push({ next, atMs: now() });
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, i) => i % 2 === 0);
  }

  function ageOf({ since, transactions, next }: Holder): number {
    if (transactions === null) return 0;
    const before = samples.findLast((sample) => sample.next <= next - transactions);
    const seconds = (now() - (before?.atMs ?? firstReadMs!)) / 1000;
    if (since === null) return seconds;
    return before ? Math.min(since, seconds) : since;
  }

  return async () => {
    const { rows } = await db.query<Holder>(HOLDERS);
    addSample(rows[0]!.next);
    return Math.max(...rows.map(ageOf));
  };
}

// PostgreSQL's background workers have no user and do not hold back vacuum.
// A snapshot ends before the transactions in progress that started last; age() counts them.
const HOLDERS = `
  with snapshot as (select pg_snapshot_xmax(pg_current_snapshot()) as until),
  next as (select until::text::bigint + age(until::xid) as next from snapshot),
  holder as (
    select extract(epoch from clock_timestamp() - xact_start)::float8 as since,
           greatest(age(backend_xmin), age(backend_xid)) as transactions
      from pg_stat_activity
     where pid <> pg_backend_pid() and usesysid is not null and (datid is null or datname = current_database())
    union all
    select extract(epoch from clock_timestamp() - prepared)::float8, age(transaction)
      from pg_prepared_xacts
     where database = current_database()
    union all
    select null, age(xmin) from pg_replication_slots
  )
  select next, since, transactions
    from next left join holder on transactions is not null`;
