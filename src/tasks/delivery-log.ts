import { CLIENT_LIMIT_MS, type Db } from '../base/db.ts';
import { withBatches } from './batch-queue.ts';
import type { Feed } from './events.ts';
import { type Redelivery, type RedeliverySelection, redeliver } from './redelivery.ts';
import type { Webhook } from './task.ts';
import { DELIVERY_JSON, type DeliveryColumns, HELD, IS_READABLE, toWebhook } from './task-rows.ts';

/** A delivery with its last attempts. */
export interface LoggedDelivery {
  readonly taskId: string;
  readonly url: string;
  /** Of a message: what it is about. */
  readonly subject: string | null;
  readonly webhook: Webhook;
  /** It waits for the end of its endpoint's pause. */
  readonly held: boolean;
  readonly log: readonly LoggedAttempt[];
}

/** An ended attempt. One that was interrupted has no entry. */
export interface LoggedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** Seconds since 1970. */
  readonly at: number;
  /** Absent for a receiver on this machine in production. */
  readonly ms?: number;
  readonly status?: number;
  /** Absent for a successful attempt. */
  readonly error?: string;
}

export interface DeliveryFilter {
  readonly state?: Webhook['state'] | undefined;
  readonly taskId?: string | undefined;
  /** Only deliveries whose last attempt began then or later; seconds since 1970. */
  readonly since?: number | undefined;
}

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** The deliveries of the tasks that clients created, until the tasks expire. */
export function createDeliveryLog(db: Db) {
  return {
    /** The deliveries before the one with the id `before`, newest first. */
    async list(owner: Feed, { state, taskId, since }: DeliveryFilter, limit: number, before?: string) {
      const { rows } = await db.query<LoggedRow>(taskId === undefined ? LIST : LIST_OF_TASK, [
        owner.service,
        owner.principal,
        state === undefined ? STATES : [state],
        since ?? null,
        before ?? null,
        limit,
        ...(taskId === undefined ? [] : [taskId]),
      ]);
      return rows.map(
        ({ task_id: taskId, url, subject, delivery, held, log }): LoggedDelivery => ({
          ...{ taskId, url, subject, held, log: log ?? [] },
          webhook: toWebhook(delivery),
        }),
      );
    },

    redeliver: (owner: Feed, selection: RedeliverySelection): Promise<Redelivery> => redeliver(db, owner, selection),
  };
}

interface LoggedRow {
  task_id: string;
  url: string;
  subject: string | null;
  delivery: DeliveryColumns;
  held: boolean;
  log: LoggedAttempt[] | null;
}

const STATES: readonly Webhook['state'][] = ['pending', 'delivered', 'failed'];

// One range of the index `deliveries_by_client` per state.
const listSql = (condition: string) => `
    select found.*
      from unnest($3::text[]) as wanted (state)
     cross join lateral (
            select d.id, d.task_id, d.url, t.input ->> 'subject' as subject, d.attempt_log as log, coalesce(${HELD}, false) as held, ${DELIVERY_JSON} as delivery
              from deliveries d
              join tasks t on t.id = d.task_id
             where d.principal = $2 and d.state = wanted.state and t.service in ${withBatches('$1')} and ${IS_READABLE}
               and ($4::float8 is null or d.last_attempt_at >= to_timestamp($4::float8))
               and ($5::text is null or d.id < $5) and ${condition}
             order by d.id desc
             limit $6) as found
     order by found.id desc
     limit $6`;

export const LIST = { name: 'list-deliveries', limitMs: CLIENT_LIMIT_MS, text: listSql('true') };

const LIST_OF_TASK = { name: 'list-task-deliveries', limitMs: CLIENT_LIMIT_MS, text: listSql('d.task_id = $7') };
