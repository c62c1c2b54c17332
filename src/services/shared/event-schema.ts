import { type TProperties, type TSchema, Type } from 'typebox';
import type { JsonObject } from '../../base/json.ts';
import type { TaskEvent } from '../../tasks/events.ts';
import { endedBatch } from './batches/batch-schema.ts';
import { BATCH_EVENT } from './batches/batches-of.ts';

export const CURSOR_EXAMPLE = 'evt_AAAAAAAAAAcFqLkDnbsXXVOuQbU';
const MAX_LIMIT = 1000;
const MAX_WAIT_SECONDS = 30;

export const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The `id` of the last event that you have, or `next`; `latest`: only new events. Default: all stored events.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 100 }),
  wait: Type.Integer({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'Seconds to wait for an event if there is none.',
  }),
});

/** An event of a task. `own` are the service's properties of a terminal event. */
export const EventOf = <P extends TProperties>(
  service: string,
  moment: TSchema,
  own: P,
  kinds: readonly TaskEvent['kind'][] = ['terminal', 'deleted', 'corrected', 'completed'],
) =>
  Type.Object({
    id: Type.String({ description: 'Also the cursor of the events after this one.' }),
    type: Type.Enum(
      kinds.map((kind) => eventType(service, kind)),
      {
        description:
          '`terminal`: the task has ended. The task is read with `task_id`; of `batch.completed` it is the id of the batch.',
      },
    ),
    created_at: moment,
    service: Type.Literal(service),
    task_id: Type.String(),
    ...own,
    batch: Type.Optional(
      Type.Object(endedBatch, { description: 'Of `batch.completed`: the batch as in the webhook, without `webhook`.' }),
    ),
  });

export const EventPageOf = <S extends TSchema>(event: S) =>
  Type.Object({
    events: Type.Array(event),
    next: Type.String({ description: 'The cursor for the next request.' }),
    more: Type.Boolean({ description: 'Whether more events are stored after `next`.' }),
  });

export const eventType = (service: string, kind: TaskEvent['kind']) =>
  kind === 'completed' ? BATCH_EVENT : kind === 'paused' ? `${service}.endpoint.paused` : `${service}.result.${kind}`;

/** For the API reference. */
export const eventExamples = (service: string, event: JsonObject) => ({
  events: [{ id: CURSOR_EXAMPLE, type: eventType(service, 'terminal'), service, ...event }],
  next: CURSOR_EXAMPLE,
  more: false,
});
