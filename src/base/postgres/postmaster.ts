import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { rest } from '../loop.ts';
import { isAlive, type Process, processes } from './processes.ts';

/** What a running server writes about itself into its cluster. */
export interface Lock {
  pid: number;
  port: number;
  state: 'starting' | 'ready' | 'stopping';
}

export async function readLock(cluster: string): Promise<Lock | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined; // a negative one would be a single-user session
  const state = lines[7];
  return { pid, port: Number(lines[3]), state: state === 'ready' || state === 'stopping' ? state : 'starting' };
}

export const removeLock = (cluster: string) => rm(join(cluster, 'postmaster.pid'), { force: true });

/** The server's `cluster_name`: on its command line, in the title of each of its processes, and told to any client. */
export const nameOf = (cluster: string) => `assay-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;

/** Whether the living process `pid` is the server of `cluster`; `undefined` if it cannot be told. */
export async function isServerOf(pid: number, cluster: string): Promise<boolean | undefined> {
  const [found] = await processes(pid);
  return found?.command ? found.command.includes(`cluster_name=${nameOf(cluster)}`) : undefined;
}

/**
 * Ends what a killed server has left: a part of it that is busy with a long query does not notice that it is alone, and
 * as long as it runs, no new server may touch the data. SIGQUIT is what the server itself sends when a part has crashed.
 */
export async function endRemains(cluster: string, log: Log): Promise<void> {
  const all = await processes();
  const servers = new Set(all.filter(({ command }) => command.includes(`cluster_name=${nameOf(cluster)}`)).map(pidOf));
  const remains = all.filter(({ command, parent }) => {
    return command.startsWith(`postgres: ${nameOf(cluster)}: `) && !servers.has(parent);
  });
  for (const { pid, command } of remains) {
    log.info({ pid, command }, 'ending what a killed database server has left');
    signalTo(pid, 'SIGQUIT');
  }
}

const pidOf = ({ pid }: Process) => pid;

/** Resolves when a process that is not our child has ended; watching it keeps nobody from ending first. */
export async function ended(pid: number): Promise<void> {
  while (await isAlive(pid)) await delay(200, undefined, { ref: false });
}

// Backends finish what they write within this time; the longest part is a checkpoint to a slow disk.
const FAST_MS = 20_000;
const QUIT_MS = 5_000;

/**
 * Stops the server: first "fast" (open transactions are undone, everything is written), then "immediate" (the next
 * start recovers from its log), which loses nothing that was committed either.
 */
export async function stopPostmaster(pid: number, exited: Promise<void>, log: Log): Promise<void> {
  for (const [signal, patienceMs] of [['SIGINT', FAST_MS] as const, ['SIGQUIT', QUIT_MS] as const]) {
    signalTo(pid, signal);
    const patience = new AbortController();
    const stopped = await Promise.race([exited.then(() => true), rest(patienceMs, patience.signal).then(() => false)]);
    patience.abort();
    if (stopped) return;
    log.warn({ pid, signal }, 'the database does not stop');
  }
  signalTo(pid, 'SIGKILL');
  await exited;
}

export const stopFast = (pid: number) => signalTo(pid, 'SIGINT');

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has gone by itself
  }
}
