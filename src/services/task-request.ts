import type { TSchema } from 'typebox';
import { idempotencyKeyReused, queueUnavailable, validationError } from '../base/faults.ts';
import type { JsonObject } from '../base/json.ts';
import { refusal, reply, Success } from '../http/envelope.ts';

/** What a request for a task may carry and how it is answered, for the description: see `accept-task.ts`. */
export const taskRequest = (told: {
  /** The schema of what the 202 tells. */
  accepted: TSchema;
  /** The whole body of one. */
  example: JsonObject;
  /** A sentence that refuses a request. */
  invalid: string;
}) => ({
  tags: ['tasks'],
  shown: {
    headers: {
      'Idempotency-Key': 'The same key with the same body makes no second task while the first is kept.',
      'X-Request-ID': 'Your identifier of this request; it comes back and goes into the callback.',
      traceparent: 'A W3C trace, which the callback carries on.',
    },
  },
  response: {
    202: reply(
      'Queued.',
      Success(told.accepted),
      { queued: told.example },
      {
        Location: 'Equal to `status_url`.',
        'Idempotency-Replayed': '`true` where an earlier request with the same key made the task.',
      },
    ),
    422: refusal(validationError(told.invalid), idempotencyKeyReused()),
    503: refusal(queueUnavailable()),
  },
});
