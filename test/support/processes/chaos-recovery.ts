import { setTimeout as delay } from 'node:timers/promises';
import type { Assay } from './assay.ts';
import type { Audit } from './audit.ts';
import type { ChaosCluster, ProcessName } from './chaos-cluster.ts';
import type { Traffic } from './chaos-traffic.ts';
import { waitUntil as untilWithin } from './until.ts';

/** Exceeds the worker lease of 6 s. */
export const BEYOND_LEASE_MS = 7_000;

const ROLES = { gateway: 'serve', worker: 'work', deliverer: 'deliver' } as const;
type Role = keyof typeof ROLES;

/** One of the two processes with a role; a restart gives it another pid. */
interface RoleProcess {
  assay(): Assay;
  pid(): Promise<number>;
}

export function roleProcess(cluster: ChaosCluster, part: Role, at: ProcessName): RoleProcess {
  const now = async () => {
    const assay = cluster.currentProcess(at);
    if (at !== 'host') return assay.pid;
    return (await assay.children()).find(({ command }) => command.includes(`main.js ${ROLES[part]}`))?.pid;
  };
  return {
    assay: () => cluster.currentProcess(at),
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

export const randomRoleProcess = (cluster: ChaosCluster, dice: () => number, part: Role) =>
  roleProcess(cluster, part, dice() < 0.5 ? 'host' : part);

/** Tasks claimed just before the fault are covered by the delay, which exceeds their lease. */
export const untilReassignedAndLeaseExpired = ({ audit }: ChaosCluster, held: Held) =>
  Promise.all([untilReassigned(audit, held), delay(BEYOND_LEASE_MS)]);

export const untilAnswering = (gateway: () => Assay) =>
  until(async () => (await statusOf(gateway(), '/livez')) !== undefined);

/** Undefined while the gateway does not respond. */
export const statusOf = (gateway: Assay, path: string): Promise<number | undefined> =>
  gateway.call(path, { timeoutMs: 5000 }).then(
    ({ status }) => status,
    () => undefined,
  );

/** Returns a function that waits until the worker, or its replacement, has sent a heartbeat. */
export async function heartbeatCheck({ audit }: ChaosCluster, worker: RoleProcess): Promise<() => Promise<void>> {
  const since = await audit.now();
  return () => until(async () => audit.hasHeartbeat(await worker.pid(), since));
}

/** Returns a function that waits until tasks are accepted again. */
export function acceptanceCheck({ acknowledged }: Traffic): () => Promise<void> {
  const before = acknowledged.size;
  return () => until(() => acknowledged.size > before + 2);
}

interface Held {
  readonly pid: number;
  readonly worker: string;
  readonly ids: readonly string[];
}

export async function untilHolding(audit: Audit, worker: RoleProcess): Promise<Held> {
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
 * Waits until the tasks have ended, are queued or belong to another worker. Does not wait for queued ones, because `batch`
 * tasks wait for all others.
 */
export async function untilReassigned(audit: Audit, { ids, worker: lost }: Held): Promise<void> {
  const stillHeld = async () => {
    const last = new Map((await audit.events(ids)).map((event) => [event.id, event]));
    return [...last.values()].filter(({ worker, status }) => !FINAL_STATUSES.has(status) && worker === lost);
  };
  await until(async () => (await stillHeld()).length === 0).catch(async () => {
    const counts = JSON.stringify(await audit.counts());
    throw new Error(`The leases of ${lost} do not expire: ${JSON.stringify(await stillHeld())}; counts: ${counts}`);
  });
}

/** Long enough for a busy machine to recover from several simultaneous faults. */
export const until = (condition: () => boolean | Promise<boolean>) => untilWithin(condition, 180_000);

const FINAL_STATUSES = new Set(['done', 'failed']);
