import { expectIdInEveryState } from '../acceptance.ts';
import { requireAccess, unknownTaskId } from '../access.ts';
import type { Check, RunContext } from '../check.ts';
import { checks, clientError, data, error, expect, expecting, sameBody } from '../expect.ts';
import { filledText, integer, oneOf, record, text } from '../shape.ts';
import { readTask } from '../task.ts';
import { echo, failed, full, METADATA, NO_WEBHOOK, plain } from './steps.ts';

const STATE = record(
  { task_id: filledText, status: filledText },
  {
    result: record({ transcription: text, service: text }),
    processing_time_ms: integer,
    completed_at: text,
    error: text,
    failed_at: text,
    metadata: record({}),
  },
);

const WEBHOOK = record(
  { configured: oneOf(true), status: text },
  {
    delivery_id: text,
    delivered_at: text,
    last_attempt_at: text,
    next_attempt_at: text,
    last_error: text,
  },
);

async function readUnknown(context: RunContext) {
  await requireAccess(context);
  return readTask(context, unknownTaskId(context));
}

/** Checks of `GET /result/{task_id}`, whose status is not specified. */
export const sttResult: readonly Check[] = checks('stt.result', [
  [
    'in-progress',
    ['4.2', 'task still queued or running'],
    'the state can be read after acceptance in the success envelope',
    expecting(plain.firstLook, data(STATE)),
  ],
  [
    'task-id',
    ['4.2', '`task_id` is the identifier received at acceptance.'],
    'task_id is present in every state',
    expectIdInEveryState(plain),
  ],
  [
    'final',
    ['4.2', 'finished task with its final state'],
    'a finished task is done or failed and has the right field types',
    expecting(plain.final, data(STATE), data({ status: oneOf('done', 'failed') })),
  ],
  [
    'transcription',
    ['2.3', '`transcription` string (required, may be empty when no useful speech was found)'],
    'a completed task has a transcription',
    expecting(plain.done, data({ result: record({ transcription: text }) })),
  ],
  [
    'service',
    ['2.3', '`service` string (required, name of the public service that produced the result)'],
    'a completed task names the service that produced the result',
    expecting(plain.done, data({ result: record({ service: filledText }) })),
  ],
  [
    'again',
    ['4.2', 'This is the canonical way to read the result after reconnecting, retrying, or missing a notification.'],
    'the result does not change when it is read again',
    async (context) => {
      const before = await plain.final(context);
      expect(await plain.again(context), sameBody(before));
    },
  ],
  [
    'metadata',
    ['2.3', 'optional, echo'],
    'metadata is included in every state',
    expecting(full.states, echo(METADATA)),
  ],
  [
    'webhook',
    ['6.2', 'Delivery progress is visible in `data.webhook` of the result.'],
    'the webhook is configured, has a status and only string fields',
    expecting(full.states, data({ webhook: WEBHOOK })),
  ],
  [
    'no-webhook',
    ['2.3', '`configured` boolean (required), `status` string (required)'],
    'a task without a webhook has no configured webhook',
    expecting(plain.states, NO_WEBHOOK),
  ],
  [
    'failed',
    ['2.3', 'required; `queued`, `done`, `failed` are named'],
    'a task with a missing recording fails and has the right field types',
    expecting(failed, data(STATE), data({ status: oneOf('failed') })),
  ],
  [
    'unknown',
    ['4.2', 'unknown or expired identifier'],
    'an unknown identifier returns the error envelope',
    expecting(readUnknown, clientError, error()),
  ],
]);
