import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';

const EVERY_MS = 5_000;
const MOST_SAMPLES = 4_000;

/**
 * Exports the age of the oldest snapshot. PostgreSQL keeps every row version that it could still see, so that the queue
 * and its indexes grow while it is open, whoever holds it: a session, a prepared transaction, or a standby.
 */
export function watchSnapshots(needs: {
  db: Db;
  registry: Registry;
  log: Log;
  signal: AbortSignal;
  everyMs?: number;
}): void {
  const { db, registry, log, signal, everyMs = EVERY_MS } = needs;
  const gauge = new Gauge({
    name: 'assay_database_oldest_snapshot_seconds',
    help: 'Age of the oldest snapshot in the database; since the start of this gateway where it is older and its session cannot be seen.',
    registers: [registry],
    aggregator: 'max',
  });
  const read = snapshotAge(db);
  const onError = (err: unknown) =>
    void (signal.aborted || log.debug({ err }, 'the age of the oldest snapshot is not known'));
  void loop(async () => gauge.set(await read()), { restMs: everyMs, signal, onError });
}

interface Holder {
  /** Seconds since its transaction began; null where that is not shown. */
  since: number | null;
  /** How many transactions have begun since the oldest one that it may still see; null for the row that has none. */
  transactions: number | null;
  /** The id that the next transaction gets. */
  next: number;
}

/**
 * Reads the age in seconds. Sessions of other roles show their start only to members of pg_read_all_stats, and standbys
 * never: for those it is counted from when this process last saw a transaction id that is older than the snapshot.
 */
export function snapshotAge(db: Db, now = () => performance.now()): () => Promise<number> {
  /** When each transaction id was last the next one. */
  let samples: { next: number; atMs: number }[] = [];
  let beganMs: number | undefined;

  function remember(next: number): void {
    beganMs ??= now();
    if (samples.at(-1)?.next === next) samples.pop();
    samples.push({ next, atMs: now() });
    if (samples.length > MOST_SAMPLES) samples = samples.filter((_, i) => i % 2 === 0);
  }

  function ageOf({ since, transactions, next }: Holder): number {
    if (transactions === null) return 0;
    const before = samples.findLast((sample) => sample.next <= next - transactions);
    const seconds = (now() - (before?.atMs ?? beganMs!)) / 1000;
    if (since === null) return seconds;
    return before ? Math.min(since, seconds) : since;
  }

  return async () => {
    const { rows } = await db.query<Holder>(HOLDERS);
    remember(rows[0]!.next);
    return Math.max(...rows.map(ageOf));
  };
}

// Housekeeping of PostgreSQL itself has no user, and vacuum does not wait for it.
const HOLDERS = `
  with next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next),
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
