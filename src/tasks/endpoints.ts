import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { HELD } from './task-rows.ts';

/** A receiver of one client (scheme, host and port) whose last attempts failed. */
export interface FailingEndpoint {
  readonly origin: string;
  /** Seconds since 1970. */
  readonly failingSince: number;
  readonly failures: number;
  readonly pausedAt: number | null;
  /** Deliveries that wait for the end of the pause, counted up to `MAX_HELD_COUNTED`. */
  readonly held: number;
}

/** An endpoint is paused when all its attempts of this time failed, at least `FAILURES_TO_PAUSE`. */
const PAUSE_AFTER = "interval '24 hours'";
/** Chosen: more than the attempts of one delivery. */
const FAILURES_TO_PAUSE = 10;
const PROBE_INTERVAL = "interval '1 hour'";
/** A paused endpoint without attempts for this long is forgotten. */
const FORGET_AFTER = "interval '30 days'";
const MAX_HELD_COUNTED = 10_000;
/** Further failing endpoints of a client are not recorded, so never paused: a client can name a new host per task. */
const MAX_ENDPOINTS_OF_CLIENT = 1000;
/** Of all endpoints in a round. */
const HOLD_ROWS = 1000;
/** Of an endpoint in a round, so a second: as many as a client's redeliveries. */
const RELEASE_ROWS = 50;
/** In a round. */
const MAX_ENDPOINTS = 20;
const DELETED_ROWS = 5000;

export type Endpoints = ReturnType<typeof createEndpoints>;

/** The failing and paused endpoints of all clients. `endpointOutcomeSql` records attempts. */
export function createEndpoints(db: Db) {
  return {
    async list(principal: string): Promise<FailingEndpoint[]> {
      const { rows } = await db.query<FailingEndpoint>(LIST, [principal, MAX_HELD_COUNTED, MAX_ENDPOINTS_OF_CLIENT]);
      return rows;
    },

    /** Ends a pause; `maintain` releases the deliveries. Returns whether the endpoint was paused. */
    async resume(principal: string, origin: string): Promise<boolean> {
      const { rowCount } = await db.query(RESUME, [principal, origin]);
      return rowCount > 0;
    },

    async countPaused(): Promise<number> {
      const { rows } = await db.query<{ count: number }>(COUNT_PAUSED);
      return rows[0]!.count;
    },

    /** Holds the deliveries of paused endpoints, except a probe an hour, and releases those of resumed ones. */
    async maintain(): Promise<void> {
      const { rowCount } = await db.query(ANY);
      if (rowCount === 0) return;
      await db.query(HOLD, [HOLD_ROWS, MAX_ENDPOINTS]);
      await db.query(PROBE, [MAX_ENDPOINTS]);
      await db.query(RELEASE, [RELEASE_ROWS, MAX_ENDPOINTS]);
    },

    /**
     * Deletes held deliveries of expired tasks that ended more than `keepSeconds` ago, and forgets endpoints that work
     * or were not used.
     */
    async cleanUp(keepSeconds: number): Promise<void> {
      await db.query(FORGET_PAUSED);
      await db.query(DELETE_ENDPOINTS);
      await db.query(DELETE_HELD, [keepSeconds, DELETED_ROWS]);
    },
  };
}

/** Also after a day without attempts, because the endpoint may have worked in between. */
const STARTS_TO_FAIL = `(e.failures = 0 or e.paused_at is null and e.last_failed_at < now() - ${PAUSE_AFTER})`;

/**
 * SQL: common table expressions that record the outcome `$3` of an attempt at the delivery `current`; `$8`: it failed because of
 * an error of the deliverer. Events of a pause are in the feed of the task's service.
 */
export const endpointOutcomeSql = `
    failing as (
      insert into webhook_endpoints as e (principal, origin, service)
      select principal, origin,
             replace(coalesce(expired_task ->> 'service', (select t.service from tasks t where t.id = current.task_id)), '.batches', '')
        from current
       where $3 in ('pending', 'failed') and not $8::boolean
         and case when exists (select from webhook_endpoints k where k.principal = current.principal and k.origin = current.origin)
                  then true
                  else (select count(*) from (select from webhook_endpoints k where k.principal = current.principal
                                               limit ${MAX_ENDPOINTS_OF_CLIENT}) as counted) < ${MAX_ENDPOINTS_OF_CLIENT} end
          on conflict (principal, origin) do update
         set service        = excluded.service,
             failures       = case when ${STARTS_TO_FAIL} then 1 else e.failures + 1 end,
             failing_since  = case when ${STARTS_TO_FAIL} then now() else e.failing_since end,
             last_failed_at = now(),
             paused_at      = case when e.paused_at is null and not ${STARTS_TO_FAIL} and e.failures + 1 >= ${FAILURES_TO_PAUSE}
                                    and e.failing_since <= now() - ${PAUSE_AFTER} then now() else e.paused_at end
      returning service, origin, paused_at = now() as is_paused_now
    ),
    delayed_probe as (
      update webhook_endpoints e
         set last_failed_at = now()
        from current
       where $8::boolean and e.principal = current.principal and e.origin = current.origin and e.paused_at is not null
    ),
    pause_event as (
      insert into unnumbered_task_events (service, principal, task_id, kind, endpoint, expires_at)
      select failing.service, current.principal, coalesce(current.task_id, expired_task ->> 'id'), 'paused', failing.origin,
             coalesce((select task_event_expiry(t.queued_at, t.expires_at) from tasks t where t.id = current.task_id),
                      now() + interval '1 day')
        from current cross join failing
       where failing.is_paused_now
    ),
    working as (
      update webhook_endpoints e
         set failures   = 0,
             paused_at  = null,
             resumed_at = case when e.paused_at is null then e.resumed_at else now() end
        from current
       where $3 = 'delivered' and e.principal = current.principal and e.origin = current.origin and e.failures > 0
    )`;

/** SQL condition: the client of a queue (principal, origin) has paused attempts at its receiver. */
export const isPausedSql = (queue: string): string => `exists (
               select from webhook_endpoints e
                where e.principal = ${queue}.principal and e.origin = ${queue}.origin and e.paused_at is not null)`;

/** SQL condition: the next attempt at a delivery `d` is the first one after a redelivery. Those are made during a pause. */
export const IS_REDELIVERY = 'd.attempts is not distinct from d.earlier_attempts';

const OF_ENDPOINT = 'd.principal = e.principal and d.origin = e.origin';
const seconds = (time: string) => `extract(epoch from ${time})::float8`;

const limitMs = CLIENT_LIMIT_MS;

const LIST = {
  name: 'list-endpoints',
  limitMs,
  text: `
    select e.origin, ${seconds('e.failing_since')} as "failingSince", e.failures, ${seconds('e.paused_at')} as "pausedAt",
           (select count(*) from (select from deliveries d where ${OF_ENDPOINT} and ${HELD} limit $2) as counted)::int as held
      from webhook_endpoints e
     where e.principal = $1 and e.failures > 0
     order by e.paused_at, e.origin
     limit $3`,
};

const RESUME = {
  name: 'resume-endpoint',
  limitMs,
  text: `
    update webhook_endpoints
       set failures = 0, paused_at = null, resumed_at = now()
     where principal = $1 and origin = $2 and paused_at is not null`,
};

const COUNT_PAUSED = {
  name: 'count-paused-endpoints',
  limitMs,
  text: 'select count(*)::int as count from webhook_endpoints where paused_at is not null',
};

const ANY = { name: 'any-endpoint', text: 'select from webhook_endpoints limit 1' };

const CAN_BE_HELD = `${OF_ENDPOINT} and d.due_at < 'infinity' and (d.leased_until is null or d.leased_until <= now())
                 and not ${IS_REDELIVERY}`;

// The lock makes a concurrent resumption wait, whose release then finds all held deliveries.
const HOLD = {
  name: 'hold-deliveries',
  text: `
    with paused as materialized (
      select e.principal, e.origin
        from webhook_endpoints e
       where e.paused_at is not null and exists (select from deliveries d where ${CAN_BE_HELD})
       limit $2
         for share of e
    ),
    chosen as materialized (
      select found.id
        from paused e
       cross join lateral (
             select d.id from deliveries d where ${CAN_BE_HELD} limit $1 for update skip locked) as found
       limit $1
    )
    update deliveries d set due_at = 'infinity', leased_until = null from chosen where d.id = chosen.id`,
};

// A probe is a redelivery of the delivery that has waited longest for an attempt.
const PROBE = {
  name: 'probe-endpoints',
  text: `
    with paused as materialized (
      select e.principal, e.origin
        from webhook_endpoints e
       where e.paused_at is not null and e.last_failed_at <= now() - ${PROBE_INTERVAL}
         and not exists (select from deliveries d where ${OF_ENDPOINT} and d.due_at < 'infinity')
         and exists (select from deliveries d where ${OF_ENDPOINT} and ${HELD})
       order by e.last_failed_at
       limit $1
    ),
    chosen as materialized (
      select found.id
        from paused e
       cross join lateral (
             select d.id
               from deliveries d
              where ${OF_ENDPOINT} and ${HELD}
              order by d.last_attempt_at nulls first
              limit 1
                for update skip locked) as found
    )
    update deliveries d set due_at = now(), earlier_attempts = d.attempts from chosen where d.id = chosen.id`,
};

// The endpoints of different clients in turn; deliveries oldest first, in the order of `deliveries_by_client`.
const RELEASE = {
  name: 'release-deliveries',
  text: `
    with resumed as materialized (
      select e.principal, e.origin
        from webhook_endpoints e
       where e.resumed_at is not null and e.paused_at is null
       order by row_number() over (partition by e.principal order by e.resumed_at), e.resumed_at
       limit $2
    ),
    chosen as materialized (
      select found.id
        from resumed e
       cross join lateral (
             select d.id
               from deliveries d
              where ${OF_ENDPOINT} and ${HELD} and d.state = 'pending'
              order by d.id
              limit $1
                for update skip locked) as found
    ),
    finished as (
      update webhook_endpoints e
         set resumed_at = null
        from resumed r
       where e.principal = r.principal and e.origin = r.origin
         and not exists (select from deliveries d where ${OF_ENDPOINT} and ${HELD})
    )
    update deliveries d set due_at = now() from chosen where d.id = chosen.id`,
};

const DELETE_HELD = `
  delete from deliveries
   where id in (select d.id
                  from deliveries d
                  join webhook_endpoints e on ${OF_ENDPOINT}
                 where e.paused_at is not null and ${HELD} and d.task_id is null
                   and to_timestamp((d.expired_task ->> 'finished_at')::float8) < now() - make_interval(secs => $1)
                 limit $2)`;

// Not a deletion, which could miss a delivery that is held at the same time.
const FORGET_PAUSED = `
  update webhook_endpoints set failures = 0, paused_at = null, resumed_at = now()
   where paused_at is not null and last_failed_at < now() - ${FORGET_AFTER}`;

const DELETE_ENDPOINTS = `
  delete from webhook_endpoints e
   where e.paused_at is null and e.resumed_at is null and (e.failures = 0 or e.last_failed_at < now() - ${PAUSE_AFTER})
     and not exists (select from deliveries d where ${OF_ENDPOINT} and ${HELD})`;
