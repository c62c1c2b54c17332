import { Breach } from '../breach.ts';
import { type Check, step } from '../check.ts';
import { shortened } from '../exchange.ts';
import { data, dataObject, holds, shaped } from '../expect.ts';
import { same } from '../same.ts';
import { filledText, flag, integer, isRecord, oneOf, record, text } from '../shape.ts';
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

/** A task with a `webhook_url`, right after it was created. */
const withWebhook = step(async (visit) =>
  readTask(visit, taskOf(await predictImage(visit, { webhook_url: visit.webhookUrl })).id),
);

/** How far a delivery is, and the callback itself where this process can receive it. */
export const webhook: readonly Check[] = [
  {
    id: 'defectoscopy.webhook.fields',
    cites: ['2.2', 'Optional fields are present only when meaningful.'],
    title: 'a task with a webhook_url has the webhook object; what it has not, is absent',
    run: async (visit) => {
      const answer = await withWebhook(visit);
      shaped(answer, dataObject(answer), record({ webhook: WEBHOOK }), 'data');
      shaped(answer, webhookOf(answer)['configured'], oneOf(true), 'data.webhook.configured');
    },
  },
  {
    id: 'defectoscopy.webhook.pending',
    cites: ['2.2', '`state` string (`pending` while waiting, `delivered` after successful delivery)'],
    title: 'a delivery that waits is pending',
    run: async (visit) => {
      const { first } = await delivered(visit);
      if (stateOf(first) === 'queued' || stateOf(first) === 'processing') {
        shaped(first, webhookOf(first)['state'], oneOf('pending'), 'data.webhook.state');
      }
    },
  },
  {
    id: 'defectoscopy.webhook.after-the-result',
    cites: ['6.1', 'Sent only after the final result has been recorded.'],
    title: 'when the callback comes, the final result can be read',
    run: async (visit) => {
      const { meanwhile } = await delivered(visit);
      shaped(meanwhile, stateOf(meanwhile), oneOf('done', 'failed'), 'data.status');
    },
  },
  ...(
    [
      ['event', 'x-service-event', 'Event kind: `defectoscopy.result.terminal`.', () => 'defectoscopy.result.terminal'],
      ['task-id', 'x-service-task-id', 'the original `task_id`', (id: string) => id],
    ] as const
  ).map(
    ([name, header, words, wanted]): Check => ({
      id: `defectoscopy.webhook.header.${name}`,
      cites: ['6.1', words],
      title: `the callback has the header ${header}`,
      run: async (visit) => {
        const { id, callback } = await delivered(visit);
        if (callback.headers[header] !== wanted(id)) {
          throw new Breach(
            `the callback’s header ${header} to be ${wanted(id)}, not ${String(callback.headers[header])}`,
          );
        }
      },
    }),
  ),
  {
    id: 'defectoscopy.webhook.header.delivery-id',
    cites: ['6.1', 'identifier of one delivery'],
    title: 'the callback has the header x-service-delivery-id, that of data.webhook',
    run: async (visit) => {
      const { callback, last } = await delivered(visit);
      const header = callback.headers['x-service-delivery-id'];
      if (!header) throw new Breach('the callback to have the header x-service-delivery-id');
      const told = webhookOf(last)['delivery_id'];
      holds(last, told === undefined || told === header, `data.webhook.delivery_id to be ${String(header)}`);
    },
  },
  {
    id: 'defectoscopy.webhook.header.type',
    cites: ['6.1', '`application/json`'],
    title: 'the callback is application/json',
    run: async (visit) => {
      const type = (await delivered(visit)).callback.headers['content-type'] ?? 'none';
      if (!type.startsWith('application/json'))
        throw new Breach(`the callback’s type to be application/json, not ${type}`);
    },
  },
  {
    id: 'defectoscopy.webhook.body',
    cites: ['6.1', 'Body equals the final `GET /result/{task_id}` body'],
    title: 'the callback’s body is that of GET /result; only data.webhook goes on',
    run: async (visit) => {
      const { callback, last } = await delivered(visit);
      holds(last, sameResult(callback.text, data(last)), `the body of the callback: ${shortened(callback.text, 400)}`);
    },
  },
  {
    id: 'defectoscopy.webhook.delivered',
    cites: ['6.1', 'Delivery progress is visible in `data.webhook`'],
    title: 'a callback that was answered with 204 is delivered, with its attempts and time, and no other status',
    run: async (visit) => {
      const { last } = await delivered(visit);
      const shape = record(
        {
          state: oneOf('delivered'),
          attempts: integer,
          delivery_id: filledText,
          last_attempt_at: filledText,
          delivered_at: filledText,
        },
        // This process receives on a loopback address, and a deployment may say nothing of what answers there.
        { response_status_code: oneOf(204) },
      );
      shaped(last, webhookOf(last), shape, 'data.webhook');
    },
  },
];

/** Whether a callback tells what the state tells, whatever each says of the delivery. */
function sameResult(callback: string, state: unknown): boolean {
  const stripped = (value: unknown) => (isRecord(value) ? { ...value, webhook: null } : value);
  try {
    const sent: unknown = JSON.parse(callback);
    return isRecord(sent) && sent['ok'] === true && same(stripped(sent['data']), stripped(state));
  } catch {
    return false;
  }
}
