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

interface FaultContext {
  readonly cluster: Ground;
  readonly traffic: Traffic;
  readonly dice: () => number;
}

/**
 * One fault. `strike` resolves when the fault is over, the returned function when the product has recovered. Other faults
 * happen at the same time, so processes are looked up again on every access.
 */
export interface Stroke {
  prepare?(scene: FaultContext): Promise<void>;
  strike(scene: FaultContext): Promise<() => Promise<void>>;
}

export type StrokeName = keyof typeof STROKES;

/** Exceeds the deliverer's lease: the receiver timeout (1 s here) plus 15 s. */
const VERY_LONG_MS = 17_000;

export const STROKES = {
  'kill gateway': {
    async strike({ cluster, dice }) {
      const gateway = either(cluster, dice, 'gateway');
      signalTo(await gateway.pid(), 'SIGKILL');
      return () => answering(gateway.assay);
    },
  },
  'kill worker': {
    async strike({ cluster, dice }) {
      const held = await untilHolding(cluster.audit, either(cluster, dice, 'worker'));
      signalTo(held.pid, 'SIGKILL');
      return () => untilGivenUp(cluster.audit, held);
    },
  },
  'kill deliverer': {
    async strike({ cluster, dice }) {
      const deliverer = either(cluster, dice, 'deliverer');
      const killed = await deliverer.pid();
      signalTo(killed, 'SIGKILL');
      return () => until(async () => (await deliverer.pid()) !== killed);
    },
  },
  'kill supervisor': {
    async strike({ cluster }) {
      const killed = cluster.now('host');
      await killed.children(); // records the pids for alive()
      killed.kill('SIGKILL');
      return async () => {
        await until(() => cluster.now('host') !== killed && /is ready/.test(cluster.now('host').said.out));
        await until(async () => (await killed.alive()).length === 0);
      };
    },
  },
  'pause gateway': {
    async strike({ cluster, dice }) {
      const gateway = either(cluster, dice, 'gateway');
      await pauseProcess(await gateway.pid(), LONG_MS);
      return () => answering(gateway.assay);
    },
  },
  'pause worker': {
    async strike({ cluster, dice }) {
      const worker = either(cluster, dice, 'worker');
      const held = await untilHolding(cluster.audit, worker);
      signalTo(held.pid, 'SIGSTOP');
      await longUntilGivenUp(cluster, held).finally(() => signalTo(held.pid, 'SIGCONT'));
      return beating(cluster, worker);
    },
  },
  'pause deliverer': {
    async strike({ cluster, dice }) {
      await pauseProcess(await either(cluster, dice, 'deliverer').pid(), VERY_LONG_MS);
      return async () => {};
    },
  },
  'pause supervisor': {
    async strike({ cluster }) {
      await pauseProcess(cluster.now('host').pid, LONG_MS);
      return async () => {};
    },
  },
  'pause database': {
    async strike({ cluster, traffic }) {
      await cluster.database.pause(LONG_MS);
      return acknowledging(traffic);
    },
  },
  'partition host': {
    strike: ({ cluster, dice }) => partition(cluster, dice, 'host', LONG_MS),
  },
  'partition gateway': {
    strike: ({ cluster, dice }) => partition(cluster, dice, 'gateway', LONG_MS),
  },
  'partition worker': {
    async strike({ cluster, dice }) {
      const worker = player(cluster, 'worker', 'worker');
      const held = await untilHolding(cluster.audit, worker);
      await cluster.ways.worker.spoil(dice() < 0.5 ? 'cut' : 'hang');
      await longUntilGivenUp(cluster, held).finally(() => cluster.ways.worker.mend());
      return beating(cluster, worker);
    },
  },
  'partition deliverer': {
    strike: ({ cluster, dice }) => partition(cluster, dice, 'deliverer', VERY_LONG_MS),
  },
  'kill database': {
    async strike({ cluster, traffic }) {
      await cluster.database.kill();
      return acknowledging(traffic);
    },
  },
  'restart database': {
    async strike({ cluster, traffic, dice }) {
      await cluster.database.restart(dice() < 0.5 ? 'fast' : 'immediate');
      return acknowledging(traffic);
    },
  },
  'failover database': {
    prepare: ({ cluster }) => cluster.database.prepareStandby(),
    async strike({ cluster, traffic }) {
      await cluster.database.failOver();
      return acknowledging(traffic);
    },
  },
  'disk-full database': {
    async strike({ cluster, traffic, dice }) {
      const disk = cluster.database.disk()!;
      const rejectionCount = () => rejectedTasks(traffic);
      const before = rejectionCount();
      await disk.fill();
      // Writes still succeed until the current page and WAL segment are full.
      await until(() => rejectionCount() > before).finally(() => delay(dice() * 5000));
      await disk.free();
      return async () => {
        await cluster.database.ensureRuns();
        await acknowledging(traffic)();
      };
    },
  },
  'disk-full files': {
    async strike({ cluster, dice }) {
      const upload = () => uploadTo(cluster.now('gateway'));
      await cluster.files!.fill();
      await until(async () => {
        const answer = await upload();
        if (/^\d/.test(answer) && !/^(201|503) /.test(answer)) {
          await delay(500); // for its log
          const { out, err } = cluster.now('gateway').said;
          throw new Error(`An upload to a full disk returned ${answer}: ${(out + err).slice(-3000)}`);
        }
        return answer === '503 STORAGE_UNAVAILABLE';
      }).finally(() => delay(dice() * 5000));
      await cluster.files!.free();
      return () => until(async () => (await upload()).startsWith('201 '));
    },
  },
  'slow-disk database': {
    async strike({ cluster, traffic, dice }) {
      const stallMs = 200 + dice() * 1800;
      await cluster.database.disk()!.stall({ forMs: LONG_MS + dice() * LONG_MS, stallMs, passMs: 50 });
      return acknowledging(traffic);
    },
  },
} satisfies Record<string, Stroke>;

export const isPossible = (name: StrokeName, { files }: Ground): boolean => !/disk/.test(name) || files !== undefined;

async function pauseProcess(pid: number, ms: number): Promise<void> {
  signalTo(pid, 'SIGSTOP');
  await delay(ms);
  signalTo(pid, 'SIGCONT');
}

async function partition(cluster: Ground, dice: () => number, part: Part, ms: number): Promise<() => Promise<void>> {
  await cluster.ways[part].spoil(dice() < 0.5 ? 'cut' : 'hang');
  await delay(ms);
  await cluster.ways[part].mend();
  if (part !== 'host' && part !== 'gateway') return async () => {};
  return () => until(async () => (await statusOf(cluster.now(part), '/result/01M7VNMBZ6GNKDZ9WQFF487680')) === 404);
}

const rejectedTasks = ({ answers }: Traffic) => answers.get('accept 503 QUEUE_UNAVAILABLE') ?? 0;

/** Uploads a picture; returns the status and the error code, or `broken`. */
const uploadTo = async (gateway: Assay): Promise<string> =>
  gateway.call('/files', { body: await picture(1) }).then(
    ({ status, body }) => `${status} ${body?.error?.code ?? ''}`,
    () => 'broken',
  );
