import { Batches } from './batches.ts';
import { type Bytes, fileNameOf, toBlob } from './bytes.ts';
import { type Connection, newIdempotencyKey } from './connection.ts';
import {
  type DeliveryOptions,
  listDeliveries,
  listEndpoints,
  type RedeliverOptions,
  redeliver,
  resumeEndpoint,
  testWebhook,
} from './deliveries.ts';
import { TaskFailed } from './errors.ts';
import { type EventOptions, type EventsPage, followEvents } from './events.ts';
import { type PollResult, pollUntilEnded, type WaitOptions } from './poll.ts';
import { POLL_SCHEDULES, type Polling } from './poll-schedule.ts';
import type { CallOptions } from './request.ts';
import { retryAfterSeconds } from './response-error.ts';
import type { Delivery, FailingEndpoint, WebhookTestResult } from './wire/deliveries.ts';
import type { TaskTimeline } from './wire/timeline.ts';

/** An accepted task. Plain data that can be stored to resume a wait. */
export interface TaskHandle {
  readonly task_id: string;
  readonly estimated_wait_seconds?: number;
  /** Local clock. */
  readonly accepted_at_ms?: number;
}

export interface UploadedFile {
  /** The URL to pass in a task request. It cannot be fetched by clients. */
  readonly url: string;
  readonly size_bytes: number;
  /** The type detected from the bytes; the declared type is ignored. */
  readonly content_type: string;
  /** Unix time in whole seconds. */
  readonly expires_at: string;
}

export interface WebhookKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly kid: string;
  readonly whpk: string;
}

export interface WebhookKeys {
  readonly keys: readonly WebhookKey[];
}

export interface CreateOptions extends CallOptions {
  /**
   * Deduplicates retries. Default: a random key per call. A key requires the same request, so upload bytes once and
   * pass their address.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A union with one member per status, so that `status` discriminates it. */
export type WithStatus<T, Status extends string> = Status extends string ? T & { readonly status: Status } : never;

export type WithRequired<T, K extends keyof T> = T & { readonly [Key in K]-?: NonNullable<T[Key]> };

export interface FileOptions {
  /** For the pages and the catalog. Default: the name of a `File`. */
  readonly fileName?: string | undefined;
}

/** @internal */
export function fileNameField(source: string | URL | Bytes, { fileName }: FileOptions): { file_name?: string } {
  const name = fileName ?? (typeof source === 'string' || source instanceof URL ? undefined : fileNameOf(source));
  return name === undefined || name === '' ? {} : { file_name: [...name].slice(-255).join('') };
}

type TaskState =
  | { readonly status: 'queued' | 'processing' | 'done' }
  | { readonly status: 'failed'; readonly error: string; readonly error_code: string };

/** What the services with tasks have in common; `State` is a union over `status`. */
export class TaskService<State extends TaskState, Event, Item extends object> {
  /** Many tasks in one request. */
  readonly batches: Batches<Item>;
  /** @internal */
  protected readonly line: Connection;
  readonly #polling: Polling;

  constructor(line: Connection, polling: Polling) {
    this.line = line;
    this.batches = new Batches(line, polling);
    this.#polling = polling;
  }

  /** Reads the current state. Throws `TaskNotFound` for an unknown or expired task. */
  async result(taskId: string, { signal }: CallOptions = {}): Promise<State> {
    return this.line.data(resultPath(taskId), { signal });
  }

  /** The response body of `result` as bytes, which webhooks also have. */
  async resultBody(taskId: string, { signal }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.line.bytes(resultPath(taskId), { signal });
  }

  /** What happened to the task so far: its attempts with their steps, and each delivery attempt. */
  async timeline(taskId: string, { signal }: CallOptions = {}): Promise<TaskTimeline> {
    return this.line.data(`${resultPath(taskId)}/timeline`, { signal });
  }

  /** Waits until the task is done. Throws `TaskFailed` if it fails or is cancelled. */
  async wait(
    task: TaskHandle | string,
    options: WaitOptions<State> = {},
  ): Promise<Extract<State, { readonly status: 'done' }>> {
    const { clock, onRateLimit, onOutage } = this.line;
    const handle: TaskHandle = typeof task === 'string' ? { task_id: task } : task;
    const { task_id: taskId, accepted_at_ms: acceptedAtMs, estimated_wait_seconds: estimateSeconds } = handle;
    const read = async (longPollSeconds: number, signal: AbortSignal): Promise<PollResult<State>> => {
      const request = { longPollSeconds, retries: 0, signal };
      const answer = await this.line.request(resultPath(taskId), request);
      const state = answer.data<State>();
      return {
        state,
        ended: state.status === 'done' || state.status === 'failed',
        retryAfterSeconds: retryAfterSeconds(answer.headers, clock.now()),
      };
    };
    const pace = POLL_SCHEDULES[this.#polling];
    const state = await pollUntilEnded({
      subject: `Task ${taskId}`,
      read,
      pace,
      clock,
      onRateLimit,
      onOutage,
      acceptedAtMs,
      estimateSeconds,
      options,
    });
    if (state.status !== 'failed') return state as Extract<State, { readonly status: 'done' }>;
    const { error_code: code = 'TASK_FAILED', error: message = 'The task failed.' } = state;
    throw new TaskFailed({ code, message, taskId, state });
  }

  /** Cancels a task. Throws `Conflict` if it has already ended. Not retried: a second cancellation is an error. */
  async cancel(taskId: string, { signal }: CallOptions = {}): Promise<Extract<State, { readonly status: 'failed' }>> {
    return this.line.data(`${resultPath(taskId)}/cancel`, { method: 'POST', signal });
  }

  /** The events of the tasks that were created with this token: stored ones, then new ones as they happen. */
  events(options: EventOptions = {}): AsyncGenerator<Event, void, undefined> {
    return followEvents(this.line, (answer) => answer.data<EventsPage<Event>>(), options);
  }

  /** The webhook deliveries of the tasks that were created with this token, newest first. */
  deliveries(options: DeliveryOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    return listDeliveries(this.line, options);
  }

  /**
   * Sends the webhook of a task again, or all that have failed since a time; returns their number. The delivery ids stay the
   * same. Waits while too many redeliveries are queued.
   */
  redeliver(what: string | Date, options: RedeliverOptions = {}): Promise<number> {
    return redeliver(this.line, what, options);
  }

  /** The webhook receivers of this token whose last attempts failed; those that failed for a day are paused. */
  endpoints({ signal }: CallOptions = {}): Promise<readonly FailingEndpoint[]> {
    return listEndpoints(this.line, { signal });
  }

  /** Resumes a paused receiver, given by any URL of it; its held webhooks are sent. Returns whether it was paused. */
  resumeEndpoint(url: string, { signal }: CallOptions = {}): Promise<boolean> {
    return resumeEndpoint(this.line, url, { signal });
  }

  /** Sends a signed test event to a receiver, with a secret or that of the token. */
  testWebhook(
    url: string,
    { secret, signal }: CallOptions & { readonly secret?: string | undefined } = {},
  ): Promise<WebhookTestResult> {
    return testWebhook(this.line, { url, ...(secret !== undefined && { secret }) }, { signal });
  }

  /** Uploads a file for use in tasks; it expires with the results. Safe to retry. */
  async upload(bytes: Bytes, { signal }: CallOptions = {}): Promise<UploadedFile> {
    const body = toBlob(bytes);
    const headers = { 'content-type': body.type || 'application/octet-stream' };
    return this.line.data('/files', { method: 'POST', body, headers, repeatable: true, signal });
  }

  async webhookKeys({ signal }: CallOptions = {}): Promise<WebhookKeys> {
    return this.line.json('/.well-known/webhook-keys.json', { signal });
  }

  /** The URL of a file: `source`, or where it is uploaded to. */
  protected async urlOf(source: string | URL | Bytes, options: CallOptions): Promise<string> {
    if (typeof source === 'string' || source instanceof URL) return String(source);
    return (await this.upload(source, options)).url;
  }

  protected async create<Accepted extends object>(
    path: string,
    json: object,
    { idempotencyKey = newIdempotencyKey(), signal }: CreateOptions,
  ): Promise<Accepted & { readonly accepted_at_ms: number }> {
    const accepted = await this.line.data<Accepted>(path, { method: 'POST', json, idempotencyKey, signal });
    return { ...accepted, accepted_at_ms: this.line.clock.now() };
  }
}

export const resultPath = (taskId: string) => `/result/${encodeURIComponent(taskId)}`;
