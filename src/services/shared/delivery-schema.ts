import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';
import { WITHOUT_NUL } from '../../http/text-patterns.ts';
import { UnixSeconds } from './task-schema.ts';

export const DELIVERY_EXAMPLE = 'whd_01KAF3M9WZ3RS8V5X2K7J4H6G9';
const MAX_LIMIT = 500;

const State = Type.Enum(['pending', 'delivered', 'failed']);
const DeliveryId = { pattern: '^whd_[0-9A-HJKMNP-TV-Z]{26}$', examples: [DELIVERY_EXAMPLE] };
const Since = Type.String({
  pattern: '^\\d{1,11}$',
  examples: ['1767225600'],
  description: 'Only deliveries whose last attempt began at this time or later, in Unix seconds.',
});

export const DeliveriesQuery = Type.Object({
  state: Type.Optional(State),
  task_id: Type.Optional(Type.String({ maxLength: 64, pattern: WITHOUT_NUL })),
  since: Type.Optional(Since),
  before: Type.Optional(
    Type.String({ ...DeliveryId, description: '`next` of the previous page: only deliveries created earlier.' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 100 }),
});

const DeliveryAttempt = Type.Object({
  attempt: Type.Integer({ description: 'From 1. A number is missing if the attempt was interrupted.' }),
  started_at: UnixSeconds,
  duration_ms: Type.Optional(Type.Integer()),
  response_status_code: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String({ description: 'As in `last_error`; absent for a successful attempt.' })),
});

export const Delivery = Type.Object({
  delivery_id: Type.String(),
  task_id: Type.String(),
  url: Type.String(),
  state: State,
  attempts: Type.Integer({ description: 'Started attempts.' }),
  last_attempt_at: Type.Optional(UnixSeconds),
  next_attempt_at: Type.Optional(UnixSeconds),
  delivered_at: Type.Optional(UnixSeconds),
  response_status_code: Type.Optional(Type.Integer()),
  last_error: Type.Optional(Type.String()),
  held: Type.Optional(Type.Literal(true, { description: 'It waits for the end of the pause of its endpoint.' })),
  attempt_log: Type.Array(DeliveryAttempt, { description: 'The last 20 ended attempts, oldest first.' }),
});

export const DeliveryPage = Success(
  Type.Object({
    deliveries: Type.Array(Delivery, { description: 'Newest first.' }),
    next: Type.Optional(Type.String({ description: '`before` of the next page; absent on the last one.' })),
  }),
);

export const RedeliverRequest = Type.Object(
  {
    task_id: Type.Optional(
      Type.String({ maxLength: 64, pattern: WITHOUT_NUL, description: 'Deliver the result of this task again.' }),
    ),
    since: Type.Optional(Since),
    pending: Type.Optional(
      Type.Boolean({ default: false, description: 'With `since`: also deliveries that wait for a retry or are held.' }),
    ),
  },
  { description: 'Either `task_id` or `since`.', examples: [{ since: '1767225600' }] },
);

export const Redelivered = Success(
  Type.Object({
    redelivered: Type.Integer({ description: 'The number of queued deliveries.' }),
    more: Type.Boolean({ description: 'Whether to repeat the request for the remaining ones.' }),
  }),
);

const Endpoint = Type.Object({
  endpoint: Type.String({ description: 'Scheme, host and port of the receiver.' }),
  state: Type.Enum(['failing', 'paused']),
  failing_since: UnixSeconds,
  failed_attempts: Type.Integer({ description: 'Since the last successful one.' }),
  paused_at: Type.Optional(UnixSeconds),
  held: Type.Integer({ description: 'Deliveries that wait for the end of the pause, counted up to 10 000.' }),
});

export const EndpointList = Success(
  Type.Object({ endpoints: Type.Array(Endpoint, { description: 'Paused ones first.' }) }),
);

export const Resumed = Success(Type.Object({ resumed: Type.Boolean({ description: 'False: it was not paused.' }) }));

/** For the API reference. */
export const endpointExample = {
  endpoint: 'https://receiver.example.com',
  state: 'paused',
  failing_since: '1767225600',
  failed_attempts: 31,
  paused_at: '1767312000',
  held: 12,
} as const;

/** For the API reference. */
export const deliveryExample = {
  delivery_id: DELIVERY_EXAMPLE,
  task_id: '01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
  url: 'https://receiver.example.com/hook',
  state: 'delivered',
  attempts: 2,
  last_attempt_at: '1767225606',
  delivered_at: '1767225606',
  response_status_code: 204,
  attempt_log: [
    { attempt: 1, started_at: '1767225600', duration_ms: 31, response_status_code: 500, error: 'http_status' },
    { attempt: 2, started_at: '1767225606', duration_ms: 18, response_status_code: 204 },
  ],
} as const;
