import { type TProperties, Type } from 'typebox';
import { Success } from '../../http/envelope.ts';
import { groupingFields } from './grouping.ts';

/** Not `format: uri`, which is ASCII only; `checkUrl` validates the URL. */
export const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description });

export const UnixSeconds = Type.String({ pattern: '^\\d{10,}$', description: 'Unix time in whole seconds.' });

/** The 202 response of a new task, without the envelope. */
export const AcceptedTask = <P extends TProperties>(further: P) =>
  Type.Object({
    task_id: Type.String(),
    status: Type.Literal('queued'),
    status_url: Type.String({ description: 'Relative to the base URL.' }),
    estimated_wait_seconds: Type.Integer({ description: 'Recommended seconds until the first poll; not a guarantee.' }),
    ...further,
  });

/** The response of `GET /result/{task_id}`. `further` are the properties between the status and the error. */
export const TaskStateOf = <A extends TProperties, B extends TProperties>(further: A, last: B) =>
  Success(
    Type.Object({
      task_id: Type.String(),
      status: Type.Union(['queued', 'processing', 'done', 'failed'].map((status) => Type.Literal(status))),
      ...further,
      error: Type.Optional(Type.String({ description: 'Human-readable error of a failed task.' })),
      error_code: Type.Optional(Type.String({ description: 'Machine-readable error of a failed task.' })),
      ...groupingFields,
      file_name: Type.Optional(Type.String({ description: 'Of the request, or of the file in the archive.' })),
      ...last,
    }),
  );

/** The progress of a webhook in the state of its task. `own` are the service's properties before the times. */
export const WebhookState = <P extends TProperties>(own: P) =>
  Type.Object({
    configured: Type.Boolean(),
    ...own,
    delivery_id: Type.Optional(Type.String()),
    last_attempt_at: Type.Optional(UnixSeconds),
    next_attempt_at: Type.Optional(UnixSeconds),
    delivered_at: Type.Optional(UnixSeconds),
    last_error: Type.Optional(Type.String()),
  });
