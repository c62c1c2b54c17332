import type { JsonValue } from '../base/json.ts';
import type { Task, Webhook } from './task.ts';

/** A row of `tasks` with its delivery, as SQL gives it; `TASK_COLUMNS` asks for just these. */
export interface TaskRow {
  id: string;
  service: string;
  principal: string;
  status: Task['status'];
  input: JsonValue;
  estimate_seconds: number;
  queued_at: Date;
  finished_at: Date | null;
  processing_ms: number | null;
  progress: number | null;
  result: JsonValue;
  error_code: string | null;
  error: string | null;
  delivery_id: string | null;
  delivery_state: Webhook['state'];
  delivery_attempts: number;
  due_at: Date | null;
  last_attempt_at: Date | null;
  delivered_at: Date | null;
  response_status_code: number | null;
  last_error: string | null;
}

/** Of `tasks t left join deliveries d`. */
export const TASK_COLUMNS = `
  t.id, t.service, t.principal, t.status, t.input, t.estimate_seconds, t.queued_at, t.finished_at, t.processing_ms,
  t.progress, t.result, t.error_code, t.error,
  d.id as delivery_id, d.state as delivery_state, d.attempts as delivery_attempts, d.due_at, d.last_attempt_at,
  d.delivered_at, d.response_status_code, d.last_error`;

/** The row as the state that it is in: what the state has not, the value has not. */
export function toTask(row: TaskRow): Task {
  const core = {
    id: row.id,
    service: row.service,
    principal: row.principal,
    input: row.input,
    queuedAt: row.queued_at,
    estimateSeconds: row.estimate_seconds,
    ...(row.delivery_id !== null && { webhook: toWebhook(row, row.delivery_id) }),
  };
  switch (row.status) {
    case 'queued':
      return { ...core, status: 'queued' };
    case 'processing':
      return { ...core, status: 'processing', ...(row.progress !== null && { progress: row.progress }) };
    case 'done':
      return {
        ...core,
        status: 'done',
        result: row.result,
        processingMs: row.processing_ms ?? 0,
        finishedAt: row.finished_at!,
      };
    case 'failed':
      return {
        ...core,
        status: 'failed',
        failure: { code: row.error_code!, sentence: row.error! },
        finishedAt: row.finished_at!,
        ...(row.processing_ms !== null && { processingMs: row.processing_ms }),
      };
  }
}

function toWebhook(row: TaskRow, deliveryId: string): Webhook {
  return {
    deliveryId,
    state: row.delivery_state,
    attempts: row.delivery_attempts,
    ...(row.last_attempt_at && { lastAttemptAt: row.last_attempt_at }),
    ...(row.due_at && { nextAttemptAt: row.due_at }),
    ...(row.delivered_at && { deliveredAt: row.delivered_at }),
    ...(row.response_status_code !== null && { responseStatusCode: row.response_status_code }),
    ...(row.last_error !== null && { lastError: row.last_error }),
  };
}
