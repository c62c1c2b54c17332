import { setTimeout as delay } from 'node:timers/promises';
import { processes } from '../../src/base/postgres/processes.ts';
import { type Assay, signalTo } from './assay.ts';
import type { Audit } from './audit.ts';
import type { Ground, Part } from './chaos-ground.ts';
import type { Traffic } from './chaos-traffic.ts';
import { picture } from './client.ts';
import { until } from './until.ts';

export const FAULTS = ['kill', 'pause', 'partition', 'restart', 'failover', 'disk-full', 'slow-disk'] as const;
export type Fault = (typeof FAULTS)[number];

interface Scene {
  readonly ground: Ground;
  readonly traffic: Traffic;
  readonly dice: () => number;
}

/** One thing that goes wrong. `strike` resolves when the fault is over; what it answers, when all is well again. */
export interface Stroke {
  prepare?(scene: Scene): Promise<void>;
  strike(scene: Scene): Promise<() => Promise<void>>;
}

export type StrokeName = keyof typeof STROKES;

/** Longer than a worker's lease, which is 6 s. */
const LONG_MS = 7_000;
/** Longer than a deliverer's: the time limit of a receiver, 1 s here, and 15 s. */
const VERY_LONG_MS = 17_000;

export const STROKES = {
  'kill gateway': {
    async strike({ ground, dice }) {
      const [gateway, pid] = await either(ground, dice, 'gateway', 'serve');
      signalTo(pid, 'SIGKILL');
      return () =>
        until(
          () =>
            gateway()
              .call('/livez')
              .then(...ANSWERED),
          60_000,
        );
    },
  },
  'kill worker': {
    async strike({ ground, dice }) {
      const [, pid] = await either(ground, dice, 'worker', 'work');
      const held = await untilHolding(ground.audit, pid);
      signalTo(pid, 'SIGKILL');
      return () => untilTakenOver(ground.audit, held, pid);
    },
  },
  'kill deliverer': {
    async strike({ ground, dice }) {
      const [deliverer, pid] = await either(ground, dice, 'deliverer', 'deliver');
      signalTo(pid, 'SIGKILL');
      return () => until(async () => (await pidOf(deliverer(), 'deliver')) !== pid);
    },
  },
  'kill supervisor': {
    async strike({ ground }) {
      const killed = ground.now('host');
      await killed.child('serve');
      killed.kill('SIGKILL');
      return async () => {
        await until(() => ground.now('host') !== killed);
        await ground.now('host').says(/is ready/);
        await until(async () => (await killed.alive()).length === 0, 60_000);
      };
    },
  },
  'pause gateway': {
    async strike({ ground, dice }) {
      const [gateway, pid] = await either(ground, dice, 'gateway', 'serve');
      await paused([pid], LONG_MS);
      return () =>
        until(() =>
          gateway()
            .call('/livez')
            .then(...ANSWERED),
        );
    },
  },
  'pause worker': {
    async strike({ ground, dice }) {
      const [, pid] = await either(ground, dice, 'worker', 'work');
      const held = await untilHolding(ground.audit, pid);
      signalTo(pid, 'SIGSTOP');
      await longUntilTakenOver(ground, held, pid).finally(() => signalTo(pid, 'SIGCONT'));
      return beating(ground, pid);
    },
  },
  'pause deliverer': {
    async strike({ ground, dice }) {
      const [, pid] = await either(ground, dice, 'deliverer', 'deliver');
      await paused([pid], VERY_LONG_MS);
      return async () => {};
    },
  },
  'pause supervisor': {
    async strike({ ground }) {
      await paused([ground.now('host').pid], LONG_MS);
      return async () => {};
    },
  },
  'pause database': {
    async strike({ ground, traffic }) {
      await ground.database.pause(LONG_MS);
      return acknowledging(traffic);
    },
  },
  'partition host': {
    strike: ({ ground, dice }) => cutOff(ground, dice, 'host', LONG_MS),
  },
  'partition gateway': {
    strike: ({ ground, dice }) => cutOff(ground, dice, 'gateway', LONG_MS),
  },
  'partition worker': {
    async strike({ ground, dice }) {
      const { pid } = ground.now('worker');
      const held = await untilHolding(ground.audit, pid);
      await ground.ways.worker.spoil(dice() < 0.5 ? 'cut' : 'hang');
      await longUntilTakenOver(ground, held, pid).finally(() => ground.ways.worker.mend());
      return beating(ground, pid);
    },
  },
  'partition deliverer': {
    strike: ({ ground, dice }) => cutOff(ground, dice, 'deliverer', VERY_LONG_MS),
  },
  'kill database': {
    async strike({ ground, traffic }) {
      await ground.database.kill();
      return acknowledging(traffic);
    },
  },
  'restart database': {
    async strike({ ground, traffic, dice }) {
      await ground.database.restart(dice() < 0.5 ? 'fast' : 'immediate');
      return acknowledging(traffic);
    },
  },
  'failover database': {
    prepare: ({ ground }) => ground.database.prepareStandby(),
    async strike({ ground, traffic }) {
      await ground.database.failOver();
      return acknowledging(traffic);
    },
  },
  'disk-full database': {
    async strike({ ground, traffic, dice }) {
      const disk = ground.database.disk()!;
      const refusals = () => refused(traffic);
      const before = refusals();
      await disk.fill();
      // What a page or a log segment has left is written first.
      await until(() => refusals() > before, 30_000).finally(() => delay(dice() * 5000));
      await disk.free();
      return async () => {
        await ground.database.ensureRuns();
        await acknowledging(traffic)();
      };
    },
  },
  'disk-full files': {
    async strike({ ground, dice }) {
      const upload = () => uploadTo(ground.now('gateway'));
      await ground.files!.fill();
      await until(async () => {
        const status = await upload();
        if (status !== 201 && status !== 503) {
          await delay(500); // for its log
          const { out, err } = ground.now('gateway').said;
          throw new Error(`An upload to a full disk was answered ${status}: ${(out + err).slice(-3000)}`);
        }
        return status === 503;
      }).finally(() => delay(dice() * 5000));
      await ground.files!.free();
      return () => until(async () => (await upload()) === 201);
    },
  },
  'slow-disk database': {
    async strike({ ground, traffic, dice }) {
      const stallMs = 200 + dice() * 1800;
      await ground.database.disk()!.stall({ forMs: LONG_MS + dice() * LONG_MS, stallMs, passMs: 50 });
      return acknowledging(traffic);
    },
  },
} satisfies Record<string, Stroke>;

/** Full and slow disks need disks of one's own. */
export const isPossible = (name: StrokeName, { files }: Ground): boolean => !/disk/.test(name) || files !== undefined;

/** The one under supervision or the one of its own: how to reach it, and its process. */
async function either(
  ground: Ground,
  dice: () => number,
  part: Exclude<Part, 'host'>,
  role: string,
): Promise<readonly [() => Assay, number]> {
  const chosen = dice() < 0.5 ? 'host' : part;
  return [() => ground.now(chosen), await pidOf(ground.now(chosen), role)];
}

/** A process of its own has no child of that role: it is one. */
async function pidOf(assay: Assay, role: string): Promise<number> {
  const [itself] = await processes(assay.pid);
  return itself?.command.endsWith(' start') ? assay.child(role) : assay.pid;
}

/** What it held when it fell silent may have been ended a moment before; what it claims since then is lost with its lease. */
const longUntilTakenOver = ({ audit }: Ground, held: readonly string[], pid: number) =>
  Promise.all([untilTakenOver(audit, held, pid), delay(LONG_MS)]);

async function paused(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signalTo(pid, 'SIGSTOP');
  await delay(ms);
  for (const pid of pids) signalTo(pid, 'SIGCONT');
}

async function cutOff(ground: Ground, dice: () => number, part: Part, ms: number): Promise<() => Promise<void>> {
  await ground.ways[part].spoil(dice() < 0.5 ? 'cut' : 'hang');
  await delay(ms);
  await ground.ways[part].mend();
  if (part !== 'host' && part !== 'gateway') return async () => {};
  return () => until(async () => (await ground.now(part).call('/result/01M7VNMBZ6GNKDZ9WQFF487680')).status === 404);
}

/** The worker is there again; should it have been killed, another one is. */
async function beating({ audit }: Ground, pid: number): Promise<() => Promise<void>> {
  const since = await audit.now();
  return () => until(() => audit.hasBeaten(pid, since), 60_000);
}

/** Tasks are accepted again. */
function acknowledging({ acknowledged }: Traffic): () => Promise<void> {
  const before = acknowledged.size;
  return () => until(() => acknowledged.size > before + 2, 60_000);
}

const refused = ({ answers }: Traffic) => answers.get('accept 503 QUEUE_UNAVAILABLE') ?? 0;

const uploadTo = async (gateway: Assay): Promise<number> =>
  (await gateway.call('/files', { body: await picture(1) })).status;

/** Waits until this worker works on something, and answers on what. */
async function untilHolding(audit: Audit, pid: number): Promise<string[]> {
  let held: string[] = [];
  await until(async () => {
    held = await audit.heldBy(pid);
    return held.length > 0;
  }, 60_000);
  return held;
}

/** Waits until nobody counts on this worker for these any more: others have them, or they wait for others, or have ended. */
async function untilTakenOver(audit: Audit, ids: readonly string[], pid: number): Promise<void> {
  const lost = await audit.workerOf(pid);
  const left = async () => {
    const last = new Map((await audit.events(ids)).map((event) => [event.id, event]));
    return [...last.values()].filter(
      ({ worker, status }) => !ENDED.has(status) && (worker === null || worker === lost),
    );
  };
  await until(async () => (await left()).length === 0, 60_000).catch(async () => {
    const counts = JSON.stringify(await audit.counts());
    throw new Error(`Nobody takes over from ${lost}: ${JSON.stringify(await left())}, where there are ${counts}`);
  });
}

const ENDED = new Set(['done', 'failed']);

const ANSWERED = [() => true, () => false] as const;
