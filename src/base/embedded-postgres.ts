import { randomBytes } from 'node:crypto';
import { chmod, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openDb } from './db.ts';
import { isUnavailable } from './db-errors.ts';
import { createFolder, succeeds } from './file-system.ts';
import type { Log } from './log.ts';
import { sleep } from './loop.ts';
import { OperatorError } from './operator-error.ts';
import { postgresBinaries } from './postgres/binaries.ts';
import { clusterPassword, ensureCluster } from './postgres/cluster.ts';
import { SUPERUSER } from './postgres/initdb.ts';
import {
  clusterName,
  isServerOf,
  killOrphans,
  readLockFile,
  removeLockFile,
  stopFast,
  stopPostmaster,
  waitForExit,
} from './postgres/postmaster.ts';
import { isAlive } from './postgres/processes.ts';
import { StartingUp, startServer } from './postgres/server.ts';
import { type Account, chooseAccount, chownToFolderOwner } from './postgres/server-account.ts';
import { rotateServerLog } from './postgres/server-log.ts';
import { unixSocketFolder } from './postgres/unix-socket.ts';

export interface EmbeddedPostgres {
  /** Contains the password: pass it on in the environment, never on a command line or in a log. */
  url: string;
  pid: number;
  /** Whether the server was already running: left by a killed process, or shared with a running one. */
  adopted: boolean;
  exited: Promise<void>;
  /** Also stops an adopted server. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Log;
  /** Preferred port; if it is in use, a free one is chosen and remembered. */
  port?: number;
  signal?: AbortSignal;
  /** Trades durability for speed: a power failure then destroys the database. */
  unsafeForTests?: boolean;
  /** Default: the installed npm package. */
  packageDir?: string;
}

interface Target {
  home: string;
  cluster: string;
  account: Account;
  password: string;
  log: Log;
  signal: AbortSignal | undefined;
}

// After `kill -9` of a server, its child processes block a new server until the last one has ended.
const START_TIMEOUT_MS = 30_000;

/**
 * Starts PostgreSQL with its data under `dataDir`. It listens on 127.0.0.1 and on a Unix socket in the cluster. Creates the
 * cluster on the first start and adopts a server that still runs, for example after its parent was killed. Processes with the
 * same `dataDir` share one server; `stop` of any of them stops it for all.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, signal } = options;
  const home = await openHome(options.dataDir);
  const cluster = join(home, 'cluster');
  const account = await chooseAccount(cluster);
  const target = { home, cluster, account, password: await clusterPassword(home), log, signal };
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (let restMs = 50; ; restMs = Math.min(restMs * 2, 1_000)) {
    signal?.throwIfAborted();
    try {
      return (await adopt(target)) ?? (await launch(target, options));
    } catch (error) {
      if (!(error instanceof StartingUp || isUnavailable(error))) throw error;
      if (Date.now() > deadline) {
        throw new OperatorError(`The database did not start within 30 s: ${(error as Error).message}`, {
          cause: error,
        });
      }
      log.debug({ reason: (error as Error).message }, 'the database cannot start yet');
      await sleep(restMs, signal);
    }
  }
}

async function adopt(target: Target): Promise<EmbeddedPostgres | undefined> {
  const { cluster, log, signal } = target;
  let lock = await readLockFile(cluster);
  if (!lock) return undefined;
  const { pid } = lock;
  if (!(await isAlive(pid))) {
    await killOrphans(cluster, log);
    return undefined;
  }
  const ours = await isServerOf(pid, cluster);
  if (ours === false) {
    log.info({ pid }, 'the lock file of the database names a process that is not its server; removing the lock file');
    await killOrphans(cluster, log);
    await removeLockFile(cluster);
    return undefined;
  }
  if (ours && lock.state === 'stopping') {
    stopFast(pid); // a smart shutdown waits for the last client, possibly forever
    throw new StartingUp(`the server ${pid} is stopping`);
  }
  while (ours && lock?.pid === pid && lock.state === 'starting' && (await isAlive(pid))) {
    signal?.throwIfAborted();
    await sleep(50, signal); // recovery time is unbounded
    lock = await readLockFile(cluster);
  }
  if (lock?.pid !== pid) throw new StartingUp(`the server ${pid} has ended`);
  try {
    await becomeReachable(lock.port, target);
  } catch (error) {
    if (ours) throw error;
    return undefined; // not a server, in a process that we may not inspect: PostgreSQL checks the lock file itself
  }
  log.info({ database_pid: pid, port: lock.port }, 'adopted the running database');
  return handle(target, { port: lock.port, pid, adopted: true, exited: waitForExit(pid) });
}

async function launch(target: Target, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { home, log } = target;
  const { unsafeForTests = false, packageDir } = options;
  const binaries = await postgresBinaries(target, packageDir);
  await ensureCluster({ ...target, binaries, unsafeForTests });
  const port = await choosePort(home, options.port);
  const { pid, exited } = await startServer({ ...target, binaries, port, unsafeForTests });
  try {
    await becomeReachable(port, target);
    await remember(home, 'port', `${port}\n`);
  } catch (error) {
    await stopPostmaster(pid, exited, log);
    throw error;
  }
  return handle(target, { port, pid, adopted: false, exited });
}

async function openHome(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres');
  await createFolder(path).catch((error: Error) => {
    throw new OperatorError(`DATA_DIR (${dataDir}) cannot be used: ${error.message}`);
  });
  await chownToFolderOwner(path);
  // The server's account needs to traverse the folder; other accounts cannot list it.
  if (process.getuid?.() === (await stat(path)).uid || process.getuid?.() === 0) await chmod(path, 0o711);
  return realpath(path);
}

/** `folder`: of the Unix socket; without one the address is that of TCP. */
const urlOf = ({ password }: Target, port: number, database: string, folder?: string) =>
  `postgres://${SUPERUSER}:${password}@${folder ? encodeURIComponent(folder) : '127.0.0.1'}:${port}/${database}`;

/** The address of the running server: that of its Unix socket if that works. */
async function addressOf(target: Target, port: number): Promise<string> {
  const folder = await unixSocketFolder(target.cluster, port);
  if (folder !== undefined) {
    const url = urlOf(target, port, 'assay', folder);
    const db = openDb({ url, log: target.log, max: 1 });
    if (await succeeds(db.query('select')).finally(() => db.close())) return url;
  }
  return urlOf(target, port, 'assay');
}

/** Checks that this cluster's server listens on the port, and creates the database if missing. */
async function becomeReachable(port: number, target: Target): Promise<void> {
  const db = openDb({ url: urlOf(target, port, 'postgres'), log: target.log, max: 1 });
  try {
    const { rows } = await db.query<{ cluster: string; exists: boolean }>(
      `select current_setting('cluster_name') as cluster,
              exists (select from pg_database where datname = 'assay') as exists`,
    );
    if (rows[0]?.cluster !== clusterName(target.cluster))
      throw new StartingUp(`the port ${port} leads to ${rows[0]?.cluster}`);
    if (rows[0].exists) return;
    await db.query('create database assay').catch((error: unknown) => {
      if (!/already exists|duplicate key/.test(String(error))) throw error; // created by another process
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== '28P01') throw error;
    const path = join(target.home, 'password');
    throw new OperatorError(`The database rejects the password in ${path}.`, { cause: error });
  } finally {
    await db.close();
  }
}

async function handle(
  target: Target,
  server: Omit<EmbeddedPostgres, 'url' | 'stop'> & { port: number },
): Promise<EmbeddedPostgres> {
  const { port, pid, adopted, exited } = server;
  const url = await addressOf(target, port);
  const { home, log } = target;
  const rotation = setInterval(() => {
    rotateServerLog(home).catch((error: unknown) => log.warn({ err: error }, 'cannot rotate the log of the database'));
  }, 60_000);
  rotation.unref();
  let stopping: Promise<void> | undefined;
  void exited.then(() => {
    clearInterval(rotation);
    stopping ??= Promise.resolve(); // the pid may be reused
  });
  return {
    url,
    pid,
    adopted,
    exited,
    stop() {
      stopping ??= stopPostmaster(pid, exited, log);
      return stopping;
    },
  };
}

async function choosePort(home: string, preferred: number | undefined): Promise<number> {
  const remembered = Number(await readFile(join(home, 'port'), 'utf8').catch(() => 0));
  for (const port of [preferred, remembered]) if (port && (await freePort(port))) return port;
  return (await freePort(0))!;
}

function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

async function remember(home: string, name: string, content: string): Promise<void> {
  const draft = join(home, `${name}-${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  await chownToFolderOwner(draft);
  await rename(draft, join(home, name));
}
