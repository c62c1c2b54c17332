import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import type { JsonObject } from '../base/json.ts';
import { type Nullable, withoutNulls } from './null-columns.ts';
import { type ProcessReport, toExactJson } from './process-metrics.ts';

/** A process as described by its last heartbeat. */
export interface Heartbeat {
  readonly id: string;
  readonly role: string;
  readonly service?: string;
  readonly state: 'loading' | 'warm' | 'stopping';
  /** Model details in a format of the service: versions, classes, GPU. */
  readonly info: JsonObject;
  readonly metrics?: readonly unknown[];
}

/** A model version that requests may name. */
export interface AdvertisedVersion {
  readonly version: string;
  /** Its figures and classes in a format of the service. */
  readonly details?: JsonObject;
}

/** `unknown`: the database did not respond. */
export type WorkerState = 'warm' | 'cold' | 'unknown';

export type WorkerStore = ReturnType<typeof createPostgresWorkerStore>;

export const HEARTBEAT_INTERVAL_MS = 2000;
/** Three missed heartbeats; leases expire after a similar time. */
export const HEARTBEAT_TIMEOUT_SECONDS = 7;
/** Counters of a process not seen for this long are moved to `departed_metrics`. */
const DEPARTED_SECONDS = 60;
/** A version counts as removed after three missed intervals. */
export const ADVERTISE_INTERVAL_MS = 60_000;

export function createPostgresWorkerStore(db: Db) {
  return {
    async recordHeartbeat({ id, role, service, state, info, metrics }: Heartbeat): Promise<void> {
      const metricsJson = metrics ? toExactJson(metrics) : null;
      await db.query(HEARTBEAT, [
        id,
        role,
        service ?? null,
        state,
        JSON.stringify(info),
        metricsJson,
        DEPARTED_SECONDS,
      ]);
    },
    /** Removes a process that stops normally. */
    async unregister(id: string): Promise<void> {
      await db.query(UNREGISTER, [id]);
    },
    /** Registers model versions; repeated every `ADVERTISE_INTERVAL_MS`. */
    async advertiseVersions(service: string, versions: readonly AdvertisedVersion[]): Promise<void> {
      await db.query(ADVERTISE, [service, JSON.stringify(versions)]);
    },
    /** Versions that requests may use: those of warm workers, or without any, those of the last day (workers start on demand). */
    async readVersions(service: string): Promise<AdvertisedVersion[]> {
      const advertisedSeconds = (3 * ADVERTISE_INTERVAL_MS) / 1000;
      const { rows } = await db.query<Nullable<AdvertisedVersion>>(VERSIONS, [
        service,
        HEARTBEAT_TIMEOUT_SECONDS,
        advertisedSeconds,
      ]);
      return rows.map((row) => withoutNulls<AdvertisedVersion>(row));
    },
    /** Processes with a heartbeat within `HEARTBEAT_TIMEOUT_SECONDS`. */
    async readLiving(): Promise<Heartbeat[]> {
      const { rows } = await db.query<Nullable<Heartbeat>>(LIVING, [HEARTBEAT_TIMEOUT_SECONDS]);
      return rows.map((row) => withoutNulls<Heartbeat>(row));
    },
    /** Metrics of all processes, including those that have left, for `mergeProcessMetrics` in the process `own`. */
    async readMetrics(own: string): Promise<ProcessReport[]> {
      return (await db.query<ProcessReport>(REPORTS, [HEARTBEAT_TIMEOUT_SECONDS, own])).rows;
    },
  };
}

// Each heartbeat deletes the rows of processes not seen for a day. Time limits keep a hanging database from blocking the
// loops that run these statements.
const HEARTBEAT = {
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

const UNREGISTER = {
  name: 'leave',
  limitMs: CLIENT_LIMIT_MS,
  text: 'delete from workers where id = $1',
};

// One lock order prevents deadlocks.
const ADVERTISE = {
  name: 'offer',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with expired as (
      delete from models where seen_at < now() - interval '1 day'
    )
    insert into models (service, version, details)
    select $1, version, details from json_to_recordset($2) as offered (version text, details json) order by version
        on conflict (service, version) do update set seen_at = now(), details = excluded.details`,
};

const VERSIONS = {
  name: 'versions',
  text: `
    with warm as (
      select from workers
       where service = $1 and state = 'warm' and seen_at > now() - make_interval(secs => $2) limit 1
    )
    select version, details
      from models
     where service = $1
       and seen_at > now() - case when exists (select from warm) then make_interval(secs => $3) else interval '1 day' end
     order by version`,
};

// One statement, so that a process that leaves meanwhile is counted once.
const REPORTS = {
  name: 'reports',
  limitMs: 2000, // a scrape waits for it
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
