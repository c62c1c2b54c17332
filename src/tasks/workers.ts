import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import type { JsonObject } from '../base/json.ts';

/** A process as its last heartbeat described it. */
export interface Beat {
  readonly id: string;
  readonly role: string;
  readonly service?: string;
  readonly state: 'loading' | 'warm' | 'stopping';
  /** What the model says of itself: versions, classes, GPU; shaped by its service. */
  readonly info: JsonObject;
  readonly metrics?: unknown[];
}

/** `unknown`: the store could not be asked. */
export type WorkerState = 'warm' | 'cold' | 'unknown';

export interface Workers {
  beat(beat: Beat): Promise<void>;
  /** Takes a process off the list that stops in order. */
  leave(id: string): Promise<void>;
  /** Says which model versions can be served; said again every `OFFER_MS` while that is so. */
  offer(service: string, versions: readonly string[]): Promise<void>;
  /**
   * The versions that a request may name: what warm workers offer, or, while there is none, what was offered within the
   * last day (a sleeping worker is woken by its tasks).
   */
  versions(service: string): Promise<string[]>;
  /** The processes whose heart beat within `BEAT_FRESH_SECONDS`. */
  living(): Promise<Beat[]>;
}

/** Beats come every 2 s; three missed ones and a worker counts as gone (its leases say so after the same time). */
export const BEAT_MS = 2000;
export const BEAT_FRESH_SECONDS = 7;
/** Three missed ones, and a version counts as removed. */
export const OFFER_MS = 60_000;

export function postgresWorkers(db: Db): Workers {
  return {
    async beat({ id, role, service, state, info, metrics }) {
      await db.query(BEAT, [
        id,
        role,
        service ?? null,
        state,
        JSON.stringify(info),
        metrics ? JSON.stringify(metrics) : null,
      ]);
    },
    async leave(id) {
      await db.query(LEAVE, [id]);
    },
    async offer(service, versions) {
      await db.query(OFFER, [service, versions]);
    },
    async versions(service) {
      const { rows } = await db.query<{ version: string }>(VERSIONS, [
        service,
        BEAT_FRESH_SECONDS,
        (3 * OFFER_MS) / 1000,
      ]);
      return rows.map((row) => row.version);
    },
    async living() {
      const { rows } = await db.query<BeatRow>(LIVING, [BEAT_FRESH_SECONDS]);
      return rows.map(({ service, metrics, ...beat }) => ({
        ...beat,
        ...(service !== null && { service }),
        ...(metrics !== null && { metrics }),
      }));
    },
  };
}

type BeatRow = Omit<Beat, 'service' | 'metrics'> & { service: string | null; metrics: unknown[] | null };

// Limits, for these are asked by loops that wait for the answer: a store that hangs must not silence them for long.

// The rows of processes that were killed go with somebody else's beat, a day later: until then they tell what happened.
const BEAT = {
  name: 'beat',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with gone as (
      delete from workers where seen_at < now() - interval '1 day'
    )
    insert into workers (id, role, service, state, info, metrics) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do update
       set state = excluded.state, info = excluded.info, metrics = excluded.metrics, seen_at = now()`,
};

const LEAVE = {
  name: 'leave',
  limitMs: CLIENT_LIMIT_MS,
  text: 'delete from workers where id = $1',
};

// In order, so that two workers that offer the same never wait for each other in a circle.
const OFFER = {
  name: 'offer',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with forgotten as (
      delete from models where seen_at < now() - interval '1 day'
    )
    insert into models (service, version) select $1, version from unnest($2::text[]) as version order by version
        on conflict (service, version) do update set seen_at = now()`,
};

const VERSIONS = {
  name: 'versions',
  text: `
    with warm as (
      select from workers
       where service = $1 and state = 'warm' and seen_at > now() - make_interval(secs => $2) limit 1
    )
    select version
      from models
     where service = $1
       and seen_at > now() - case when exists (select from warm) then make_interval(secs => $3) else interval '1 day' end
     order by version`,
};

const LIVING = {
  name: 'living',
  text: `
    select id, role, service, state, info, metrics
      from workers
     where seen_at > now() - make_interval(secs => $1)
     order by started_at, id`,
};
