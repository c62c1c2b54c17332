import { requireAccess, unknownTaskId } from '../access.ts';
import type { Check } from '../check.ts';
import {
  assertErrorEnvelope,
  assertErrorStatus,
  assertShape,
  assertThat,
  successData,
  successObject,
} from '../expect.ts';
import { deepEqual, filledText, flag, integer, oneOf, record, text } from '../shape.ts';
import { readTask } from '../task.ts';
import { failed, full, METADATA, notConfigured, plain } from './steps.ts';

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
  { configured: flag, status: text },
  {
    delivery_id: text,
    delivered_at: text,
    last_attempt_at: text,
    next_attempt_at: text,
    last_error: text,
  },
);

/** Checks of `GET /result/{task_id}`, whose status is not specified. */
export const sttResult: readonly Check[] = [
  {
    id: 'stt.result.in-progress',
    cites: ['4.2', 'task still queued or running'],
    title: 'the state can be read after acceptance in the success envelope',
    run: async (context) => {
      const response = await plain.firstLook(context);
      assertShape(response, successData(response), STATE, 'data');
    },
  },
  {
    id: 'stt.result.task-id',
    cites: ['4.2', '`task_id` is the identifier received at acceptance.'],
    title: 'task_id is present in every state',
    run: async (context) => {
      const { id } = await plain.accepted(context);
      for (const response of [await plain.firstLook(context), await plain.final(context)]) {
        assertShape(response, successObject(response)['task_id'], oneOf(id), 'data.task_id');
      }
    },
  },
  {
    id: 'stt.result.final',
    cites: ['4.2', 'finished task with its final state'],
    title: 'a finished task is done or failed and has the right field types',
    run: async (context) => {
      const response = await plain.final(context);
      assertShape(response, successData(response), STATE, 'data');
      assertShape(response, successObject(response)['status'], oneOf('done', 'failed'), 'data.status');
    },
  },
  {
    id: 'stt.result.transcription',
    cites: ['2.3', '`transcription` string (required, may be empty when no useful speech was found)'],
    title: 'a completed task has a transcription',
    run: async (context) => {
      const response = await plain.done(context);
      assertShape(response, successObject(response), record({ result: record({ transcription: text }) }), 'data');
    },
  },
  {
    id: 'stt.result.service',
    cites: ['2.3', '`service` string (required, name of the public service that produced the result)'],
    title: 'a completed task names the service that produced the result',
    run: async (context) => {
      const response = await plain.done(context);
      assertShape(response, successObject(response), record({ result: record({ service: filledText }) }), 'data');
    },
  },
  {
    id: 'stt.result.again',
    cites: [
      '4.2',
      'This is the canonical way to read the result after reconnecting, retrying, or missing a notification.',
    ],
    title: 'the result does not change when it is read again',
    run: async (context) => {
      const before = await plain.final(context);
      const response = await readTask(context, (await plain.accepted(context)).id);
      assertThat(response, deepEqual(response.json, before.json), 'the same body as before');
    },
  },
  {
    id: 'stt.result.metadata',
    cites: ['2.3', 'optional, echo'],
    title: 'metadata is included in every state',
    run: async (context) => {
      for (const response of [await full.firstLook(context), await full.final(context)]) {
        const echo = successObject(response)['metadata'];
        assertThat(response, deepEqual(echo, METADATA), `data.metadata to be ${JSON.stringify(METADATA)}`);
      }
    },
  },
  {
    id: 'stt.result.webhook',
    cites: ['6.2', 'Delivery progress is visible in `data.webhook` of the result.'],
    title: 'the webhook is configured, has a status and only string fields',
    run: async (context) => {
      for (const response of [await full.firstLook(context), await full.final(context)]) {
        assertShape(response, successObject(response), record({ webhook: WEBHOOK }), 'data');
        assertShape(response, successObject(response)['webhook'], record({ configured: oneOf(true) }), 'data.webhook');
      }
    },
  },
  {
    id: 'stt.result.no-webhook',
    cites: ['2.3', '`configured` boolean (required), `status` string (required)'],
    title: 'a task without a webhook has no configured webhook',
    run: async (context) => {
      for (const response of [await plain.firstLook(context), await plain.final(context)]) {
        const { webhook } = successObject(response);
        assertThat(response, notConfigured(webhook), 'data.webhook to be absent or not configured');
      }
    },
  },
  {
    id: 'stt.result.failed',
    cites: ['2.3', 'required; `queued`, `done`, `failed` are named'],
    title: 'a task with a missing recording fails and has the right field types',
    run: async (context) => {
      const response = await failed(context);
      assertShape(response, successData(response), STATE, 'data');
      assertShape(response, successObject(response)['status'], oneOf('failed'), 'data.status');
    },
  },
  {
    id: 'stt.result.unknown',
    cites: ['4.2', 'unknown or expired identifier'],
    title: 'an unknown identifier returns the error envelope',
    run: async (context) => {
      await requireAccess(context);
      const response = await readTask(context, unknownTaskId(context));
      assertErrorStatus(response);
      assertErrorEnvelope(response);
    },
  },
];
