import { setTimeout as delay } from 'node:timers/promises';
import { type Assay, signalTo } from './assay.ts';
import type { ChaosCluster, ProcessName } from './chaos-cluster.ts';
import {
  acceptanceCheck,
  BEYOND_LEASE_MS,
  heartbeatCheck,
  randomRoleProcess,
  roleProcess,
  statusOf,
  until,
  untilAnswering,
  untilHolding,
  untilReassigned,
  untilReassignedAndLeaseExpired,
} from './chaos-recovery.ts';
import type { Traffic } from './chaos-traffic.ts';
import { createPicture } from './client.ts';

export const FAULT_KINDS = ['kill', 'pause', 'partition', 'restart', 'failover', 'disk-full', 'slow-disk'] as const;
export type Fault = (typeof FAULT_KINDS)[number];

interface FaultContext {
  readonly cluster: ChaosCluster;
  readonly traffic: Traffic;
  readonly dice: () => number;
}

/**
 * One fault. `inject` resolves when the fault is over, the returned function when the product has recovered. Other faults
 * happen at the same time, so processes are looked up again on every access.
 */
export interface FaultScenario {
  prepare?(scene: FaultContext): Promise<void>;
  inject(scene: FaultContext): Promise<() => Promise<void>>;
}

export type ScenarioName = keyof typeof SCENARIOS;

/** Exceeds the deliverer's lease: the receiver timeout (1 s here) plus 15 s. */
const VERY_LONG_MS = 17_000;

export const SCENARIOS = {
  'kill gateway': {
    async inject({ cluster, dice }) {
      const gateway = randomRoleProcess(cluster, dice, 'gateway');
      signalTo(await gateway.pid(), 'SIGKILL');
      return () => untilAnswering(gateway.assay);
    },
  },
  'kill worker': {
    async inject({ cluster, dice }) {
      const held = await untilHolding(cluster.audit, randomRoleProcess(cluster, dice, 'worker'));
      signalTo(held.pid, 'SIGKILL');
      return () => untilReassigned(cluster.audit, held);
    },
  },
  'kill deliverer': {
    async inject({ cluster, dice }) {
      const deliverer = randomRoleProcess(cluster, dice, 'deliverer');
      const killed = await deliverer.pid();
      signalTo(killed, 'SIGKILL');
      return () => until(async () => (await deliverer.pid()) !== killed);
    },
  },
  'kill supervisor': {
    async inject({ cluster }) {
      const killed = cluster.currentProcess('host');
      await killed.children(); // records the pids for alive()
      killed.kill('SIGKILL');
      return async () => {
        await until(
          () => cluster.currentProcess('host') !== killed && /is ready/.test(cluster.currentProcess('host').output.out),
        );
        await until(async () => (await killed.runningPids()).length === 0);
      };
    },
  },
  'pause gateway': {
    async inject({ cluster, dice }) {
      const gateway = randomRoleProcess(cluster, dice, 'gateway');
      await pauseProcess(await gateway.pid(), BEYOND_LEASE_MS);
      return () => untilAnswering(gateway.assay);
    },
  },
  'pause worker': {
    async inject({ cluster, dice }) {
      const worker = randomRoleProcess(cluster, dice, 'worker');
      const held = await untilHolding(cluster.audit, worker);
      signalTo(held.pid, 'SIGSTOP');
      await untilReassignedAndLeaseExpired(cluster, held).finally(() => signalTo(held.pid, 'SIGCONT'));
      return heartbeatCheck(cluster, worker);
    },
  },
  'pause deliverer': {
    async inject({ cluster, dice }) {
      await pauseProcess(await randomRoleProcess(cluster, dice, 'deliverer').pid(), VERY_LONG_MS);
      return async () => {};
    },
  },
  'pause supervisor': {
    async inject({ cluster }) {
      await pauseProcess(cluster.currentProcess('host').pid, BEYOND_LEASE_MS);
      return async () => {};
    },
  },
  'pause database': {
    async inject({ cluster, traffic }) {
      await cluster.database.pause(BEYOND_LEASE_MS);
      return acceptanceCheck(traffic);
    },
  },
  'partition host': {
    inject: ({ cluster, dice }) => partition(cluster, dice, 'host', BEYOND_LEASE_MS),
  },
  'partition gateway': {
    inject: ({ cluster, dice }) => partition(cluster, dice, 'gateway', BEYOND_LEASE_MS),
  },
  'partition worker': {
    async inject({ cluster, dice }) {
      const worker = roleProcess(cluster, 'worker', 'worker');
      const held = await untilHolding(cluster.audit, worker);
      await cluster.databasePaths.worker.interrupt(dice() < 0.5 ? 'cut' : 'hang');
      await untilReassignedAndLeaseExpired(cluster, held).finally(() => cluster.databasePaths.worker.restore());
      return heartbeatCheck(cluster, worker);
    },
  },
  'partition deliverer': {
    inject: ({ cluster, dice }) => partition(cluster, dice, 'deliverer', VERY_LONG_MS),
  },
  'kill database': {
    async inject({ cluster, traffic }) {
      await cluster.database.kill();
      return acceptanceCheck(traffic);
    },
  },
  'restart database': {
    async inject({ cluster, traffic, dice }) {
      await cluster.database.restart(dice() < 0.5 ? 'fast' : 'immediate');
      return acceptanceCheck(traffic);
    },
  },
  'failover database': {
    prepare: ({ cluster }) => cluster.database.prepareStandby(),
    async inject({ cluster, traffic }) {
      await cluster.database.failOver();
      return acceptanceCheck(traffic);
    },
  },
  'disk-full database': {
    async inject({ cluster, traffic, dice }) {
      const disk = cluster.database.disk()!;
      const rejectionCount = () => rejectedTasks(traffic);
      const before = rejectionCount();
      await disk.fill();
      // Writes still succeed until the current page and WAL segment are full.
      await until(() => rejectionCount() > before).finally(() => delay(dice() * 5000));
      await disk.free();
      return async () => {
        await cluster.database.ensureRunning();
        await acceptanceCheck(traffic)();
      };
    },
  },
  'disk-full files': {
    async inject({ cluster, dice }) {
      const upload = () => uploadTo(cluster.currentProcess('gateway'));
      await cluster.files!.fill();
      await until(async () => {
        const answer = await upload();
        if (/^\d/.test(answer) && !/^(201|503) /.test(answer)) {
          await delay(500); // for its log
          const { out, err } = cluster.currentProcess('gateway').output;
          throw new Error(`An upload to a full disk returned ${answer}: ${(out + err).slice(-3000)}`);
        }
        return answer === '503 STORAGE_UNAVAILABLE';
      }).finally(() => delay(dice() * 5000));
      await cluster.files!.free();
      return () => until(async () => (await upload()).startsWith('201 '));
    },
  },
  'slow-disk database': {
    async inject({ cluster, traffic, dice }) {
      const stallMs = 200 + dice() * 1800;
      await cluster.database.disk()!.stall({ forMs: BEYOND_LEASE_MS + dice() * BEYOND_LEASE_MS, stallMs, passMs: 50 });
      return acceptanceCheck(traffic);
    },
  },
} satisfies Record<string, FaultScenario>;

export const isPossible = (name: ScenarioName, { files }: ChaosCluster): boolean =>
  !/disk/.test(name) || files !== undefined;

async function pauseProcess(pid: number, ms: number): Promise<void> {
  signalTo(pid, 'SIGSTOP');
  await delay(ms);
  signalTo(pid, 'SIGCONT');
}

async function partition(
  cluster: ChaosCluster,
  dice: () => number,
  part: ProcessName,
  ms: number,
): Promise<() => Promise<void>> {
  await cluster.databasePaths[part].interrupt(dice() < 0.5 ? 'cut' : 'hang');
  await delay(ms);
  await cluster.databasePaths[part].restore();
  if (part !== 'host' && part !== 'gateway') return async () => {};
  return () =>
    until(async () => (await statusOf(cluster.currentProcess(part), '/result/01M7VNMBZ6GNKDZ9WQFF487680')) === 404);
}

const rejectedTasks = ({ answers }: Traffic) => answers.get('accept 503 QUEUE_UNAVAILABLE') ?? 0;

/** Uploads a picture; returns the status and the error code, or `broken`. */
const uploadTo = async (gateway: Assay): Promise<string> =>
  gateway.call('/files', { body: await createPicture(1) }).then(
    ({ status, body }) => `${status} ${body?.error?.code ?? ''}`,
    () => 'broken',
  );
