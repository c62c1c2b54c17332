import { AssertionFailure } from '../assertion-failure.ts';
import { type Check, oncePerRun } from '../check.ts';
import { truncate } from '../exchange.ts';
import { assertShape, assertThat, successData, successObject } from '../expect.ts';
import { deepEqual, filledText, flag, integer, isRecord, oneOf, record, text } from '../shape.ts';
import { readTask, stateOf, taskOf } from '../task.ts';
import { delivered, webhookOf } from './callback.ts';
import { predictImage } from './steps.ts';

const WEBHOOK = record(
  { configured: flag, state: text },
  {
    attempts: integer,
    delivery_id: text,
    last_attempt_at: text,
    next_attempt_at: text,
    delivered_at: text,
    response_status_code: integer,
    last_error: text,
  },
);

const withWebhook = oncePerRun(async (context) =>
  readTask(context, taskOf(await predictImage(context, { webhook_url: context.webhookUrl })).id),
);

export const webhook: readonly Check[] = [
  {
    id: 'defectoscopy.webhook.fields',
    cites: ['2.2', 'Optional fields are present only when meaningful.'],
    title: 'a task with a webhook_url has a webhook object without empty fields',
    run: async (context) => {
      const response = await withWebhook(context);
      assertShape(response, successObject(response), record({ webhook: WEBHOOK }), 'data');
      assertShape(response, webhookOf(response)['configured'], oneOf(true), 'data.webhook.configured');
    },
  },
  {
    id: 'defectoscopy.webhook.pending',
    cites: ['2.2', '`state` string (`pending` while waiting, `delivered` after successful delivery)'],
    title: 'a waiting delivery is pending',
    run: async (context) => {
      const { first } = await delivered(context);
      if (stateOf(first) === 'queued' || stateOf(first) === 'processing') {
        assertShape(first, webhookOf(first)['state'], oneOf('pending'), 'data.webhook.state');
      }
    },
  },
  {
    id: 'defectoscopy.webhook.after-the-result',
    cites: ['6.1', 'Sent only after the final result has been recorded.'],
    title: 'the final result is available when the webhook is sent',
    run: async (context) => {
      const { meanwhile } = await delivered(context);
      assertShape(meanwhile, stateOf(meanwhile), oneOf('done', 'failed'), 'data.status');
    },
  },
  ...(
    [
      ['event', 'x-service-event', 'Event kind: `defectoscopy.result.terminal`.', () => 'defectoscopy.result.terminal'],
      ['task-id', 'x-service-task-id', 'the original `task_id`', (id: string) => id],
    ] as const
  ).map(
    ([name, header, words, expected]): Check => ({
      id: `defectoscopy.webhook.header.${name}`,
      cites: ['6.1', words],
      title: `the webhook has the header ${header}`,
      run: async (context) => {
        const { id, callback } = await delivered(context);
        if (callback.headers[header] !== expected(id)) {
          throw new AssertionFailure(
            `the callback’s header ${header} to be ${expected(id)}, not ${String(callback.headers[header])}`,
          );
        }
      },
    }),
  ),
  {
    id: 'defectoscopy.webhook.header.delivery-id',
    cites: ['6.1', 'identifier of one delivery'],
    title: 'the webhook header x-service-delivery-id equals data.webhook.delivery_id',
    run: async (context) => {
      const { callback, last } = await delivered(context);
      const header = callback.headers['x-service-delivery-id'];
      if (!header) throw new AssertionFailure('the callback to have the header x-service-delivery-id');
      const deliveryId = webhookOf(last)['delivery_id'];
      assertThat(
        last,
        deliveryId === undefined || deliveryId === header,
        `data.webhook.delivery_id to be ${String(header)}`,
      );
    },
  },
  {
    id: 'defectoscopy.webhook.header.type',
    cites: ['6.1', '`application/json`'],
    title: 'the webhook has the content type application/json',
    run: async (context) => {
      const type = (await delivered(context)).callback.headers['content-type'] ?? 'none';
      if (!type.startsWith('application/json'))
        throw new AssertionFailure(`the callback’s type to be application/json, not ${type}`);
    },
  },
  {
    id: 'defectoscopy.webhook.body',
    cites: ['6.1', 'Body equals the final `GET /result/{task_id}` body'],
    title: 'the webhook body equals GET /result except data.webhook',
    run: async (context) => {
      const { callback, last } = await delivered(context);
      assertThat(
        last,
        sameResult(callback.text, successData(last)),
        `the body of the callback: ${truncate(callback.text, 400)}`,
      );
    },
  },
  {
    id: 'defectoscopy.webhook.delivered',
    cites: ['6.1', 'Delivery progress is visible in `data.webhook`'],
    title: 'a webhook answered with 204 is delivered, with attempts and time',
    run: async (context) => {
      const { last } = await delivered(context);
      const shape = record(
        {
          state: oneOf('delivered'),
          attempts: integer,
          delivery_id: filledText,
          last_attempt_at: filledText,
          delivered_at: filledText,
        },
        // A deployment may omit the response status of loopback addresses.
        { response_status_code: oneOf(204) },
      );
      assertShape(last, webhookOf(last), shape, 'data.webhook');
    },
  },
];

function sameResult(callback: string, state: unknown): boolean {
  const stripped = (value: unknown) => (isRecord(value) ? { ...value, webhook: null } : value);
  try {
    const sent: unknown = JSON.parse(callback);
    return isRecord(sent) && sent['ok'] === true && deepEqual(stripped(sent['data']), stripped(state));
  } catch {
    return false;
  }
}
