import type { Check } from '../check.ts';
import { data, dataObject, holds, shaped, status } from '../expect.ts';
import { same } from '../same.ts';
import { filledText, flag, integer, oneOf, record, without } from '../shape.ts';
import { full, METADATA, notConfigured, plain, transcribeAudio } from './steps.ts';

const ACCEPTED = [
  '2.3',
  '`ok` boolean, `data` object with required `task_id` string, `status` string (`queued`), `status_url` string (relative `/result/<task_id>`), `estimated_wait_seconds` integer',
] as const;

/** A good request is accepted, with an echo of what was sent along. */
export const sttAccepted: readonly Check[] = [
  {
    id: 'stt.accept.status',
    cites: ['4.2', 'Success 202 (task queued).'],
    title: 'a task is accepted with 202',
    run: async (visit) => status(await plain.answered(visit), 202),
  },
  {
    id: 'stt.accept.envelope',
    cites: ['2.1', '`ok` boolean (true); `data` object'],
    title: 'the accepted response is the success envelope, as JSON',
    run: async (visit) => {
      const { answer } = await plain.accepted(visit);
      data(answer);
      holds(answer, /^application\/json\b/.test(answer.headers.get('content-type') ?? ''), 'the type application/json');
    },
  },
  {
    id: 'stt.accept.task-id',
    cites: ACCEPTED,
    title: 'the accepted response has a task_id',
    run: async (visit) => {
      const answer = await plain.answered(visit);
      shaped(answer, dataObject(answer)['task_id'], filledText, 'data.task_id');
    },
  },
  {
    id: 'stt.accept.queued',
    cites: ACCEPTED,
    title: 'a task that was accepted is queued',
    run: async (visit) => {
      const { answer, data } = await plain.accepted(visit);
      shaped(answer, data['status'], oneOf('queued'), 'data.status');
    },
  },
  {
    id: 'stt.accept.status-url',
    cites: ACCEPTED,
    title: 'status_url is /result/<task_id>',
    run: async (visit) => {
      const { answer, data, id } = await plain.accepted(visit);
      shaped(answer, data['status_url'], oneOf(`/result/${id}`), 'data.status_url');
    },
  },
  {
    id: 'stt.accept.estimate',
    cites: ACCEPTED,
    title: 'estimated_wait_seconds is an integer, and not negative',
    run: async (visit) => {
      const { answer, data } = await plain.accepted(visit);
      shaped(answer, data['estimated_wait_seconds'], integer, 'data.estimated_wait_seconds');
      holds(answer, Number(data['estimated_wait_seconds']) >= 0, 'data.estimated_wait_seconds to be 0 or more');
    },
  },
  {
    id: 'stt.accept.metadata',
    cites: ['2.3', 'optional; stored with the task and echoed back'],
    title: 'metadata is echoed in the accepted response',
    run: async (visit) => {
      const answer = await full.answered(visit);
      status(answer, 202);
      const echo = dataObject(answer)['metadata'];
      holds(answer, same(echo, METADATA), `data.metadata to be ${JSON.stringify(METADATA)}`);
    },
  },
  {
    id: 'stt.accept.metadata-empty',
    cites: ['2.3', 'object, free-form keys, any values'],
    title: 'metadata may be an empty object',
    run: async (visit) => {
      await plain.accepted(visit);
      const answer = await transcribeAudio(visit, { metadata: {} });
      status(answer, 202);
      holds(answer, same(dataObject(answer)['metadata'], {}), 'data.metadata to be {}');
    },
  },
  {
    id: 'stt.accept.no-metadata',
    cites: ['2.3', 'optional `metadata` object (echo)'],
    title: 'where no metadata was sent, none is echoed',
    run: async (visit) => {
      const { answer, data } = await plain.accepted(visit);
      shaped(answer, data, without('metadata'), 'data');
    },
  },
  {
    id: 'stt.accept.webhook',
    cites: [
      '2.3',
      'optional `webhook` object with required `configured` boolean and `status` string (`pending` right after acceptance)',
    ],
    title: 'a webhook is configured and pending right after acceptance',
    run: async (visit) => {
      const answer = await full.answered(visit);
      const webhook = record({ configured: flag, status: oneOf('pending') });
      shaped(answer, dataObject(answer), record({ webhook }), 'data');
      shaped(answer, dataObject(answer)['webhook'], record({ configured: oneOf(true) }), 'data.webhook');
    },
  },
  {
    id: 'stt.accept.no-webhook',
    cites: ['2.3', 'optional `webhook` object with required `configured` boolean'],
    title: 'where no webhook was asked for, none is configured',
    run: async (visit) => {
      const { answer, data } = await plain.accepted(visit);
      holds(answer, notConfigured(data['webhook']), 'data.webhook to be absent, or not configured');
    },
  },
  {
    id: 'stt.accept.webhook-without-secret',
    cites: ['2.3', 'optional; used to sign or verify the webhook'],
    title: 'a webhook needs no secret',
    run: async (visit) => {
      await plain.accepted(visit);
      status(await transcribeAudio(visit, { webhook: { url: visit.webhookUrl } }), 202);
    },
  },
];
