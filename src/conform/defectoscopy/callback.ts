import { AssertionFailure, skip } from '../assertion-failure.ts';
import { oncePerRun } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { pollUntil } from '../poll.ts';
import { type Callback, openReceiver } from '../receiver.ts';
import { isRecord } from '../shape.ts';
import { dataOf, finalState, readTask, taskOf } from '../task.ts';
import { predictImage } from './steps.ts';

/** A task whose webhook leads to this process, from creation to delivery. */
export interface WebhookDelivery {
  readonly id: string;
  readonly first: Exchange;
  readonly callback: Callback;
  readonly meanwhile: Exchange;
  /** State after the response, no longer pending unless that took longer than `SETTLE_MS`. */
  readonly last: Exchange;
}

// Time limits for the webhook after the task, and for its delivered state.
const ARRIVE_MS = 30_000;
const SETTLE_MS = 20_000;

/** Throws `Skip` if the deployment cannot reach this process or no task ends. */
export const delivered = oncePerRun(async (context): Promise<WebhookDelivery> => {
  if (!context.sameMachine) skip('webhooks can be checked only if the deployment runs on this machine');
  let id = '';
  let received: { callback: Callback; meanwhile: Exchange } | undefined;
  const receiver = await openReceiver(async (callback) => {
    const meanwhile = await readTask(context, id === '' ? String(callback.headers['x-service-task-id']) : id);
    received ??= { callback, meanwhile };
  });
  try {
    id = taskOf(await predictImage(context, { webhook_url: receiver.url })).id;
    const first = await readTask(context, id);
    const ended = await finalState(context, id);
    const read = () => readTask(context, id);
    await pollUntil(context, read, () => received !== undefined, { timeoutMs: ARRIVE_MS });
    if (!received) return noCallback(await read(), ended);
    const isSettled = (response: Exchange) => webhookOf(response)['state'] !== 'pending';
    const last = (await pollUntil(context, read, isSettled, { timeoutMs: SETTLE_MS })) ?? (await read());
    return { id, first, ...received, last };
  } finally {
    receiver.close();
  }
});

function noCallback(response: Exchange, ended: Exchange): never {
  if (webhookOf(response)['state'] === 'delivered')
    throw new AssertionFailure('a webhook in state `delivered` to be received', response);
  if (webhookOf(ended)['configured'] !== true) throw new AssertionFailure('data.webhook.configured to be true', ended);
  return skip('no webhook was received: the deployment cannot reach 127.0.0.1 on this machine');
}

export function webhookOf(response: Exchange): Record<string, unknown> {
  const { webhook } = dataOf(response);
  return isRecord(webhook) ? webhook : {};
}
