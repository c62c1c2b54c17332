import type { Check } from '../check.ts';
import { assertShape, assertStatus, assertThat, successData, successObject } from '../expect.ts';
import { deepEqual, filledText, flag, integer, oneOf, record, without } from '../shape.ts';
import { full, METADATA, notConfigured, plain, transcribeAudio } from './steps.ts';

const ACCEPTED = [
  '2.3',
  '`ok` boolean, `data` object with required `task_id` string, `status` string (`queued`), `status_url` string (relative `/result/<task_id>`), `estimated_wait_seconds` integer',
] as const;

export const sttAccepted: readonly Check[] = [
  {
    id: 'stt.accept.status',
    cites: ['4.2', 'Success 202 (task queued).'],
    title: 'a task is accepted with 202',
    run: async (context) => assertStatus(await plain.answered(context), 202),
  },
  {
    id: 'stt.accept.envelope',
    cites: ['2.1', '`ok` boolean (true); `data` object'],
    title: 'the accepted response is the success envelope, as JSON',
    run: async (context) => {
      const { response } = await plain.accepted(context);
      successData(response);
      assertThat(
        response,
        /^application\/json\b/.test(response.headers.get('content-type') ?? ''),
        'the type application/json',
      );
    },
  },
  {
    id: 'stt.accept.task-id',
    cites: ACCEPTED,
    title: 'the accepted response has a task_id',
    run: async (context) => {
      const response = await plain.answered(context);
      assertShape(response, successObject(response)['task_id'], filledText, 'data.task_id');
    },
  },
  {
    id: 'stt.accept.queued',
    cites: ACCEPTED,
    title: 'an accepted task is queued',
    run: async (context) => {
      const { response, data } = await plain.accepted(context);
      assertShape(response, data['status'], oneOf('queued'), 'data.status');
    },
  },
  {
    id: 'stt.accept.status-url',
    cites: ACCEPTED,
    title: 'status_url is /result/<task_id>',
    run: async (context) => {
      const { response, data, id } = await plain.accepted(context);
      assertShape(response, data['status_url'], oneOf(`/result/${id}`), 'data.status_url');
    },
  },
  {
    id: 'stt.accept.estimate',
    cites: ACCEPTED,
    title: 'estimated_wait_seconds is a non-negative integer',
    run: async (context) => {
      const { response, data } = await plain.accepted(context);
      assertShape(response, data['estimated_wait_seconds'], integer, 'data.estimated_wait_seconds');
      assertThat(response, Number(data['estimated_wait_seconds']) >= 0, 'data.estimated_wait_seconds to be 0 or more');
    },
  },
  {
    id: 'stt.accept.metadata',
    cites: ['2.3', 'optional; stored with the task and echoed back'],
    title: 'the accepted response includes the metadata',
    run: async (context) => {
      const response = await full.answered(context);
      assertStatus(response, 202);
      const metadata = successObject(response)['metadata'];
      assertThat(response, deepEqual(metadata, METADATA), `data.metadata to be ${JSON.stringify(METADATA)}`);
    },
  },
  {
    id: 'stt.accept.metadata-empty',
    cites: ['2.3', 'object, free-form keys, any values'],
    title: 'empty metadata is accepted',
    run: async (context) => {
      await plain.accepted(context);
      const response = await transcribeAudio(context, { metadata: {} });
      assertStatus(response, 202);
      assertThat(response, deepEqual(successObject(response)['metadata'], {}), 'data.metadata to be {}');
    },
  },
  {
    id: 'stt.accept.no-metadata',
    cites: ['2.3', 'optional `metadata` object (echo)'],
    title: 'the accepted response of a request without metadata has no metadata',
    run: async (context) => {
      const { response, data } = await plain.accepted(context);
      assertShape(response, data, without('metadata'), 'data');
    },
  },
  {
    id: 'stt.accept.webhook',
    cites: [
      '2.3',
      'optional `webhook` object with required `configured` boolean and `status` string (`pending` right after acceptance)',
    ],
    title: 'a webhook is configured and pending after acceptance',
    run: async (context) => {
      const response = await full.answered(context);
      const webhook = record({ configured: flag, status: oneOf('pending') });
      assertShape(response, successObject(response), record({ webhook }), 'data');
      assertShape(response, successObject(response)['webhook'], record({ configured: oneOf(true) }), 'data.webhook');
    },
  },
  {
    id: 'stt.accept.no-webhook',
    cites: ['2.3', 'optional `webhook` object with required `configured` boolean'],
    title: 'a request without a webhook has no configured webhook',
    run: async (context) => {
      const { response, data } = await plain.accepted(context);
      assertThat(response, notConfigured(data['webhook']), 'data.webhook to be absent or not configured');
    },
  },
  {
    id: 'stt.accept.webhook-without-secret',
    cites: ['2.3', 'optional; used to sign or verify the webhook'],
    title: 'a webhook without a secret is accepted',
    run: async (context) => {
      await plain.accepted(context);
      assertStatus(await transcribeAudio(context, { webhook: { url: context.webhookUrl } }), 202);
    },
  },
];
