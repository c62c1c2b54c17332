import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import type { JsonObject } from '../base/json.ts';
import { exactText, type ProcessReport } from './process-metrics.ts';

/** A process as its last heartbeat described it. */
export interface Beat {
  readonly id: string;
  readonly role: string;
  readonly service?: string;
  readonly state: 'loading' | 'warm' | 'stopping';
  /** What the model says of itself: versions, classes, GPU; shaped by its service. */
  readonly info: JsonObject;
  readonly metrics?: readonly unknown[];
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
  /** What every process has counted, also those that have left: `sumOfProcesses` adds it up for the process `own`. */
  reports(own: string): Promise<ProcessReport[]>;
}

/** Beats come every 2 s; three missed ones and a worker counts as gone (its leases say so after the same time). */
export const BEAT_MS = 2000;
export const BEAT_FRESH_SECONDS = 7;
/** A process that was not seen for so long has left, as far as its counters are concerned: its row is not read with every sum. */
const DEPARTED_SECONDS = 60;
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
        metrics ? exactText(metrics) : null,
        DEPARTED_SECONDS,
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
    async reports(own) {
      const { rows } = await db.query<ProcessReport>(REPORTS, [BEAT_FRESH_SECONDS, own]);
      return rows;
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
      delete from workers where seen_at < now() - interval '1 day' and id <> $1
    ),
    departed as (
      select id
        from workers
       where seen_at between now() - interval '1 day' and now() - make_interval(secs => $7)
         and (folded_at is null or folded_at < seen_at) and id <> $1
         for update skip locked
    ),
    folded as (
      update workers w set folded = w.metrics, folded_at = now() from departed where w.id = departed.id
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

// In one statement, so that a process that leaves meanwhile is in it once.
const REPORTS = {
  name: 'reports',
  limitMs: 2000, // whoever scrapes waits, also for what this gateway itself has counted
  text: `
    select id, seen_at > now() - make_interval(secs => $1) as living, metrics, coalesce(folded, '[]') as folded
      from workers
     where metrics is not null and (folded_at is null or folded_at < seen_at or id = $2)
    union all
    select null, false, coalesce(json_agg(metric), '[]'), '[]'
      from (select json_build_object(
                     'name', name, 'type', min(type), 'help', min(help), 'aggregator', 'sum',
                     'values', json_agg(json_strip_nulls(json_build_object(
                       'metricName', nullif(sample, name), 'labels', labels, 'value', value)))
                   ) as metric
              from departed_metrics
             group by name) as departed`,
};

const LIVING = {
  name: 'living',
  text: `
    select id, role, service, state, info, metrics
      from workers
     where seen_at > now() - make_interval(secs => $1)
     order by started_at, id`,
};
