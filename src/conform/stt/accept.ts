import { acceptanceChecks } from '../acceptance.ts';
import type { Check, RunContext } from '../check.ts';
import { checks, data, expecting, status } from '../expect.ts';
import { oneOf, record, without } from '../shape.ts';
import { further } from '../task.ts';
import { echo, full, METADATA, NO_WEBHOOK, plain, transcribeAudio } from './steps.ts';

const ACCEPTED = [
  '2.3',
  '`ok` boolean, `data` object with required `task_id` string, `status` string (`queued`), `status_url` string (relative `/result/<task_id>`), `estimated_wait_seconds` integer',
] as const;

const another = (change: (context: RunContext) => Record<string, unknown>) =>
  further(plain, (context) => transcribeAudio(context, change(context)));

export const sttAccepted: readonly Check[] = [
  ...acceptanceChecks('stt.accept', plain, {
    status: ['4.2', 'Success 202 (task queued).'],
    ...{ queued: ACCEPTED, id: ACCEPTED, url: ACCEPTED, estimate: ACCEPTED },
  }),
  ...checks('stt.accept', [
    [
      'metadata',
      ['2.3', 'optional; stored with the task and echoed back'],
      'the accepted response includes the metadata',
      expecting(full.answered, status(202), echo(METADATA)),
    ],
    [
      'metadata-empty',
      ['2.3', 'object, free-form keys, any values'],
      'empty metadata is accepted',
      expecting(
        another(() => ({ metadata: {} })),
        status(202),
        echo({}),
      ),
    ],
    [
      'no-metadata',
      ['2.3', 'optional `metadata` object (echo)'],
      'the accepted response of a request without metadata has no metadata',
      expecting(plain.acceptance, data(without('metadata'))),
    ],
    [
      'webhook',
      [
        '2.3',
        'optional `webhook` object with required `configured` boolean and `status` string (`pending` right after acceptance)',
      ],
      'a webhook is configured and pending after acceptance',
      expecting(full.answered, data({ webhook: record({ configured: oneOf(true), status: oneOf('pending') }) })),
    ],
    [
      'no-webhook',
      ['2.3', 'optional `webhook` object with required `configured` boolean'],
      'a request without a webhook has no configured webhook',
      expecting(plain.acceptance, NO_WEBHOOK),
    ],
    [
      'webhook-without-secret',
      ['2.3', 'optional; used to sign or verify the webhook'],
      'a webhook without a secret is accepted',
      expecting(
        another(({ webhookUrl }) => ({ webhook: { url: webhookUrl } })),
        status(202),
      ),
    ],
  ]),
];
