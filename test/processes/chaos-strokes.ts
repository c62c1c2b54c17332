import { setTimeout as delay } from 'node:timers/promises';
import { type Assay, signalTo } from './assay.ts';
import type { Ground, Part } from './chaos-ground.ts';
import {
  acknowledging,
  answering,
  beating,
  either,
  LONG_MS,
  longUntilGivenUp,
  player,
  statusOf,
  until,
  untilGivenUp,
  untilHolding,
} from './chaos-recovery.ts';
import type { Traffic } from './chaos-traffic.ts';
import { picture } from './client.ts';

export const FAULTS = ['kill', 'pause', 'partition', 'restart', 'failover', 'disk-full', 'slow-disk'] as const;
export type Fault = (typeof FAULTS)[number];

interface Scene {
  readonly ground: Ground;
  readonly traffic: Traffic;
  readonly dice: () => number;
}

/**
 * One thing that goes wrong. `strike` resolves when the fault is over; what it answers, when all is well again. Others strike
 * meanwhile: whoever is waited for may be killed, started again or cut off by them, and is looked up anew each time.
 */
export interface Stroke {
  prepare?(scene: Scene): Promise<void>;
  strike(scene: Scene): Promise<() => Promise<void>>;
}

export type StrokeName = keyof typeof STROKES;

/** Longer than a deliverer's: the time limit of a receiver, 1 s here, and 15 s. */
const VERY_LONG_MS = 17_000;

export const STROKES = {
  'kill gateway': {
    async strike({ ground, dice }) {
      const gateway = either(ground, dice, 'gateway');
      signalTo(await gateway.pid(), 'SIGKILL');
      return () => answering(gateway.assay);
    },
  },
  'kill worker': {
    async strike({ ground, dice }) {
      const held = await untilHolding(ground.audit, either(ground, dice, 'worker'));
      signalTo(held.pid, 'SIGKILL');
      return () => untilGivenUp(ground.audit, held);
    },
  },
  'kill deliverer': {
    async strike({ ground, dice }) {
      const deliverer = either(ground, dice, 'deliverer');
      const killed = await deliverer.pid();
      signalTo(killed, 'SIGKILL');
      return () => until(async () => (await deliverer.pid()) !== killed);
    },
  },
  'kill supervisor': {
    async strike({ ground }) {
      const killed = ground.now('host');
      await killed.children(); // remembers them
      killed.kill('SIGKILL');
      return async () => {
        await until(() => ground.now('host') !== killed && /is ready/.test(ground.now('host').said.out));
        await until(async () => (await killed.alive()).length === 0);
      };
    },
  },
  'pause gateway': {
    async strike({ ground, dice }) {
      const gateway = either(ground, dice, 'gateway');
      await paused(await gateway.pid(), LONG_MS);
      return () => answering(gateway.assay);
    },
  },
  'pause worker': {
    async strike({ ground, dice }) {
      const worker = either(ground, dice, 'worker');
      const held = await untilHolding(ground.audit, worker);
      signalTo(held.pid, 'SIGSTOP');
      await longUntilGivenUp(ground, held).finally(() => signalTo(held.pid, 'SIGCONT'));
      return beating(ground, worker);
    },
  },
  'pause deliverer': {
    async strike({ ground, dice }) {
      await paused(await either(ground, dice, 'deliverer').pid(), VERY_LONG_MS);
      return async () => {};
    },
  },
  'pause supervisor': {
    async strike({ ground }) {
      await paused(ground.now('host').pid, LONG_MS);
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
      const worker = player(ground, 'worker', 'worker');
      const held = await untilHolding(ground.audit, worker);
      await ground.ways.worker.spoil(dice() < 0.5 ? 'cut' : 'hang');
      await longUntilGivenUp(ground, held).finally(() => ground.ways.worker.mend());
      return beating(ground, worker);
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
      await until(() => refusals() > before).finally(() => delay(dice() * 5000));
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
        const answer = await upload();
        if (/^\d/.test(answer) && !/^(201|503) /.test(answer)) {
          await delay(500); // for its log
          const { out, err } = ground.now('gateway').said;
          throw new Error(`An upload to a full disk was answered ${answer}: ${(out + err).slice(-3000)}`);
        }
        return answer === '503 STORAGE_UNAVAILABLE';
      }).finally(() => delay(dice() * 5000));
      await ground.files!.free();
      return () => until(async () => (await upload()).startsWith('201 '));
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

async function paused(pid: number, ms: number): Promise<void> {
  signalTo(pid, 'SIGSTOP');
  await delay(ms);
  signalTo(pid, 'SIGCONT');
}

async function cutOff(ground: Ground, dice: () => number, part: Part, ms: number): Promise<() => Promise<void>> {
  await ground.ways[part].spoil(dice() < 0.5 ? 'cut' : 'hang');
  await delay(ms);
  await ground.ways[part].mend();
  if (part !== 'host' && part !== 'gateway') return async () => {};
  return () => until(async () => (await statusOf(ground.now(part), '/result/01M7VNMBZ6GNKDZ9WQFF487680')) === 404);
}

const refused = ({ answers }: Traffic) => answers.get('accept 503 QUEUE_UNAVAILABLE') ?? 0;

/** The status and the code, or that the connection broke. */
const uploadTo = async (gateway: Assay): Promise<string> =>
  gateway.call('/files', { body: await picture(1) }).then(
    ({ status, body }) => `${status} ${body?.error?.code ?? ''}`,
    () => 'broken',
  );
