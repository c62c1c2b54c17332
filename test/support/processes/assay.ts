import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../../src/base/embedded-postgres.ts';
import { createLog } from '../../../src/base/log.ts';
import { isServerOf, killOrphans, readLockFile } from '../../../src/base/postgres/postmaster.ts';
import { isAlive, type Process, processes } from '../../../src/base/postgres/processes.ts';
import { type Client, createClient, TOKEN } from './client.ts';
import { waitUntil } from './until.ts';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** The data directory and the port of one product. */
export interface InstancePlace {
  readonly dataDir: string;
  readonly port: number;
}

export interface Assay extends Client {
  readonly pid: number;
  readonly url: string;
  readonly output: { readonly out: string; readonly err: string };
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  waitForOutput(pattern: RegExp): Promise<void>;
  children(): Promise<Process[]>;
  /** Waits for the child that runs `role` and returns its pid. */
  child(role: string): Promise<number>;
  /** Returns the running pids among all processes of it seen so far. */
  runningPids(): Promise<number[]>;
  /** `group`: signals the whole process group, as Ctrl-C in a terminal does. */
  kill(signal: NodeJS.Signals, to?: 'group'): void;
}

const folders = new Set<string>();
const groups = new Set<number>();

export async function createInstancePlace(): Promise<InstancePlace> {
  // test/support/database-server.ts finds servers of killed runs by this prefix.
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  folders.add(folder);
  await chmod(folder, 0o755);
  return { dataDir: join(folder, 'data'), port: await freePort() };
}

export async function cleanUp(): Promise<void> {
  for (const pid of groups) signalTo(-pid, 'SIGKILL');
  groups.clear();
  for (const folder of folders) {
    const place = { dataDir: join(folder, 'data') };
    const server = await databasePid(place);
    if (server !== undefined) {
      signalTo(server, 'SIGKILL');
      await waitUntil(async () => !(await isAlive(server)));
    }
    await killOrphans(clusterOf(place), log);
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  folders.clear();
}

export interface StartOptions {
  args?: readonly string[];
  env?: Record<string, string | undefined>;
  user?: { uid: number; gid: number };
  from?: string;
  node?: string;
  /** False: a second signal kills it, as in a terminal. */
  supervised?: boolean;
}

export function startAssay(place: InstancePlace, options: StartOptions = {}): Assay {
  const {
    args = ['start'],
    env = {},
    user = {},
    from = REPOSITORY,
    node = process.execPath,
    supervised = true,
  } = options;
  const child: ChildProcess = spawn(node, [join(from, 'scripts/assay.mjs'), ...args], {
    ...user,
    cwd: from,
    env: {
      PATH: process.env['PATH'],
      HOME: dirname(place.dataDir),
      DATA_DIR: place.dataDir,
      SERVICES: 'defectoscopy',
      DEFECTOSCOPY_PORT: String(place.port),
      DEFECTOSCOPY_API_TOKENS: TOKEN,
      ...env,
    },
    // A separate process group; the IPC channel stops it if the test runner is killed.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(supervised ? (['ipc'] as const) : [])],
  });
  const pid = child.pid!;
  groups.add(pid);
  const said = { out: '', err: '' };
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    said.out += chunk;
  });
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    said.err += chunk;
  });
  let exited = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    exited = true;
    return { code, signal };
  });
  const seen = new Set([pid]);
  const children = async () => {
    const found = (await processes()).filter(({ parent, command }) => parent === pid && command.includes('main.js'));
    for (const each of found) seen.add(each.pid);
    return found;
  };

  const url = `http://127.0.0.1:${place.port}`;
  return {
    ...{ pid, url, output: said, ended, children },
    ...createClient(url),
    waitForOutput: (pattern) =>
      waitUntil(() => {
        if (exited && !pattern.test(said.out)) throw new Error(`The product exited:\n${said.out}\n${said.err}`);
        return pattern.test(said.out);
      }, 60_000),
    async child(role) {
      let found: Process | undefined;
      await waitUntil(async () => {
        found = (await children()).find(({ command }) => command.includes(`main.js ${role}`));
        return found !== undefined;
      });
      return found!.pid;
    },
    async runningPids() {
      await children();
      const lives = await Promise.all([...seen].map(async (each) => ((await isAlive(each)) ? [each] : [])));
      return lives.flat();
    },
    kill: (signal, to) => signalTo(to === 'group' ? -pid : pid, signal),
  };
}

export async function databaseUrl({ dataDir }: InstancePlace): Promise<string> {
  return (await startEmbeddedPostgres({ dataDir, log })).url;
}

/** Returns the postmaster's pid if the embedded database is running. */
export async function databasePid(place: Pick<InstancePlace, 'dataDir'>): Promise<number | undefined> {
  const lock = await readLockFile(clusterOf(place));
  if (!lock || !(await isAlive(lock.pid))) return undefined;
  return (await isServerOf(lock.pid, clusterOf(place))) ? lock.pid : undefined;
}

/**
 * Returns a port on which nothing listens. A product takes seconds to listen on it, so no two tests may get the same one meanwhile:
 * each test process has a range of its own, and takes its ports one after the other.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (portsTaken++ % PORTS_PER_PROCESS);
    const server = createServer().listen(port, '127.0.0.1');
    const listens = await once(server, 'listening').then(...FREE);
    server.close();
    if (listens) return port;
  }
}

// Below the ephemeral range, whose ports outgoing connections may take at any time.
const PORTS_PER_PROCESS = 1000;
const FIRST_PORT = 20_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 10) * PORTS_PER_PROCESS;
let portsTaken = randomInt(PORTS_PER_PROCESS);

const FREE = [() => true, () => false] as const;

export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: the process has exited
  }
}

const clusterOf = ({ dataDir }: Pick<InstancePlace, 'dataDir'>) => join(dataDir, 'postgres', 'cluster');
const log = createLog('silent', 'test');
