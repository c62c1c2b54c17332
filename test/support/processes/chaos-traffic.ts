import { setTimeout as delay } from 'node:timers/promises';
import type { Receiver } from '../receiver.ts';
import { type Client, createPicture, uploadPicture } from './client.ts';

export interface Acknowledged {
  readonly id: string;
  readonly webhook: boolean;
  readonly hasKey: boolean;
}

export interface Traffic {
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** Counts per outcome: operation, then status and error code, or the name of a connection error. */
  readonly answers: ReadonlyMap<string, number>;
  /** The first final result that a poll received, by task id. */
  readonly firstSeen: ReadonlyMap<string, Record<string, unknown>>;
  /** Tasks without Idempotency-Key that were not acknowledged: each is stored or not. */
  readonly unacknowledged: () => number;
  /** Waits until this many tasks were sent, those with a key are acknowledged and all polls have ended. */
  finish(tasks: number): Promise<void>;
  stop(): void;
}

const CLIENTS = 12;
/** Share of tasks that are polled right after the acknowledgement. */
const POLLED_SHARE = 0.25;
const PICTURES = 8;

/** Every fifth task has no Idempotency-Key and no webhook, and is sent once. */
const hasKey = (number: number) => number % 5 !== 1;

/**
 * Simulates well-behaved clients: each retries with the same Idempotency-Key, on alternating gateways, until it gets 202.
 * The rate is steady; requests delayed by an outage follow at once.
 */
export async function startTraffic(options: {
  gateways: readonly Client[];
  receiver: Receiver;
  perSecond: number;
  dice: () => number;
}): Promise<Traffic> {
  const { gateways, receiver, perSecond, dice } = options;
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, i) => uploadPicture(gateways[0]!, i)));
  const acknowledged = new Map<string, Acknowledged>();
  const answers = new Map<string, number>();
  const firstSeen = new Map<string, Record<string, unknown>>();
  const polls = new Set<Promise<void>>();
  let last = Number.POSITIVE_INFINITY;
  let isStopped = false;
  let unacknowledged = 0;

  const retryUntil = async (
    operation: string,
    number: number,
    wanted: number,
    call: (gateway: Client) => Promise<Answered>,
    attempts = Number.POSITIVE_INFINITY,
  ) => {
    for (let attempt = number; !isStopped && attempt < number + attempts; attempt++) {
      const answer = await call(gateways[attempt % gateways.length]!).catch(connectionError);
      const got = typeof answer === 'string' ? answer : outcomeOf(answer);
      answers.set(`${operation} ${got}`, (answers.get(`${operation} ${got}`) ?? 0) + 1);
      if (typeof answer !== 'string' && answer.status === wanted) return answer.body.data;
      if (got !== '202') await delay(40);
    }
    return undefined;
  };

  const sendTask = async (number: number) => {
    const webhook = number % 3 === 0 && hasKey(number);
    const body = {
      image_url: pictures[number % PICTURES]!,
      ...(number % 4 === 0 && { priority: 'batch' }),
      ...(webhook && { webhook_url: receiver.url }),
    };
    const headers = hasKey(number) ? { 'idempotency-key': `task-${number}` } : {};
    const data = await retryUntil(
      'accept',
      number,
      202,
      (gateway) => gateway.call('/predict', { headers, body, timeoutMs: 10_000 }),
      hasKey(number) ? undefined : 1,
    );
    if (!data) {
      unacknowledged += 1;
      return;
    }
    const id = data.task_id as string;
    acknowledged.set(`task-${number}`, { id, webhook, hasKey: hasKey(number) });
    if (dice() >= POLLED_SHARE) return;
    const headersOfPoll = { prefer: 'wait=5' };
    const poll = retryUntil('poll', number, 200, (gateway) =>
      gateway.call(`/result/${id}`, { headers: headersOfPoll, timeoutMs: 10_000 }),
    ).then((seen) => void (seen && firstSeen.set(id, seen)));
    polls.add(poll);
    void poll.finally(() => polls.delete(poll));
  };

  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (!isStopped && next < last) {
      const number = next++;
      const dueInMs = began + (number * 1000) / perSecond - performance.now();
      if (dueInMs > 0) await delay(dueInMs);
      if (number % 20 === 19) pictures[number % PICTURES] = await uploadAnother(number);
      await sendTask(number);
    }
  };
  const uploadAnother = async (number: number) => {
    const bytes = await createPicture(number);
    const data = await retryUntil('upload', number, 201, (gateway) =>
      gateway.call('/files', { body: bytes, timeoutMs: 10_000 }),
    );
    return (data?.url as string | undefined) ?? pictures[number % PICTURES]!;
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  clients.catch(() => {});
  return {
    ...{ acknowledged, answers, firstSeen, unacknowledged: () => unacknowledged },
    async finish(tasks) {
      last = Math.max(tasks, next);
      await clients;
      await Promise.all(polls);
    },
    stop() {
      isStopped = true;
    },
  };
}

interface Answered {
  readonly status: number;
  readonly body: any;
}

const outcomeOf = ({ status, body }: Answered) =>
  status < 300 ? String(status) : `${status} ${body?.error?.code ?? 'without an error code'}`;

function connectionError(error: Error & { cause?: { code?: string } }): string {
  return error.cause?.code ?? error.name;
}
