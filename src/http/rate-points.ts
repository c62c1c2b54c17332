import type { Db, Queryable } from '../base/db.ts';

/** What one gateway holds of one client's limit, and what more it wants. */
export interface Asked {
  readonly bucket: string;
  readonly held: number;
  /** So many are needed now; 0 where only what is held is told. */
  readonly wanted: number;
  /** And so many more would save the next questions. */
  readonly block: number;
  /** The limit. */
  readonly most: number;
  /** Until the first that is used is free again. */
  readonly freesInMs: number | undefined;
}

export interface Granted {
  readonly bucket: string;
  readonly points: number;
  /** What nobody holds. */
  readonly free: number;
  /** Until another gateway has one that it no longer needs; absent where no other holds any. */
  readonly freesInMs: number | null;
}

export interface Seen {
  /** Other gateways that live, and those that have died so lately that their points still count. */
  readonly others: number;
  /** Those that live. */
  readonly living: number;
  /** Those that live and do not tell yet what they have let through. */
  readonly silent: number;
}

/** After so long without a beat a gateway is not waited for. */
const LIVES_SECONDS = 3;
/** A gateway trusts what it holds for 30 s after it last said so, and a request counts for a minute from then. */
export const TRUST_MS = 30_000;
export const KEPT_SECONDS = 30 + 60;
/** A client waits for the answer, and is let through if it does not come. */
const PATIENCE_MS = 1_000;
/** As many locks are held at a time: PostgreSQL has some 6 400 places for them by default, for everybody. */
export const AT_ONCE = 100;

/** Says that this gateway lives, and answers who else does. */
export async function beat(db: Queryable, { id, shares }: { id: string; shares: boolean }): Promise<Seen> {
  const { rows } = await db.query<Seen>(
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
    [id, shares, LIVES_SECONDS, KEPT_SECONDS],
  );
  return rows[0]!;
}

export async function leave(db: Queryable, id: string): Promise<void> {
  await db.query({ name: 'rate-leave', text: 'delete from rate_gateways where id = $1', limitMs: PATIENCE_MS }, [id]);
}

/** Removes what gateways that died have left, and points of clients that went away. */
export async function forgetOld(db: Queryable): Promise<void> {
  await db.query('delete from rate_gateways where seen_at < now() - make_interval(secs => $1)', [KEPT_SECONDS]);
  // Two that clean up at the same time, or a gateway that comes back, must not wait for each other in a circle.
  await db.query(
    `delete from rate_points where (bucket, gateway) in (
       select bucket, gateway from rate_points where kept_until < now() or points = 0 for update skip locked)`,
  );
}

/** Writes down what is held. Points that are not named any more are anybody's, so none may be in use that is not told. */
export async function hold(db: Queryable, gateway: string, told: readonly Asked[]): Promise<Granted[]> {
  const of = <K extends keyof Asked>(name: K) => told.map((each) => each[name]);
  const { rows } = await db.query<Granted>({ name: 'rate-hold', text: HOLD, limitMs: PATIENCE_MS }, [
    gateway,
    of('bucket'),
    of('held'),
    of('wanted'),
    of('block'),
    of('most'),
    of('freesInMs').map((ms) => ms ?? null),
    KEPT_SECONDS,
  ]);
  return rows;
}

/** Takes more of what nobody holds. Of two gateways that ask for one client, the second sees what the first has got. */
export const lease = (db: Db, gateway: string, asked: readonly Asked[]): Promise<Granted[]> =>
  db.transaction(async (tx) => {
    // In a statement of its own: the next one sees what was committed before the locks were had.
    await tx.query({ name: 'rate-lock', text: LOCK, limitMs: PATIENCE_MS }, [asked.map(({ bucket }) => bucket)]);
    return hold(tx, gateway, asked);
  });

// In one order, so that two gateways do not wait for each other in a circle.
const LOCK = `
  select pg_advisory_xact_lock(hashtextextended(bucket, 6))
    from (select bucket from unnest($1::text[]) bucket order by bucket) asked`;

// A block is never more than a share of what is free: at the end of a limit the last points are not held in vain by one.
const HOLD = `
  with told as (
    select *
      from unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::float8[])
           as told (bucket, held, wanted, block, most, frees_in_ms)
  ),
  others as (
    select bucket, sum(points)::int as points, min(frees_at) filter (where points > 0) as frees_at
      from rate_points
     where bucket = any($2) and gateway <> $1 and kept_until > now()
     group by bucket
  ),
  left_over as (
    select told.*, others.frees_at, greatest(0, most - held - coalesce(others.points, 0)) as free
      from told left join others using (bucket)
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
