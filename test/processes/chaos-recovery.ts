import { setTimeout as delay } from 'node:timers/promises';
import type { Assay } from './assay.ts';
import type { Audit } from './audit.ts';
import type { Ground, Part } from './chaos-ground.ts';
import type { Traffic } from './chaos-traffic.ts';
import { until as untilWithin } from './until.ts';

/** Longer than a worker's lease, which is 6 s. */
export const LONG_MS = 7_000;

const ROLES = { gateway: 'serve', worker: 'work', deliverer: 'deliver' } as const;
type Player = keyof typeof ROLES;

/** One of the two that play a part. What has ended is started again: it is another process then. */
interface Playing {
  assay(): Assay;
  /** Its process as it runs now, waited for. */
  pid(): Promise<number>;
}

export function player(ground: Ground, part: Player, at: Part): Playing {
  const now = async () => {
    const assay = ground.now(at);
    if (at !== 'host') return assay.pid;
    return (await assay.children()).find(({ command }) => command.includes(`main.js ${ROLES[part]}`))?.pid;
  };
  return {
    assay: () => ground.now(at),
    async pid() {
      let found: number | undefined;
      await until(async () => {
        found = await now();
        return found !== undefined;
      });
      return found!;
    },
  };
}

/** The one under supervision or the one of its own. */
export const either = (ground: Ground, dice: () => number, part: Player) =>
  player(ground, part, dice() < 0.5 ? 'host' : part);

/** What it held when it fell silent may have been ended a moment before; what it claims since then is lost with its lease. */
export const longUntilGivenUp = ({ audit }: Ground, held: Held) =>
  Promise.all([untilGivenUp(audit, held), delay(LONG_MS)]);

export const answering = (gateway: () => Assay) =>
  until(async () => (await statusOf(gateway(), '/livez')) !== undefined);

/** `undefined`: nobody answers there at the moment. */
export const statusOf = (gateway: Assay, path: string): Promise<number | undefined> =>
  gateway.call(path, { timeoutMs: 5000 }).then(
    ({ status }) => status,
    () => undefined,
  );

/** The worker is there again; should it have been killed, another one is. */
export async function beating({ audit }: Ground, worker: Playing): Promise<() => Promise<void>> {
  const since = await audit.now();
  return () => until(async () => audit.hasBeaten(await worker.pid(), since));
}

/** Tasks are accepted again. */
export function acknowledging({ acknowledged }: Traffic): () => Promise<void> {
  const before = acknowledged.size;
  return () => until(() => acknowledged.size > before + 2);
}

/** What a worker's process held at some moment, and the name that it goes by. */
interface Held {
  readonly pid: number;
  readonly worker: string;
  readonly ids: readonly string[];
}

/** Waits until it works on something. */
export async function untilHolding(audit: Audit, worker: Playing): Promise<Held> {
  let held: Held | undefined;
  await until(async () => {
    const pid = await worker.pid();
    const name = await audit.workerOf(pid);
    const ids = await audit.heldBy(pid);
    if (name !== undefined && ids.length > 0) held = { pid, worker: name, ids };
    return held !== undefined;
  });
  return held!;
}

/**
 * Waits until nobody counts on this worker for these any more: others have them, or they wait for others, or have ended. How
 * long they wait is no matter of the stroke: what came as `batch` waits for all that did not.
 */
export async function untilGivenUp(audit: Audit, { ids, worker: lost }: Held): Promise<void> {
  const left = async () => {
    const last = new Map((await audit.events(ids)).map((event) => [event.id, event]));
    return [...last.values()].filter(({ worker, status }) => !ENDED.has(status) && worker === lost);
  };
  await until(async () => (await left()).length === 0).catch(async () => {
    const counts = JSON.stringify(await audit.counts());
    throw new Error(`The leases of ${lost} do not run out: ${JSON.stringify(await left())}, where there are ${counts}`);
  });
}

/** Long after a crowded machine has got over several faults at a time. */
export const until = (condition: () => boolean | Promise<boolean>) => untilWithin(condition, 180_000);

const ENDED = new Set(['done', 'failed']);
