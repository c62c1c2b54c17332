import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { resolvesWithin } from '../loop.ts';
import { isAlive, type Process, processes } from './processes.ts';

/** postmaster.pid */
export interface LockFile {
  pid: number;
  port: number;
  state: 'starting' | 'ready' | 'stopping';
}

export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined; // negative: a single-user session
  const state = lines[7];
  return { pid, port: Number(lines[3]), state: state === 'ready' || state === 'stopping' ? state : 'starting' };
}

export const removeLockFile = (cluster: string) => rm(join(cluster, 'postmaster.pid'), { force: true });

/** The server's `cluster_name`: visible on its command line, in the titles of its processes, and to clients. */
export const clusterName = (cluster: string) =>
  `assay-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;

/** Whether the process `pid` is the server of `cluster`; `undefined` if its command line is not readable. */
export async function isServerOf(pid: number, cluster: string): Promise<boolean | undefined> {
  const [found] = await processes(pid);
  return found?.command ? found.command.includes(`cluster_name=${clusterName(cluster)}`) : undefined;
}

/**
 * Ends the backends of a killed server: a busy backend keeps running and blocks a new server. Uses SIGQUIT, as the server
 * does after a crash.
 */
export async function killOrphans(cluster: string, log: Log): Promise<void> {
  const all = await processes();
  const servers = new Set(
    all.filter(({ command }) => command.includes(`cluster_name=${clusterName(cluster)}`)).map(pidOf),
  );
  const orphans = all.filter(({ command, parent }) => {
    return command.startsWith(`postgres: ${clusterName(cluster)}: `) && !servers.has(parent);
  });
  for (const { pid, command } of orphans) {
    log.info({ pid, command }, 'ending a process of a killed database server');
    sendSignal(pid, 'SIGQUIT');
  }
}

const pidOf = ({ pid }: Process) => pid;

/** Resolves when a process that is not a child has ended. Does not keep this process alive. */
export async function waitForExit(pid: number): Promise<void> {
  while (await isAlive(pid)) await delay(200, undefined, { ref: false });
}

// Chosen: enough for a checkpoint to a slow disk.
const FAST_MS = 20_000;
const QUIT_MS = 5_000;

/** Stops the server: first a fast shutdown, then an immediate one, after which the next start recovers from the WAL. */
export async function stopPostmaster(pid: number, exited: Promise<void>, log: Log): Promise<void> {
  for (const [signal, timeoutMs] of [['SIGINT', FAST_MS] as const, ['SIGQUIT', QUIT_MS] as const]) {
    sendSignal(pid, signal);
    if (await resolvesWithin(exited, timeoutMs)) return;
    log.warn({ pid, signal }, 'the database does not stop');
  }
  sendSignal(pid, 'SIGKILL');
  await exited;
}

export const stopFast = (pid: number) => sendSignal(pid, 'SIGINT');

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // already ended
  }
}
