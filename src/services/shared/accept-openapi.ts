import type { TSchema } from 'typebox';
import { idempotencyKeyReused, queueUnavailable, validationError } from '../../base/api-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { describeErrors, describeResponse, Success } from '../../http/envelope.ts';

/** The OpenAPI parts that all routes for task creation share (see `accept-task.ts`). */
export const acceptOpenApi = (options: { accepted: TSchema; example: JsonObject; invalid: string }) => ({
  tags: ['tasks'],
  shown: {
    headers: {
      'Idempotency-Key': 'A repeated request with the same key and body returns the first task while it is kept.',
      'X-Request-ID': 'Your request identifier, returned in the response and in the webhook.',
      traceparent: 'A W3C trace context, continued by the webhook.',
    },
  },
  response: {
    202: describeResponse(
      'Queued.',
      Success(options.accepted),
      { queued: options.example },
      {
        Location: 'Same as `status_url`.',
        'Idempotency-Replayed': '`true` if an earlier request with the same key created the task.',
      },
    ),
    422: describeErrors(validationError(options.invalid), idempotencyKeyReused()),
    503: describeErrors(queueUnavailable()),
  },
});
