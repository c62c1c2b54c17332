import { Breach, skip } from '../breach.ts';
import { step } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { until } from '../poll.ts';
import { type Callback, openReceiver } from '../receiver.ts';
import { isRecord } from '../shape.ts';
import { dataOf, finalState, readTask, taskOf } from '../task.ts';
import { predictImage } from './steps.ts';

/** A task with a `webhook_url` that leads to this process, from its creation to the delivered callback. */
export interface Delivered {
  readonly id: string;
  /** Right after it was created. */
  readonly first: Exchange;
  readonly callback: Callback;
  /** While the callback waited for its answer. */
  readonly meanwhile: Exchange;
  /** After it was answered, with the delivery no longer pending if that took no longer than `SETTLE_MS`. */
  readonly last: Exchange;
}

// From the end of the task until its callback comes, and from the answer to the callback until the state tells of it.
const ARRIVE_MS = 30_000;
const SETTLE_MS = 20_000;

/** Throws a `Skip` where the deployment cannot reach this process, or no task ends. */
export const delivered = step(async (visit): Promise<Delivered> => {
  if (!visit.sameMachine) skip('callbacks are seen only where the deployment is on this machine');
  let id = '';
  let came: { callback: Callback; meanwhile: Exchange } | undefined;
  const receiver = await openReceiver(async (callback) => {
    const meanwhile = await readTask(visit, id === '' ? String(callback.headers['x-service-task-id']) : id);
    came ??= { callback, meanwhile };
  });
  try {
    id = taskOf(await predictImage(visit, { webhook_url: receiver.url })).id;
    const first = await readTask(visit, id);
    const ended = await finalState(visit, id);
    await until(
      visit,
      () => readTask(visit, id),
      () => came !== undefined,
      ARRIVE_MS,
    );
    if (!came) return noCallback(await readTask(visit, id), ended);
    const settled = (answer: Exchange) => webhookOf(answer)['state'] !== 'pending';
    const last = (await until(visit, () => readTask(visit, id), settled, SETTLE_MS)) ?? (await readTask(visit, id));
    return { id, first, ...came, last };
  } finally {
    receiver.close();
  }
});

function noCallback(answer: Exchange, ended: Exchange): never {
  if (webhookOf(answer)['state'] === 'delivered')
    throw new Breach('a callback that is `delivered` to have come', answer);
  if (webhookOf(ended)['configured'] !== true) throw new Breach('data.webhook.configured to be true', ended);
  return skip('no callback came: the deployment seems not to reach this machine on 127.0.0.1');
}

/** `data.webhook`, or an empty object where there is none. */
export function webhookOf(answer: Exchange): Record<string, unknown> {
  const { webhook } = dataOf(answer);
  return isRecord(webhook) ? webhook : {};
}
