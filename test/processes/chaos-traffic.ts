import { setTimeout as delay } from 'node:timers/promises';
import type { Receiver } from '../helpers/receiver.ts';
import { type Client, picture, uploadPicture } from './client.ts';

export interface Acknowledged {
  readonly id: string;
  readonly webhook: boolean;
}

export interface Traffic {
  /** By the key that each was asked for with. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** How often clients got what: a verb and a status with its code, or the name of a broken connection. */
  readonly answers: ReadonlyMap<string, number>;
  /** What the first poll that found a task finished was told, by its id. */
  readonly firstSeen: ReadonlyMap<string, Record<string, unknown>>;
  /** Goes on until so many were asked for, and until each was acknowledged and every poll has ended. */
  finish(tasks: number): Promise<void>;
  /** Gives up whatever still runs. */
  abandon(): void;
}

const CLIENTS = 12;
/** So many of the tasks are polled as soon as they are acknowledged. */
const POLLED = 0.25;
const PICTURES = 8;

/**
 * Clients as they should be: each asks until it gets its 202, at whichever gateway answers, always under the same
 * Idempotency-Key, and at a steady rate; what an outage has held up comes all at once afterwards.
 */
export async function startTraffic(needs: {
  gateways: readonly Client[];
  receiver: Receiver;
  perSecond: number;
  dice: () => number;
}): Promise<Traffic> {
  const { gateways, receiver, perSecond, dice } = needs;
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, i) => uploadPicture(gateways[0]!, i)));
  const acknowledged = new Map<string, Acknowledged>();
  const answers = new Map<string, number>();
  const firstSeen = new Map<string, Record<string, unknown>>();
  const polls = new Set<Promise<void>>();
  let last = Number.POSITIVE_INFINITY;
  let over = false;

  /** Asks until the answer is one of `wanted`, and answers its body. */
  const insist = async (verb: string, number: number, wanted: number, call: (gateway: Client) => Promise<Answered>) => {
    for (let turn = number; !over; turn++) {
      const answer = await call(gateways[turn % gateways.length]!).catch(broken);
      const got = typeof answer === 'string' ? answer : told(answer);
      answers.set(`${verb} ${got}`, (answers.get(`${verb} ${got}`) ?? 0) + 1);
      if (typeof answer !== 'string' && answer.status === wanted) return answer.body.data;
      if (got !== '202') await delay(40);
    }
    return undefined;
  };

  const ask = async (number: number) => {
    const webhook = number % 3 === 0;
    const body = {
      image_url: pictures[number % PICTURES]!,
      ...(number % 4 === 0 && { priority: 'batch' }),
      ...(webhook && { webhook_url: receiver.url }),
    };
    const headers = { 'idempotency-key': `task-${number}` };
    const data = await insist('accept', number, 202, (gateway) =>
      gateway.call('/predict', { headers, body, timeoutMs: 10_000 }),
    );
    if (!data) return;
    const id = data.task_id as string;
    acknowledged.set(`task-${number}`, { id, webhook });
    if (dice() >= POLLED) return;
    const headersOfPoll = { prefer: 'wait=5' };
    const poll = insist('poll', number, 200, (gateway) =>
      gateway.call(`/result/${id}`, { headers: headersOfPoll, timeoutMs: 10_000 }),
    ).then((seen) => void (seen && firstSeen.set(id, seen)));
    polls.add(poll);
    void poll.finally(() => polls.delete(poll));
  };

  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (!over && next < last) {
      const number = next++;
      const dueInMs = began + (number * 1000) / perSecond - performance.now();
      if (dueInMs > 0) await delay(dueInMs);
      if (number % 20 === 19) pictures[number % PICTURES] = await pictureOf(number);
      await ask(number);
    }
  };
  const pictureOf = async (number: number) => {
    const given = await picture(number);
    const data = await insist('upload', number, 201, (gateway) =>
      gateway.call('/files', { body: given, timeoutMs: 10_000 }),
    );
    return (data?.url as string | undefined) ?? pictures[number % PICTURES]!;
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  clients.catch(() => {});
  return {
    ...{ acknowledged, answers, firstSeen },
    async finish(tasks) {
      last = Math.max(tasks, next);
      await clients;
      await Promise.all(polls);
    },
    abandon() {
      over = true;
    },
  };
}

interface Answered {
  readonly status: number;
  readonly body: any;
}

const told = ({ status, body }: Answered) =>
  status < 300 ? String(status) : `${status} ${body?.error?.code ?? 'without a code'}`;

function broken(error: Error & { cause?: { code?: string } }): string {
  return error.cause?.code ?? error.name;
}
