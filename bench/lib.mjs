// Shared by the benchmarks: the product's processes on their own database, a bare Fastify server, load generation, and
// medians. Machines are noisy, so only the ratios within one run are meaningful.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { ensureBuilt } from '../scripts/build.mjs';
import { RESULT } from './result.mjs';

export { RESULT };

export const TOKEN = 'bench-token';
export const CLIENTS = 64;

ensureBuilt();
const dist = (path) => new URL(`../dist/${path}`, import.meta.url);

/**
 * Starts a migrated embedded PostgreSQL (fsync on), and provides the environment of the product's processes. Its data are in a new
 * folder, or in `kept`, which is not deleted.
 */
export async function openBench(kept) {
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'assay-bench-')));
  const { startEmbeddedPostgres } = await import(dist('base/embedded-postgres.js'));
  const { createLog } = await import(dist('base/log.js'));
  const { openDb } = await import(dist('base/db.js'));
  const { migrate } = await import(dist('base/migrate.js'));
  const { createPostgresTaskStore } = await import(dist('tasks/postgres.js'));
  const log = createLog('error', 'bench');
  const server = await startEmbeddedPostgres({ dataDir, log });
  const db = openDb({ url: server.url, log });
  await migrate(db, new URL('../migrations/', import.meta.url));
  const tasks = createPostgresTaskStore(db);
  const children = new Set();
  const env = {
    ...process.env,
    APP_ENV: 'test',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: server.url,
    FILES_HOST: 'files.assay.internal',
    DEFECTOSCOPY_PORT: '0',
    STT_PORT: '0',
    PASSPORTS_PORT: '0',
    CATALOG_PORT: '0',
    DEFECTOSCOPY_API_TOKENS: TOKEN,
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
    DEFECTOSCOPY_MAX_WAITING: '0',
    LOG_LEVEL: 'error',
  };
  return {
    dataDir,
    db,
    tasks,
    env,
    /** Starts `assay …args`; resolves with its first message, or at once for workers. */
    start: (...args) => startChild(children, fileURLToPath(dist('main.js')), args, env),
    startBare: (file, ...args) => startChild(children, fileURLToPath(new URL(file, import.meta.url)), args, env),
    slowDb: () => openDb({ url: server.url, log, statementTimeoutMs: 600_000 }),
    /**
     * Wall time and CPU time of gateway and database per operation; `run` returns the number of operations. CPU time is
     * meaningful on busy machines too.
     */
    async measured(gateway, run) {
      const pid = await serverOf(dataDir);
      const before = cpuMicros(gateway.pid, pid);
      const startedAt = performance.now();
      const count = await run();
      const wall = ((performance.now() - startedAt) * 1000) / count;
      const after = cpuMicros(gateway.pid, pid);
      const perOperation = {
        wall,
        gateway: (after.gateway - before.gateway) / count,
        database: cpuDifference(before.database, after.database) / count,
      };
      const line = Object.values(perOperation)
        .map((micros) => micros.toFixed(1).padStart(12))
        .join('');
      return { count, perOperation, line };
    },
    async claimAndEnd(count, limit) {
      const request = { service: 'defectoscopy', worker: 'bench', limit, leaseMs: 60_000 };
      let ended = 0;
      for (let results = []; ended < count; ) {
        const { claimed } = await tasks.completeAndClaim(results, request);
        ended += results.length;
        if (claimed.length === 0) break;
        results = claimed.map(({ id, attempt }) => ({
          id,
          attempt,
          outcome: 'done',
          result: RESULT,
          processingMs: 40,
        }));
      }
      return ended;
    },
    async close() {
      for (const child of children) child.kill('SIGTERM');
      await Promise.all([...children].map((child) => new Promise((done) => child.once('exit', done))));
      tasks.close();
      await db.close();
      await server.stop();
      if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Requests per second with `CLIENTS` clients; a response other than 2xx stops the benchmark. `pathsOf` gives each
 * client its own paths.
 */
export async function load({ pathsOf, ...request }, seconds) {
  const setup = pathsOf && {
    setupClient: (client) => client.setRequests(pathsOf().map((path) => ({ ...request, path }))),
  };
  const result = await autocannon({ connections: CLIENTS, duration: seconds, ...request, ...setup });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} error responses, ${result.errors} errors`);
  return { perSecond: result.requests.average, p99Ms: result.latency.p99, count: result.requests.total };
}

/** A function that returns the CPU time of gateway and database so far, in microseconds. */
export async function cpuReader(dataDir, gateway) {
  const server = await serverOf(dataDir);
  return () => {
    const { gateway: own, database } = cpuMicros(gateway, server);
    return [...database.values()].reduce((sum, micros) => sum + micros, own);
  };
}

const serverOf = async (dataDir) =>
  Number((await readFile(`${dataDir}/postgres/cluster/postmaster.pid`, 'utf8')).split('\n')[0]);

function cpuMicros(gateway, server) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server);
  const database = processes.filter((pid) => !nameOf(pid).includes('autovacuum worker'));
  return { gateway: cpuOf(gateway), database: new Map(database.map((pid) => [pid, cpuOf(pid)])) };
}

function cpuDifference(before, after) {
  let sum = 0;
  for (const [pid, micros] of after) sum += micros - (before.get(pid) ?? 0);
  return sum;
}

function nameOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return undefined;
  }
}

function cpuOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000)
      .reduce((total, micros) => total + micros, 0);
  } catch {
    return 0;
  }
}

export async function compare(title, { runs, bare, product }) {
  console.log(`\n${title}\n  run        bare     product     ratio`);
  const rows = [];
  for (let run = 1; run <= runs; run++) {
    const row = { bare: await bare(), product: await product() };
    rows.push({ ...row, ratio: row.product / row.bare });
    print(String(run), rows.at(-1));
  }
  const middle = (key) => median(rows.map((row) => row[key]));
  const medians = { bare: middle('bare'), product: middle('product'), ratio: middle('ratio') };
  print('median', medians);
  return medians;
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export function option(name, fallback) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
}

const print = (label, { bare, product, ratio }) =>
  console.log(
    `  ${label.padEnd(6)} ${bare.toFixed(1).padStart(8)} ${product.toFixed(1).padStart(11)} ${ratio.toFixed(2).padStart(9)}`,
  );

function startChild(children, file, args, env) {
  const child = fork(file, args, { env });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve({ child, message }));
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
    if (args[0] === 'work') resolve({ child });
  });
}
