import type { Connection } from './connection.ts';
import { RateLimited } from './errors.ts';
import type { CallOptions } from './request.ts';
import type {
  Delivery,
  DeliveryPage,
  EndpointList,
  FailingEndpoint,
  Redelivered,
  RedeliverRequest,
  Resumed,
  WebhookTestResult,
} from './wire/deliveries.ts';

export interface DeliveryOptions extends CallOptions {
  readonly state?: Delivery['state'] | undefined;
  readonly taskId?: string | undefined;
  /** Only deliveries whose last attempt began then or later. */
  readonly since?: Date | undefined;
}

export interface RedeliverOptions extends CallOptions {
  /** Also deliveries that wait for a retry or are held. */
  readonly pending?: boolean | undefined;
}

const PAGE_SIZE = 500;

/** Yields the webhook deliveries, newest first. */
export async function* listDeliveries(
  line: Connection,
  { state, taskId, since, signal }: DeliveryOptions,
): AsyncGenerator<Delivery, void, undefined> {
  const query = { state, task_id: taskId, since: since && toUnixSeconds(since), limit: PAGE_SIZE };
  for (let before: string | undefined; ; ) {
    const page = await line.data<DeliveryPage>('/deliveries', { query: { ...query, before }, signal });
    yield* page.deliveries;
    before = page.next;
    if (before === undefined) return;
  }
}

/** Redelivers the webhooks of a task, or all failed ones since a time; returns their number. */
export async function redeliver(
  line: Connection,
  what: string | Date,
  { pending, signal }: RedeliverOptions,
): Promise<number> {
  const request = (json: RedeliverRequest) =>
    line.data<Redelivered>('/deliveries/redeliver', { method: 'POST', json, signal });
  if (typeof what === 'string') return (await request({ task_id: what })).redelivered;
  const json = { since: toUnixSeconds(what), ...(pending !== undefined && { pending }) };
  for (let count = 0; ; ) {
    try {
      const { redelivered, more } = await request(json);
      count += redelivered;
      if (!more) return count;
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      await line.clock.sleep((error.retryAfterSeconds ?? 1) * 1000, signal);
    }
  }
}

/** Sends a signed test event to a receiver. */
export const testWebhook = (line: Connection, json: { url: string; secret?: string }, { signal }: CallOptions) =>
  line.data<WebhookTestResult>('/deliveries/test', { method: 'POST', json, signal });

/** The receivers whose last attempts failed. */
export async function listEndpoints(line: Connection, { signal }: CallOptions): Promise<readonly FailingEndpoint[]> {
  return (await line.data<EndpointList>('/deliveries/endpoints', { signal })).endpoints;
}

/** Ends the pause of a receiver; returns whether it was paused. */
export async function resumeEndpoint(line: Connection, endpoint: string, { signal }: CallOptions): Promise<boolean> {
  const json = { endpoint };
  return (await line.data<Resumed>('/deliveries/endpoints/resume', { method: 'POST', json, signal })).resumed;
}

const toUnixSeconds = (at: Date) => String(Math.floor(at.getTime() / 1000)).padStart(10, '0');
