import { AssertionFailure, skip } from '../assertion-failure.ts';
import { type Check, oncePerRun } from '../check.ts';
import { truncate } from '../exchange.ts';
import { assertShape, assertThat, checks, data, expecting, successData } from '../expect.ts';
import { deepEqual, filledText, integer, isRecord, oneOf, record, text } from '../shape.ts';
import { isInProgress, readTask, stateOf, taskOf } from '../task.ts';
import { delivered, webhookOf } from './callback.ts';
import { predictImage } from './steps.ts';

const WEBHOOK = record(
  { configured: oneOf(true), state: text },
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

const DELIVERED = record(
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

const withWebhook = oncePerRun(async (context) =>
  readTask(context, taskOf(await predictImage(context, { webhook_url: context.webhookUrl })).id),
);

const meanwhile = oncePerRun(async (context) => (await delivered(context)).meanwhile);

/** Checks a header of the webhook; `expected` may depend on the task id. */
const header =
  (
    name: string,
    expected: (id: string) => string,
    isMet = (value: string, wanted: string) => value === wanted,
  ): Check['run'] =>
  async (context) => {
    const { id, callback } = await delivered(context);
    const value = String(callback.headers[name] ?? 'none');
    if (!isMet(value, expected(id)))
      throw new AssertionFailure(`the callback’s header ${name} to be ${expected(id)}, not ${value}`);
  };

export const webhook: readonly Check[] = checks('defectoscopy.webhook', [
  [
    'fields',
    ['2.2', 'Optional fields are present only when meaningful.'],
    'a task with a webhook_url has a webhook object without empty fields',
    expecting(withWebhook, data({ webhook: WEBHOOK })),
  ],
  [
    'pending',
    ['2.2', '`state` string (`pending` while waiting, `delivered` after successful delivery)'],
    'a waiting delivery is pending',
    async (context) => {
      const { first, meanwhile } = await delivered(context);
      assertThat(
        meanwhile,
        webhookOf(meanwhile)['state'] !== 'delivered',
        'a webhook without a response not to be delivered',
      );
      if (!isInProgress(first)) skip('the task ended before its state was read');
      assertShape(first, webhookOf(first)['state'], oneOf('pending'), 'data.webhook.state');
    },
  ],
  [
    'after-the-result',
    ['6.1', 'Sent only after the final result has been recorded.'],
    'the final result is available when the webhook is sent',
    expecting(meanwhile, (response) =>
      assertShape(response, stateOf(response), oneOf('done', 'failed'), 'data.status'),
    ),
  ],
  [
    'header.event',
    ['6.1', 'Event kind: `defectoscopy.result.terminal`.'],
    'the webhook has the header x-service-event',
    header('x-service-event', () => 'defectoscopy.result.terminal'),
  ],
  [
    'header.task-id',
    ['6.1', 'the original `task_id`'],
    'the webhook has the header x-service-task-id',
    header('x-service-task-id', (id) => id),
  ],
  [
    'header.delivery-id',
    ['6.1', 'identifier of one delivery'],
    'the webhook header x-service-delivery-id equals data.webhook.delivery_id',
    async (context) => {
      const { callback, last } = await delivered(context);
      const sent = callback.headers['x-service-delivery-id'];
      if (!sent) throw new AssertionFailure('the callback to have the header x-service-delivery-id');
      const deliveryId = webhookOf(last)['delivery_id'] ?? sent;
      assertThat(last, deliveryId === sent, `data.webhook.delivery_id to be ${String(sent)}`);
    },
  ],
  [
    'header.type',
    ['6.1', '`application/json`'],
    'the webhook has the content type application/json',
    header(
      'content-type',
      () => 'application/json',
      (value, wanted) => value.startsWith(wanted),
    ),
  ],
  [
    'body',
    ['6.1', 'Body equals the final `GET /result/{task_id}` body'],
    'the webhook body equals GET /result except data.webhook',
    async (context) => {
      const { callback, last } = await delivered(context);
      const isSame = sameResult(callback.text, successData(last));
      assertThat(last, isSame, `the body of the callback: ${truncate(callback.text, 400)}`);
    },
  ],
  [
    'delivered',
    ['6.1', 'Delivery progress is visible in `data.webhook`'],
    'a webhook answered with 204 is delivered, with attempts and time',
    async (context) => {
      const { last } = await delivered(context);
      assertShape(last, webhookOf(last), DELIVERED, 'data.webhook');
    },
  ],
]);

function sameResult(callback: string, state: unknown): boolean {
  const stripped = (value: unknown) => (isRecord(value) ? { ...value, webhook: null } : value);
  try {
    const sent: unknown = JSON.parse(callback);
    return isRecord(sent) && sent['ok'] === true && deepEqual(stripped(sent['data']), stripped(state));
  } catch {
    return false;
  }
}
