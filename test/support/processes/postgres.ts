import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Db, openDb } from '../../../src/base/db.ts';
import { createLog } from '../../../src/base/log.ts';
import { postgresBinaries } from '../../../src/base/postgres/binaries.ts';
import { clusterName } from '../../../src/base/postgres/postmaster.ts';
import { isAlive, processes } from '../../../src/base/postgres/processes.ts';
import { chooseAccount, NOBODY, serverEnvironment } from '../../../src/base/postgres/server-account.ts';
import { freePort, signalTo } from './assay.ts';
import { waitUntil } from './until.ts';

/** An external PostgreSQL server, started and stopped by the test. */
export interface PostgresServer {
  /** Includes the password; the database is `postgres` or the primary's. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly cluster: string;
  readLog(): Promise<string>;
  pids(): Promise<number[]>;
  /** Kills all its processes at once, as a power failure does, and waits until they have exited. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** PostgreSQL's shutdown mode: `immediate` leaves recovery to the next start. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

export interface PostgresServerOptions {
  /** Folder of its programs, such as /usr/lib/postgresql/15/bin; default: the embedded ones. */
  bin?: string;
  host?: string;
  port?: number;
  settings?: Readonly<Record<string, string | number>>;
  /** A command prefix, such as `['ip', 'netns', 'exec', 'a']`. */
  inside?: readonly string[];
}

const PASSWORD = 'test-password';
const USER = 'assay';
const folders = new Set<string>();
const log = createLog('silent', 'test');

/** Starts a new, empty server that accepts standbys and keeps commits durable. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = options.bin ?? (await embeddedBin());
  const cluster = await createClusterFolder();
  const passwordFile = join(dirname(cluster), 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const args = [`--pgdata=${cluster}`, `--username=${USER}`, `--pwfile=${passwordFile}`];
  args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync');
  const account = await chooseAccount(cluster);
  await promisify(execFile)(join(bin, 'initdb'), args, { ...account, cwd: cluster, env: serverEnvironment() });
  const lines = ['all', 'replication'].map((database) => `host ${database} all 0.0.0.0/0 scram-sha-256\n`);
  await appendFile(join(cluster, 'pg_hba.conf'), lines.join(''));
  return runServer({ cluster, bin, url: `postgres://${USER}:${PASSWORD}@127.0.0.1/postgres`, options });
}

/** Starts a server on an existing data directory and waits until it answers. `url` gives the user, password and database. */
export async function runServer(needs: {
  cluster: string;
  bin: string;
  url: string;
  options: PostgresServerOptions;
}): Promise<PostgresServer> {
  const { cluster, bin, options } = needs;
  const { host = '127.0.0.1', port = await freePort(), inside = [] } = options;
  const name = clusterName(cluster);
  const url = new URL(needs.url);
  url.hostname = host;
  url.port = String(port);
  const output = join(dirname(cluster), 'server.log');
  const settings = {
    ...{ listen_addresses: host, port, cluster_name: name, unix_socket_directories: '' },
    ...{ max_connections: 300, wal_keep_size: '256MB', shared_buffers: '64MB' },
    ...options.settings,
  };
  const args = ['-D', cluster, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])];
  let pid = 0;
  let exited = Promise.resolve<unknown>(undefined);

  async function start() {
    const account = await chooseAccount(cluster);
    const { program, first } = commandFor({ program: join(bin, 'postgres'), inside, account });
    // The shell opens the log file, which the server's account may not open itself.
    const child = spawn('sh', ['-c', 'exec "$0" "$@" >>"$LOG" 2>&1', program, ...first, ...args], {
      cwd: '/',
      env: { ...serverEnvironment(), LOG: output },
      ...(inside.length === 0 && account),
      detached: true,
      stdio: 'ignore',
    });
    child.unref();
    pid = child.pid!;
    let hasExited = false;
    exited = once(child, 'exit').then(() => {
      hasExited = true;
    });
    await waitUntil(async () => {
      if (hasExited) throw new Error(`PostgreSQL has exited: ${await readFile(output, 'utf8')}`);
      return isAnswering(url.href);
    }, 120_000);
  }

  async function waitForExit() {
    await exited;
    await waitUntil(async () => (await partsOf(name)).length === 0);
  }

  await writeFile(output, '', { flag: 'a', mode: 0o666 });
  await chmod(output, 0o666);
  await start();
  return {
    ...{ url: url.href, host, port, cluster, start },
    readLog: () => readFile(output, 'utf8'),
    pids: () => partsOf(name),
    async kill() {
      // After a kill of the postmaster alone, its backends might still commit.
      for (const part of [pid, ...(await partsOf(name))]) signalTo(part, 'SIGKILL');
      await waitForExit();
      await rm(join(cluster, 'postmaster.pid'), { force: true });
    },
    async stop(mode = 'fast') {
      signalTo(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await waitForExit();
    },
  };
}

/** Creates a data directory where test/support/database-server.ts finds the server of a killed run. */
export async function createClusterFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  folders.add(folder);
  await chmod(folder, 0o711);
  const cluster = join(folder, 'data', 'postgres', 'cluster');
  await mkdir(cluster, { recursive: true });
  await chmod(cluster, 0o700);
  if (process.getuid?.() === 0) {
    for (const path of [cluster, dirname(cluster)]) await chown(path, NOBODY.uid, NOBODY.gid);
  }
  return cluster;
}

export async function cleanUpServers(): Promise<void> {
  for (const folder of folders) {
    const name = clusterName(join(folder, 'data', 'postgres', 'cluster'));
    for (const pid of await partsOf(name)) signalTo(pid, 'SIGKILL');
    await waitUntil(async () => (await partsOf(name)).length === 0);
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  folders.clear();
}

export async function embeddedBin(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  folders.add(home);
  const account = process.getuid?.() === 0 ? NOBODY : {};
  return dirname((await postgresBinaries({ home, account, log })).postgres);
}

export async function withConnection<T>(url: string, run: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url, log, max: 1, applicationName: 'test' });
  return run(db).finally(() => db.close());
}

const isAnswering = (url: string) =>
  withConnection(url, (db) => db.query('select')).then(
    () => true,
    () => false,
  );

function commandFor(needs: { program: string; inside: readonly string[]; account: { uid?: number; gid?: number } }): {
  program: string;
  first: string[];
} {
  const { program, inside, account } = needs;
  if (inside.length === 0) return { program, first: [] };
  const as = account.uid === undefined ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const [outer, ...rest] = [...inside, ...(as.length > 0 ? ['setpriv', ...as] : []), program];
  return { program: outer!, first: rest };
}

/** The postmaster has the cluster name on its command line, the other processes in their titles. */
async function partsOf(name: string): Promise<number[]> {
  const found = (await processes()).filter(
    ({ command }) => command.includes(`cluster_name=${name}`) || command.startsWith(`postgres: ${name}: `),
  );
  const running = await Promise.all(found.map(async ({ pid }) => ((await isAlive(pid)) ? [pid] : [])));
  return running.flat();
}
