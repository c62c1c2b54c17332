import type { Db } from '../base/db.ts';
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
  /** Writes down which model versions can be served; a request may name those. */
  offer(service: string, versions: readonly string[]): Promise<void>;
  versions(service: string): Promise<string[]>;
  /** The processes whose heart beat within `BEAT_FRESH_SECONDS`. */
  living(): Promise<Beat[]>;
}

/** Beats come every 2 s; three missed ones and a worker counts as gone (its leases say so after the same time). */
export const BEAT_MS = 2000;
export const BEAT_FRESH_SECONDS = 7;

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
      await db.query('delete from workers where id = $1', [id]);
    },
    async offer(service, versions) {
      await db.query(
        `insert into models (service, version, info) select $1, unnest($2::text[]), '{}'
             on conflict (service, version) do update set seen_at = now()`,
        [service, versions],
      );
    },
    async versions(service) {
      const { rows } = await db.query<{ version: string }>('select version from models where service = $1', [service]);
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

// The rows of processes that were killed go with somebody else's beat, a day later: until then they tell what happened.
const BEAT = {
  name: 'beat',
  text: `
    with gone as (
      delete from workers where seen_at < now() - interval '1 day'
    )
    insert into workers (id, role, service, state, info, metrics) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do update
       set state = excluded.state, info = excluded.info, metrics = excluded.metrics, seen_at = now()`,
};

const LIVING = {
  name: 'living',
  text: `
    select id, role, service, state, info, metrics
      from workers
     where seen_at > now() - make_interval(secs => $1)
     order by started_at, id`,
};
