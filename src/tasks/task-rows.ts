import type { Failure, Task, Webhook } from './task.ts';

/** A row of `tasks` with its delivery, as selected by `TASK_COLUMNS`. */
export interface TaskRow {
  id: string;
  service: string;
  principal: string;
  status: Task['status'];
  input_text: string;
  estimate_seconds: number;
  queued_at: number;
  finished_at: number | null;
  processing_ms: number | null;
  progress: number | null;
  result_text: string | null;
  error_code: string | null;
  error: string | null;
  delivery: DeliveryColumns | null;
}

/** As selected by `DELIVERY_JSON`. */
export interface DeliveryColumns {
  id: string;
  state: Webhook['state'];
  attempts: number;
  due_at: number | null;
  last_attempt_at: number | null;
  delivered_at: number | null;
  status_code: number | null;
  error: string | null;
}

/** A delivery `d` as one column. */
export const DELIVERY_JSON = `json_build_object(
    'id', d.id, 'state', d.state, 'attempts', d.attempts,
    'due_at', case when d.leased_until is null and d.due_at < 'infinity' then date_part('epoch', d.due_at) end,
    'last_attempt_at', date_part('epoch', d.last_attempt_at), 'delivered_at', date_part('epoch', d.delivered_at),
    'status_code', d.response_status_code, 'error', d.last_error)`;

/** Columns of `tasks t left join deliveries d`, cheap to decode: JSON as text, times as seconds, a delivery as one column. */
export const TASK_COLUMNS = taskColumns('t.result::text');

/** The same columns with the SQL expression `resultText` in place of the result. */
export function taskColumns(resultText: string): string {
  return `
  t.id, t.service, t.principal, t.status, t.input::text as input_text, t.estimate_seconds,
  date_part('epoch', t.queued_at) as queued_at, date_part('epoch', t.finished_at) as finished_at, t.processing_ms,
  t.progress, ${resultText} as result_text, t.error_code, t.error,
  case when d.id is not null then ${DELIVERY_JSON} end as delivery`;
}

export function toTask(row: TaskRow): Task {
  const task = stateOf(row);
  return row.delivery === null ? task : { ...task, webhook: toWebhook(row.delivery) };
}

/** Runs for every poll. Literals: adding members to a spread object takes 30 times as long (measured). */
function stateOf(row: TaskRow): Task {
  const { status, id, service, principal, input_text: inputText, estimate_seconds: estimateSeconds } = row;
  const queuedAt = toDate(row.queued_at);
  switch (status) {
    case 'queued':
      return { id, service, principal, inputText, queuedAt, estimateSeconds, status };
    case 'processing': {
      const { progress } = row;
      return progress === null
        ? { id, service, principal, inputText, queuedAt, estimateSeconds, status }
        : { id, service, principal, inputText, queuedAt, estimateSeconds, status, progress };
    }
    case 'done': {
      const finishedAt = toDate(row.finished_at!);
      const resultText = row.result_text ?? 'null';
      const processingMs = row.processing_ms ?? 0;
      return {
        id,
        service,
        principal,
        inputText,
        queuedAt,
        estimateSeconds,
        status,
        resultText,
        processingMs,
        finishedAt,
      };
    }
    case 'failed': {
      const failure: Failure = { code: row.error_code!, message: row.error! };
      const finishedAt = toDate(row.finished_at!);
      const failed = { id, service, principal, inputText, queuedAt, estimateSeconds, status, failure, finishedAt };
      return row.processing_ms === null ? failed : { ...failed, processingMs: row.processing_ms };
    }
  }
}

export function toWebhook(row: DeliveryColumns): Webhook {
  return {
    deliveryId: row.id,
    state: row.state,
    attempts: row.attempts,
    ...(row.last_attempt_at !== null && { lastAttemptAt: toDate(row.last_attempt_at) }),
    ...(row.due_at !== null && { nextAttemptAt: toDate(row.due_at) }),
    ...(row.delivered_at !== null && { deliveredAt: toDate(row.delivered_at) }),
    ...(row.status_code !== null && { responseStatusCode: row.status_code }),
    ...(row.error !== null && { lastError: row.error }),
  };
}

/** Rounds down to milliseconds; adding 0.5 µs offsets the error of binary fractions. */
const toDate = (seconds: number) => new Date(Math.floor(seconds * 1000 + 0.0005));

/** A 4-byte column holds 24.8 days. */
export const MAX_PROCESSING_MS = 2 ** 31 - 1;

/** Entries that a log keeps: attempts at a task with some requeues, or two retry schedules of a delivery. */
export const MAX_LOGGED = 20;

/** SQL: the JSON array `log` with objects of these keys and values, in place of its oldest entries if it is full. */
export const appendedLog = (log: string, ...entries: readonly string[]): string => `
  case when jsonb_array_length(coalesce(${log}, '[]')) > ${MAX_LOGGED - entries.length} then ${log} ${'- 0 '.repeat(entries.length)}
       else coalesce(${log}, '[]') end
  || jsonb_build_array(${entries.map((entry) => `jsonb_strip_nulls(jsonb_build_object(${entry}))`).join(', ')})`;

const attemptEntry = (worker: string, end: string, more: string): string =>
  `'attempt', t.attempts, 'worker', ${worker}, 'from', extract(epoch from t.claimed_at), 'to', extract(epoch from ${end}), ${more}`;

/** SQL: the log of a task `t` with the end of its current attempt. `more`: further keys and values (timeline.ts). */
export const withAttemptLogged = (more: string): string => `
  case when t.worker is null then t.attempt_log
       else ${appendedLog('t.attempt_log', attemptEntry('t.worker', 'now()', more))} end`;

/** SQL: the log of a failed task `t` with `entry`, and before it with the attempt that has ended the task. */
export const withLastAttemptLogged = (entry: string): string => `
  case when t.ended_by is null then ${appendedLog('t.attempt_log', entry)}
       else ${appendedLog('t.attempt_log', attemptEntry('t.ended_by', 't.finished_at', `'steps', t.steps, 'error', t.error_code`), entry)} end`;

/** SQL assignments that end a task `t` as failed. */
export const failSql = (code: string, message: string): string => `
             status        = 'failed',
             finished_at   = now(),
             error_code    = ${code},
             error         = ${message},
             processing_ms = least(extract(epoch from now() - t.started_at) * 1000, ${MAX_PROCESSING_MS})::int,
             checkpoint    = null,
             attempt_log   = ${withAttemptLogged(`'error', ${code}::text`)},
             worker        = null,
             leased_until  = null`;

/** SQL: the columns of a task `t` that `afterEndSql` reads. */
export const ENDED_COLUMNS = 't.id, t.service, t.principal, t.status, t.error_code, t.queued_at, t.expires_at';

/**
 * SQL: the queries that follow the query `ended`, which returned the `ENDED_COLUMNS` of updated tasks. They record the events of
 * those that have ended and make their deliveries due. A trigger for each row took four times as long (measured). Batches have
 * an event of their own (batch-statements.ts).
 */
export const afterEndSql = (ended: string): string => `
    recorded as (
      insert into unnumbered_task_events (service, principal, task_id, kind, status, error_code, expires_at)
      select service, principal, id, 'terminal', status, error_code, task_event_expiry(queued_at, expires_at)
        from ${ended}
       where status in ('done', 'failed') and service not like '%.batches'
    ),
    due as (${deliveriesDueSql(ended, `${ended}.status in ('done', 'failed')`)})`;

/** SQL that makes the deliveries of the tasks `ended` due. */
export const deliveriesDueSql = (ended: string, condition: string): string =>
  `update deliveries d set due_at = now() from ${ended} where d.task_id = ${ended}.id and ${condition}`;

/** SQL condition: a delivery `d` that waits for the end of its endpoint's pause (endpoints.ts). */
export const HELD = "d.due_at = 'infinity'";

/** SQL condition: a task `t` that clients can read. */
export const IS_READABLE = '(t.expires_at is null or t.expires_at > now())';
