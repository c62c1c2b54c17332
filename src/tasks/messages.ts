import type { Transaction } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { HINT_CHANNEL } from './hints.ts';
import type { Task } from './task.ts';

/** A webhook that is not the result of a task (docs/decisions/0051-alerts.md). */
export interface Message {
  readonly service: string;
  readonly principal: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret?: Buffer | undefined;
  readonly event: string;
  /** The id of what it is about, for the delivery log. */
  readonly subject?: string | undefined;
  readonly data: object;
  /** How long the delivery log shows it. */
  readonly ttlSeconds: number;
  readonly requestId?: string | undefined;
}

/**
 * Sends the messages when the transaction commits. Each is a task that has ended, with its delivery: retries, signatures,
 * pauses and the delivery log are those of tasks. No worker reads it.
 */
export async function sendMessages(tx: Transaction, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  const timestamp = new Date().toISOString();
  await tx.query(SEND, [
    messages.map(() => newId()),
    messages.map(({ service }) => service),
    messages.map(({ principal }) => principal),
    messages.map(({ event, subject }) => JSON.stringify({ event, subject })),
    messages.map(({ event, data }) => JSON.stringify({ type: event, timestamp, data })),
    messages.map(({ requestId }) => requestId ?? null),
    messages.map(({ ttlSeconds }) => ttlSeconds),
    messages.map(() => newId('whd_')),
    messages.map(({ url }) => url),
    messages.map(({ url }) => new URL(url).origin),
    messages.map(({ secret }) => secret ?? null),
  ]);
}

/** From the task that stores a message. */
export const eventOfMessage = ({ inputText }: Task): string => (JSON.parse(inputText) as { event: string }).event;

export const bodyOfMessage = (message: Task): string => (message.status === 'done' ? message.resultText : 'null');

/** Counts pending messages of a client to a URL, up to `limit`. */
export async function countPendingMessages(
  tx: Transaction,
  { principal, url }: Pick<Message, 'principal' | 'url'>,
  limit: number,
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(COUNT_PENDING, [principal, url, limit]);
  return rows[0]!.count;
}

const SEND = {
  name: 'send-messages',
  text: `
    with message as materialized (
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[], $9::text[],
        $10::text[], $11::bytea[]
      ) as m (id, service, principal, input, result, request_id, ttl_seconds, delivery_id, url, origin, secret)
    ),
    task as (
      insert into tasks (id, service, principal, status, input, estimate_seconds, request_id, expires_at, finished_at,
                         processing_ms, result)
      select id, service, principal, 'done', input::json, 0, request_id, now() + make_interval(secs => ttl_seconds), now(),
             0, result::json
        from message
    ),
    delivery as (
      insert into deliveries (id, task_id, principal, url, origin, secret, due_at)
      select delivery_id, id, principal, url, origin, secret, now() from message
    )
    select pg_notify('${HINT_CHANNEL}', 'finished ' || string_agg(id, ' ')) from message`,
};

const COUNT_PENDING = {
  name: 'count-pending-messages',
  text: `
    select count(*)::int as count
      from (select from deliveries where principal = $1 and state = 'pending' and url = $2 limit $3) as counted`,
};
