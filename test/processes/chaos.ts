import { setTimeout as delay } from 'node:timers/promises';
import type { Received, Receiver } from '../helpers/receiver.ts';
import { type Assay, databasePid, type Place, signalTo, startAssay } from './assay.ts';
import type { Audit } from './audit.ts';
import { uploadPicture } from './client.ts';
import { until } from './until.ts';

type Victim = 'gateway' | 'worker' | 'deliverer' | 'database' | 'supervisor';
export const VICTIMS: readonly Victim[] = ['gateway', 'worker', 'deliverer', 'database', 'supervisor'];

interface Acknowledged {
  readonly id: string;
  readonly webhook: boolean;
}

export interface Kill {
  readonly victim: Victim;
  /** Until what it did was done again: answers, claims, a ready product. */
  readonly recoveryMs: number;
}

interface Chaos {
  readonly kills: readonly Kill[];
  /** By the key that each was asked for with. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** How often clients got what: a status with its code, or the name of a broken connection. */
  readonly answers: ReadonlyMap<string, number>;
  /** The product as it runs now: another one after a supervisor was killed. */
  readonly assay: Assay;
}

/** Numbers that come again with the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** All of them, in an order of the seed's. */
const shuffled = (dice: () => number): Victim[] =>
  VICTIMS.map((victim) => ({ victim, place: dice() }))
    .sort((a, b) => a.place - b.place)
    .map(({ victim }) => victim);

const CLIENTS = 6;
/** So long do the requests of one wave take, that the kill comes in their midst. */
const SPREAD_MS = 1000;
/** What a wave with its kill takes, more or less: so many waves share the tasks of a longer run. */
const WAVE_MS = 4000;

/**
 * Tasks in waves, and in the middle of each wave a `kill -9`: every victim once a round, and rounds until the time is
 * over. A client asks until it gets its 202, always under the same Idempotency-Key, as clients should.
 */
export async function unleash(needs: {
  assay: Assay;
  place: Place;
  env: Record<string, string>;
  audit: Audit;
  receiver: Receiver;
  tasks: number;
  seed: number;
  durationMs: number;
}): Promise<Chaos> {
  const { place, env, audit, receiver, tasks, durationMs } = needs;
  const dice = random(needs.seed);
  let { assay } = needs;
  const pictures = await Promise.all(Array.from({ length: 8 }, (_, i) => uploadPicture(assay, i)));
  const acknowledged = new Map<string, Acknowledged>();
  const answers = new Map<string, number>();
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);

  let over = false;
  const ask = async (number: number) => {
    const key = `task-${number}`;
    const webhook = number % 3 === 0;
    const headers = { 'idempotency-key': key };
    const body = {
      image_url: pictures[number % pictures.length]!,
      ...(number % 4 === 0 && { priority: 'batch' }),
      ...(webhook && { webhook_url: receiver.url }),
    };
    while (!over) {
      try {
        const answer = await assay.call('/predict', { headers, body, timeoutMs: 10_000 });
        count(answer.status === 202 ? '202' : `${answer.status} ${answer.body?.error?.code}`);
        if (answer.status === 202) {
          acknowledged.set(key, { id: answer.body.data.task_id, webhook });
          return;
        }
      } catch (error) {
        const { cause, name } = error as { cause?: { code?: string }; name: string };
        count(cause?.code ?? name);
      }
      await delay(30);
    }
  };

  const wave = (from: number, to: number) => {
    let next = from;
    const client = async () => {
      while (next < to) {
        await ask(next++);
        await delay((2 * dice() * SPREAD_MS * CLIENTS) / (to - from));
      }
    };
    return Promise.all(Array.from({ length: CLIENTS }, client));
  };

  const strike: Record<Victim, () => Promise<void>> = {
    async gateway() {
      signalTo(await assay.child('serve'), 'SIGKILL');
      await until(() => assay.call('/livez').then(...ANSWERED));
    },
    async worker() {
      const pid = await assay.child('work');
      let held: string[] = [];
      // The wave may be over by now, and a photo is held for a moment only: work comes until this worker holds some.
      const feed = async () => {
        while (held.length === 0 && !over) await ask(asked++);
      };
      const feeding = Promise.all(Array.from({ length: CLIENTS }, feed));
      held = await untilHolding(audit, pid);
      signalTo(pid, 'SIGKILL');
      await feeding;
      await untilTakenOver(audit, held, pid);
    },
    async deliverer() {
      signalTo(await assay.child('deliver'), 'SIGKILL');
      await assay.child('deliver');
    },
    async database() {
      const pid = (await databasePid(place))!;
      const unavailable = '503 QUEUE_UNAVAILABLE';
      const before = answers.get(unavailable) ?? 0;
      signalTo(pid, 'SIGKILL');
      await until(async () => {
        const { status, body } = await assay.call('/result/01M7VNMBZ6GNKDZ9WQFF487680');
        if (status === 503) count(`503 ${body.error.code}`);
        return status === 404 && (answers.get(unavailable) ?? 0) > before;
      });
    },
    async supervisor() {
      const orphans = await assay.children();
      assay.kill('SIGKILL');
      const old = assay;
      assay = startAssay(place, { env });
      await assay.says(/is ready/);
      await until(async () => (await old.alive()).length === 0, 30_000);
      if (orphans.length === 0) throw new Error('The supervisor had no children.');
    },
  };

  const kills: Kill[] = [];
  const size = Math.ceil(tasks / Math.max(VICTIMS.length, durationMs / WAVE_MS));
  const begun = performance.now();
  let asked = 0;
  try {
    do {
      for (const victim of shuffled(dice)) {
        const working = wave(asked, asked + size);
        asked += size;
        await delay(dice() * SPREAD_MS);
        const at = performance.now();
        await strike[victim]();
        kills.push({ victim, recoveryMs: Math.round(performance.now() - at) });
        await working;
      }
    } while (performance.now() - begun < durationMs);
    await wave(asked, tasks);
  } finally {
    over = true;
  }
  return { kills, acknowledged, answers, assay };
}

const ANSWERED = [() => true, () => false] as const;

/** Waits until this worker works on something, and answers on what. */
export async function untilHolding(audit: Audit, pid: number): Promise<string[]> {
  let held: string[] = [];
  await until(async () => {
    held = await audit.heldBy(pid);
    return held.length > 0;
  });
  return held;
}

/** Waits until somebody else works on these, or has ended them. */
export const untilTakenOver = (audit: Audit, ids: readonly string[], pid: number): Promise<void> =>
  until(async () => {
    const lost = await audit.workerOf(pid);
    const last = new Map((await audit.events(ids)).map((event) => [event.id, event]));
    return [...last.values()].every(({ worker, status }) => status === 'done' || (worker !== null && worker !== lost));
  }, 30_000);

/** What is wrong with the webhooks of these tasks: nothing, if all were delivered, under one name each, unchanged. */
export function faultsOfWebhooks(
  received: readonly Received[],
  polled: ReadonlyMap<string, Record<string, unknown>>,
): string[] {
  const byTask = new Map<string, Received[]>();
  for (const each of received) {
    const id = String(each.headers['x-service-task-id']);
    byTask.set(id, [...(byTask.get(id) ?? []), each]);
  }
  return [...polled].flatMap(([id, data]) => {
    const attempts = byTask.get(id) ?? [];
    if (attempts.length === 0) return [`${id}: no webhook came`];
    const names = new Set(attempts.flatMap(({ headers }) => [headers['x-service-delivery-id'], headers['webhook-id']]));
    const bodies = new Set(attempts.map(({ body }) => body));
    if (names.size !== 1 || bodies.size !== 1) return [`${id}: ${names.size} delivery ids, ${bodies.size} bodies`];
    const sent = JSON.parse(attempts[0]!.body).data;
    const without = (of: Record<string, unknown>) => JSON.stringify({ ...of, webhook: undefined });
    return without(sent) === without(data) ? [] : [`${id}: the webhook said ${attempts[0]!.body}`];
  });
}
