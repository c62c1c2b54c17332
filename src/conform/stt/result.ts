import { admitted, nobodys } from '../access.ts';
import type { Check } from '../check.ts';
import { data, dataObject, envelope, holds, refused, shaped } from '../expect.ts';
import { same } from '../same.ts';
import { filledText, flag, integer, oneOf, record, text } from '../shape.ts';
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

/** What `GET /result/{task_id}` answers; with which status, the specification does not show. */
export const sttResult: readonly Check[] = [
  {
    id: 'stt.result.in-progress',
    cites: ['4.2', 'task still queued or running'],
    title: 'right after acceptance the state can be read, in the success envelope',
    run: async (visit) => {
      const answer = await plain.firstLook(visit);
      shaped(answer, data(answer), STATE, 'data');
    },
  },
  {
    id: 'stt.result.task-id',
    cites: ['4.2', '`task_id` is the identifier received at acceptance.'],
    title: 'task_id is there in every state, and is that of the request',
    run: async (visit) => {
      const { id } = await plain.accepted(visit);
      for (const answer of [await plain.firstLook(visit), await plain.final(visit)]) {
        shaped(answer, dataObject(answer)['task_id'], oneOf(id), 'data.task_id');
      }
    },
  },
  {
    id: 'stt.result.final',
    cites: ['4.2', 'finished task with its final state'],
    title: 'a task that has ended is done or failed, its fields of their types',
    run: async (visit) => {
      const answer = await plain.final(visit);
      shaped(answer, data(answer), STATE, 'data');
      shaped(answer, dataObject(answer)['status'], oneOf('done', 'failed'), 'data.status');
    },
  },
  {
    id: 'stt.result.transcription',
    cites: ['2.3', '`transcription` string (required, may be empty when no useful speech was found)'],
    title: 'a task that is done has a transcription',
    run: async (visit) => {
      const answer = await plain.done(visit);
      shaped(answer, dataObject(answer), record({ result: record({ transcription: text }) }), 'data');
    },
  },
  {
    id: 'stt.result.service',
    cites: ['2.3', '`service` string (required, name of the public service that produced the result)'],
    title: 'a task that is done names the service that produced the result',
    run: async (visit) => {
      const answer = await plain.done(visit);
      shaped(answer, dataObject(answer), record({ result: record({ service: filledText }) }), 'data');
    },
  },
  {
    id: 'stt.result.again',
    cites: [
      '4.2',
      'This is the canonical way to read the result after reconnecting, retrying, or missing a notification.',
    ],
    title: 'the result can be read again, and is the same',
    run: async (visit) => {
      const before = await plain.final(visit);
      const answer = await readTask(visit, (await plain.accepted(visit)).id);
      holds(answer, same(answer.json, before.json), 'the same body as the time before');
    },
  },
  {
    id: 'stt.result.metadata',
    cites: ['2.3', 'optional, echo'],
    title: 'metadata is echoed in every state',
    run: async (visit) => {
      for (const answer of [await full.firstLook(visit), await full.final(visit)]) {
        const echo = dataObject(answer)['metadata'];
        holds(answer, same(echo, METADATA), `data.metadata to be ${JSON.stringify(METADATA)}`);
      }
    },
  },
  {
    id: 'stt.result.webhook',
    cites: ['6.2', 'Delivery progress is visible in `data.webhook` of the result.'],
    title: 'the webhook is configured, has a status, and what else it has is a string',
    run: async (visit) => {
      for (const answer of [await full.firstLook(visit), await full.final(visit)]) {
        shaped(answer, dataObject(answer), record({ webhook: WEBHOOK }), 'data');
        shaped(answer, dataObject(answer)['webhook'], record({ configured: oneOf(true) }), 'data.webhook');
      }
    },
  },
  {
    id: 'stt.result.no-webhook',
    cites: ['2.3', '`configured` boolean (required), `status` string (required)'],
    title: 'a task without a webhook has none that is configured',
    run: async (visit) => {
      for (const answer of [await plain.firstLook(visit), await plain.final(visit)]) {
        const { webhook } = dataObject(answer);
        holds(answer, notConfigured(webhook), 'data.webhook to be absent, or not configured');
      }
    },
  },
  {
    id: 'stt.result.failed',
    cites: ['2.3', 'required; `queued`, `done`, `failed` are named'],
    title: 'a task whose recording is not there fails, its fields of their types',
    run: async (visit) => {
      const answer = await failed(visit);
      shaped(answer, data(answer), STATE, 'data');
      shaped(answer, dataObject(answer)['status'], oneOf('failed'), 'data.status');
    },
  },
  {
    id: 'stt.result.unknown',
    cites: ['4.2', 'unknown or expired identifier'],
    title: 'an unknown identifier is answered with the error envelope',
    run: async (visit) => {
      await admitted(visit);
      const answer = await readTask(visit, nobodys(visit));
      refused(answer);
      envelope(answer);
    },
  },
];
