import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isUnavailable, openDb } from './db.ts';
import type { Log } from './log.ts';
import { rest } from './loop.ts';
import { OperatorError } from './operator-error.ts';
import { type Account, accountFor, handOver } from './postgres/account.ts';
import { postgresBinaries } from './postgres/binaries.ts';
import { clusterPassword, ensureCluster } from './postgres/cluster.ts';
import { SUPERUSER } from './postgres/initdb.ts';
import {
  ended,
  endRemains,
  isServerOf,
  nameOf,
  readLock,
  removeLock,
  stopFast,
  stopPostmaster,
} from './postgres/postmaster.ts';
import { isAlive } from './postgres/processes.ts';
import { NotYet, startServer } from './postgres/server.ts';
import { boundServerLog } from './postgres/server-log.ts';

export interface EmbeddedPostgres {
  /** Contains the password: hand it on by the environment, never by a command line or a log. */
  url: string;
  pid: number;
  /** Whether the server was running already: left by a process that was killed, or shared with one that lives. */
  adopted: boolean;
  /** Resolves when the server has ended, by itself or by `stop`. */
  exited: Promise<void>;
  /** Stops it, also an adopted one; resolves when everything is written and the process is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The server keeps everything in its subfolder `postgres`. */
  dataDir: string;
  log: Log;
  /** A wish: when it is taken, another is used and remembered. */
  port?: number;
  /** Gives up a start that still waits (for a recovery, or for another server to end). */
  signal?: AbortSignal;
  /** Trades durability for speed. A power cut then destroys the database. */
  unsafeForTests?: boolean;
  /** Where the npm package with PostgreSQL lies; found by itself. */
  packageDir?: string;
}

/** A place for the data, and how to knock at the server that serves it. */
interface Place {
  home: string;
  cluster: string;
  account: Account;
  password: string;
  log: Log;
  signal: AbortSignal | undefined;
}

// After `kill -9` of a server its parts die one by one, and until the last is gone a new one is refused.
const PATIENCE_MS = 30_000;

/**
 * A real PostgreSQL with its data under `dataDir`, listening on this machine only: made at the first start, adopted if
 * it still runs, recovered if it was killed. It outlives a killed parent, and the next start takes it over. Two
 * processes on one `dataDir` share one server, and either one's `stop` stops it for both.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, signal } = options;
  const home = await openHome(options.dataDir);
  const cluster = join(home, 'cluster');
  const account = await accountFor(cluster);
  const place = { home, cluster, account, password: await clusterPassword(home), log, signal };
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let restMs = 50; ; restMs = Math.min(restMs * 2, 1_000)) {
    signal?.throwIfAborted();
    try {
      return (await adopt(place)) ?? (await launch(place, options));
    } catch (error) {
      if (!(error instanceof NotYet || isUnavailable(error))) throw error;
      if (Date.now() > giveUpAt) {
        throw new OperatorError(`The database did not start within 30 s: ${(error as Error).message}`, {
          cause: error,
        });
      }
      log.debug({ reason: (error as Error).message }, 'the database cannot start yet');
      await rest(restMs, signal);
    }
  }
}

async function adopt(place: Place): Promise<EmbeddedPostgres | undefined> {
  const { cluster, log, signal } = place;
  let lock = await readLock(cluster);
  if (!lock) return undefined;
  const { pid } = lock;
  if (!(await isAlive(pid))) {
    await endRemains(cluster, log);
    return undefined;
  }
  const ours = await isServerOf(pid, cluster);
  if (ours === false) {
    log.info({ pid }, 'the lock of the database names a process that is no server of it; removing the lock');
    await endRemains(cluster, log);
    await removeLock(cluster);
    return undefined;
  }
  if (ours && lock.state === 'stopping') {
    stopFast(pid); // told to stop gently, it would wait for its last client, maybe for ever
    throw new NotYet(`the server ${pid} is stopping`);
  }
  while (ours && lock?.pid === pid && lock.state === 'starting' && (await isAlive(pid))) {
    signal?.throwIfAborted();
    await rest(50, signal); // a recovery takes as long as it takes
    lock = await readLock(cluster);
  }
  if (lock?.pid !== pid) throw new NotYet(`the server ${pid} has ended`);
  try {
    await becomeReachable(lock.port, place);
  } catch (error) {
    if (ours) throw error;
    return undefined; // a process that we may not look at, and no server: PostgreSQL itself judges the lock
  }
  log.info({ database_pid: pid, port: lock.port }, 'adopted the running database');
  return handle(place, { port: lock.port, pid, adopted: true, exited: ended(pid) });
}

async function launch(place: Place, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { home, cluster, account, password, log, signal } = place;
  const { unsafeForTests = false, packageDir } = options;
  const binaries = await postgresBinaries({ home, account, log, packageDir });
  await ensureCluster({ cluster, account, binaries, password, unsafeForTests, log });
  const port = await choosePort(home, options.port);
  const { pid, exited } = await startServer({ binaries, cluster, home, account, port, unsafeForTests, log, signal });
  try {
    await becomeReachable(port, place);
    await remember(home, 'port', `${port}\n`);
  } catch (error) {
    await stopPostmaster(pid, exited, log); // what we started and cannot use must not stay behind
    throw error;
  }
  return handle(place, { port, pid, adopted: false, exited });
}

async function openHome(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres');
  await mkdir(path, { recursive: true });
  await handOver(path);
  // Others may pass, for the server's own account, but not look around.
  if (process.getuid?.() === (await stat(path)).uid || process.getuid?.() === 0) await chmod(path, 0o711);
  return realpath(path);
}

const urlOf = ({ password }: Place, port: number, database: string) =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

/** Makes sure that it is this cluster's server which answers, and that our database is there. */
async function becomeReachable(port: number, place: Place): Promise<void> {
  const db = openDb({ url: urlOf(place, port, 'postgres'), log: place.log, max: 1 });
  try {
    const { rows } = await db.query<{ cluster: string; made: boolean }>(
      `select current_setting('cluster_name') as cluster,
              exists (select from pg_database where datname = 'assay') as made`,
    );
    if (rows[0]?.cluster !== nameOf(place.cluster)) throw new NotYet(`the port ${port} leads to ${rows[0]?.cluster}`);
    if (rows[0].made) return;
    await db.query('create database assay').catch((error: unknown) => {
      if (!/already exists|duplicate key/.test(String(error))) throw error; // another process did it
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== '28P01') throw error;
    const path = join(place.home, 'password');
    throw new OperatorError(`The database does not take the password beside it (${path}).`, { cause: error });
  } finally {
    await db.close();
  }
}

function handle(place: Place, server: Omit<EmbeddedPostgres, 'url' | 'stop'> & { port: number }): EmbeddedPostgres {
  const { port, pid, adopted, exited } = server;
  const { home, log } = place;
  const rotation = setInterval(() => {
    boundServerLog(home).catch((error: unknown) => log.warn({ err: error }, 'the log of the database keeps growing'));
  }, 60_000);
  rotation.unref();
  let stopping: Promise<void> | undefined;
  void exited.then(() => {
    clearInterval(rotation);
    stopping ??= Promise.resolve(); // its number may be another process by now
  });
  return {
    url: urlOf(place, port, 'assay'),
    pid,
    adopted,
    exited,
    stop() {
      stopping ??= stopPostmaster(pid, exited, log);
      return stopping;
    },
  };
}

async function choosePort(home: string, wished: number | undefined): Promise<number> {
  const remembered = Number(await readFile(join(home, 'port'), 'utf8').catch(() => 0));
  for (const port of [wished, remembered]) if (port && (await freePort(port))) return port;
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
  await handOver(draft);
  await rename(draft, join(home, name));
}
