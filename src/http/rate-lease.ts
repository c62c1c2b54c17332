import type { Db, Queryable } from '../base/db.ts';

/** The points of one client that a gateway holds and requests. */
export interface PointsClaim {
  readonly bucket: string;
  readonly held: number;
  /** Points needed now; 0: only records `held`. */
  readonly wanted: number;
  /** Further points in advance, to avoid later requests. */
  readonly block: number;
  /** The limit. */
  readonly most: number;
  /** Until the first used point is free again. */
  readonly freesInMs: number | undefined;
}

export interface PointsGrant {
  readonly bucket: string;
  readonly points: number;
  /** Points held by no gateway. */
  readonly free: number;
  /** Until another gateway has an unused point; null if no other gateway holds points. */
  readonly freesInMs: number | null;
}

export interface GatewayCounts {
  /** Other gateways, including dead ones whose points still count. */
  readonly others: number;
  /** Other gateways that are alive. */
  readonly living: number;
  /** Living gateways that do not share yet. */
  readonly silent: number;
}

/** A gateway counts as dead after this time without a heartbeat. */
const HEARTBEAT_TIMEOUT_SECONDS = 3;
/** A gateway relies on its points for 30 s after recording them; a request then counts for another 60 s. */
export const POINTS_VALID_MS = 30_000;
export const KEPT_SECONDS = 30 + 60;
/** Time limit of a statement; a request waits at most `LEASE_TIMEOUT_MS` for all of them. */
const STATEMENT_TIMEOUT_MS = 1_000;
/** Maximum number of advisory locks at a time; PostgreSQL has about 6400 lock slots by default. */
export const MAX_LOCKS = 100;

/** Records this gateway's heartbeat; counts the other gateways. */
export async function recordGatewayHeartbeat(
  db: Queryable,
  { id, shares }: { id: string; shares: boolean },
): Promise<GatewayCounts> {
  const { rows } = await db.query<GatewayCounts>(
    `with me as (
       insert into rate_gateways (id, shares) values ($1, $2)
       on conflict (id) do update set shares = excluded.shares, seen_at = now()
     )
     select count(*) filter (where lives or shares) as others,
            count(*) filter (where lives) as living,
            count(*) filter (where lives and not shares) as silent
       from (select shares, seen_at > now() - make_interval(secs => $3) as lives
               from rate_gateways
              where id <> $1 and seen_at > now() - make_interval(secs => $4)) other`,
    [id, shares, HEARTBEAT_TIMEOUT_SECONDS, KEPT_SECONDS],
  );
  return rows[0]!;
}

export async function unregisterGateway(db: Queryable, id: string): Promise<void> {
  await db.query(
    { name: 'rate-leave', text: 'delete from rate_gateways where id = $1', limitMs: STATEMENT_TIMEOUT_MS },
    [id],
  );
}

/** Deletes rows of dead gateways and of inactive clients. */
export async function deleteExpiredPoints(db: Queryable): Promise<void> {
  await db.query('delete from rate_gateways where seen_at < now() - make_interval(secs => $1)', [KEPT_SECONDS]);
  // `skip locked` prevents deadlocks with other gateways.
  await db.query(
    `delete from rate_points where (bucket, gateway) in (
       select bucket, gateway from rate_points where kept_until < now() or points = 0 for update skip locked)`,
  );
}

/** Records held points and grants more. Points that are no longer recorded are free for other gateways. */
export async function writePoints(
  db: Queryable,
  gateway: string,
  claims: readonly PointsClaim[],
): Promise<PointsGrant[]> {
  const columns = (['bucket', 'held', 'wanted', 'block', 'most', 'freesInMs'] as const).map((name) =>
    claims.map((each) => each[name] ?? null),
  );
  const statement = { name: 'rate-hold', text: HOLD, limitMs: STATEMENT_TIMEOUT_MS };
  return (await db.query<PointsGrant>(statement, [gateway, ...columns, KEPT_SECONDS])).rows;
}

/** Leases free points. Locks the buckets, so that concurrent gateways see each other's points. */
export const leasePoints = (db: Db, gateway: string, claims: readonly PointsClaim[]): Promise<PointsGrant[]> =>
  db.transaction(async (tx) => {
    // A separate statement, so that the next one has a snapshot taken after locking.
    await tx.query({ name: 'rate-lock', text: LOCK, limitMs: STATEMENT_TIMEOUT_MS }, [
      claims.map(({ bucket }) => bucket),
    ]);
    return writePoints(tx, gateway, claims);
  });

// One lock order prevents deadlocks.
const LOCK = `
  select pg_advisory_xact_lock(hashtextextended(bucket, 6))
    from (select bucket from unnest($1::text[]) bucket order by bucket) buckets`;

// A block is at most a quarter of the free points, so that the last points are not held unused by one gateway.
const HOLD = `
  with claims as (
    select *
      from unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::float8[])
           as claims (bucket, held, wanted, block, most, frees_in_ms)
  ),
  others as (
    select bucket, sum(points)::int as points, min(frees_at) filter (where points > 0) as frees_at
      from rate_points
     where bucket = any($2) and gateway <> $1 and kept_until > now()
     group by bucket
  ),
  left_over as (
    select claims.*, others.frees_at, greatest(0, most - held - coalesce(others.points, 0)) as free
      from claims left join others using (bucket)
  ),
  granted as (
    select *, case when wanted = 0 then 0 else least(free, wanted + least(block, free / 4)) end as more from left_over
  ),
  written as (
    insert into rate_points (gateway, bucket, points, frees_at, kept_until)
    select $1, bucket, held + more, now() + frees_in_ms * interval '1 ms', now() + make_interval(secs => $8)
      from granted
    on conflict (bucket, gateway) do update
       set points = excluded.points, frees_at = excluded.frees_at, kept_until = excluded.kept_until
  )
  select bucket, held + more as points, free - more as free,
         case when frees_at > now() then extract(epoch from frees_at - now())::float8 * 1000
              when frees_at is not null then 0 end as "freesInMs"
    from granted`;
