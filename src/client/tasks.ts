import { type Bytes, toBlob } from './bytes.ts';
import { type Connection, newIdempotencyKey } from './connection.ts';
import { TaskFailed } from './errors.ts';
import { type PollResult, pollTask, type WaitOptions } from './poll.ts';
import { POLL_SCHEDULES, type Polling } from './poll-schedule.ts';
import type { CallOptions } from './request.ts';
import { retryAfterSeconds } from './response-error.ts';

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

type State = { readonly task_id: string; readonly status: 'queued' | 'processing' | 'done' | 'failed' };

/** A union with one member per status, so that `status` discriminates it. */
export type WithStatus<T, Status extends string> = Status extends string ? T & { readonly status: Status } : never;

export type WithRequired<T, K extends keyof T> = T & { readonly [Key in K]-?: NonNullable<T[Key]> };

interface PollContext {
  readonly line: Connection;
  readonly polling: Polling;
}

export async function uploadIfNeeded(
  line: Connection,
  source: string | URL | Bytes,
  options: CallOptions,
): Promise<string> {
  if (typeof source === 'string' || source instanceof URL) return String(source);
  return (await uploadFile(line, source, options)).url;
}

/** Safe to retry: unused files expire. */
export async function uploadFile(line: Connection, bytes: Bytes, { signal }: CallOptions): Promise<UploadedFile> {
  const body = toBlob(bytes);
  const headers = { 'content-type': body.type || 'application/octet-stream' };
  const answer = await line.request('/files', { method: 'POST', body, headers, repeatable: true, signal });
  return answer.data<UploadedFile>();
}

export async function createTask<Accepted extends { readonly task_id: string }>(
  line: Connection,
  path: string,
  json: object,
  { idempotencyKey = newIdempotencyKey(), signal }: CreateOptions,
): Promise<Accepted & { readonly accepted_at_ms: number }> {
  const answer = await line.request(path, { method: 'POST', json, idempotencyKey, signal });
  return { ...answer.data<Accepted>(), accepted_at_ms: line.clock.now() };
}

export async function readTask<S extends State>(line: Connection, id: string, { signal }: CallOptions): Promise<S> {
  return (await line.request(resultPath(id), { signal })).data<S>();
}

export async function waitForTask<S extends State & { readonly error?: string; readonly error_code?: string }>(
  { line, polling }: PollContext,
  task: TaskHandle | string,
  options: WaitOptions<S>,
): Promise<S> {
  const handle: TaskHandle = typeof task === 'string' ? { task_id: task } : task;
  const { task_id: taskId, accepted_at_ms: acceptedAtMs, estimated_wait_seconds: estimateSeconds } = handle;
  const read = async (holdSeconds: number): Promise<PollResult<S>> => {
    const answer = await line.request(resultPath(taskId), {
      longPollSeconds: holdSeconds,
      retries: 0,
      signal: options.signal,
    });
    const state = answer.data<S>();
    return {
      state,
      ended: state.status === 'done' || state.status === 'failed',
      retryAfterSeconds: retryAfterSeconds(answer.headers, line.clock.now()),
    };
  };
  const pace = POLL_SCHEDULES[polling];
  const state = await pollTask({ taskId, read, pace, clock: line.clock, acceptedAtMs, estimateSeconds, options });
  if (state.status === 'done') return state;
  const { error_code: code = 'TASK_FAILED', error: message = 'The task failed.' } = state;
  throw new TaskFailed({ code, message, taskId, state });
}

/** Cancels a task. Not retried: a second cancellation is an error. */
export async function cancelTask<S extends State>(line: Connection, id: string, { signal }: CallOptions): Promise<S> {
  return (await line.request(`${resultPath(id)}/cancel`, { method: 'POST', signal })).data<S>();
}

export async function webhookKeys(line: Connection, { signal }: CallOptions): Promise<WebhookKeys> {
  return (await line.request('/.well-known/webhook-keys.json', { signal })).json();
}

export const resultPath = (taskId: string) => `/result/${encodeURIComponent(taskId)}`;
