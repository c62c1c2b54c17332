// What the benchmarks share: the product's own processes on a database of their own, a bare Fastify beside them, load
// from this process, and medians. Ratios of one run are what counts: the machines are noisy.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { ensureBuilt } from '../scripts/build.mjs';

export const TOKEN = 'bench-token';
export const CLIENTS = 64;

ensureBuilt();
const dist = (path) => new URL(`../dist/${path}`, import.meta.url);

/** A durable embedded PostgreSQL in a new folder, migrated; with the environment that the product's processes need. */
export async function openBench() {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const { startEmbeddedPostgres } = await import(dist('base/embedded-postgres.js'));
  const { createLog } = await import(dist('base/log.js'));
  const { openDb } = await import(dist('base/db.js'));
  const { migrate } = await import(dist('base/migrate.js'));
  const { postgresTaskStore } = await import(dist('tasks/postgres.js'));
  const log = createLog('error', 'bench');
  const server = await startEmbeddedPostgres({ dataDir, log });
  const db = openDb({ url: server.url, log });
  await migrate(db, new URL('../migrations/', import.meta.url));
  const tasks = postgresTaskStore(db);
  const children = new Set();
  const env = {
    ...process.env,
    APP_ENV: 'test',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: server.url,
    FILES_HOST: 'files.assay.internal',
    DEFECTOSCOPY_PORT: '0',
    DEFECTOSCOPY_API_TOKENS: TOKEN,
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  return {
    dataDir,
    db,
    tasks,
    env,
    /** Starts `assay …args` and answers its first message (where it listens), or nothing for what sends none. */
    start: (...args) => startChild(children, fileURLToPath(dist('main.js')), args, env),
    /** Starts a program of this folder. */
    startBare: (file, ...args) => startChild(children, fileURLToPath(new URL(file, import.meta.url)), args, env),
    async close() {
      for (const child of children) child.kill('SIGTERM');
      await Promise.all([...children].map((child) => new Promise((done) => child.once('exit', done))));
      tasks.close();
      await db.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Requests per second of one endpoint under `CLIENTS` clients; any answer but 2xx stops the benchmark. */
export async function load(request, seconds) {
  const result = await autocannon({ connections: CLIENTS, duration: seconds, ...request });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 };
}

/** Runs `bare` and `product` in turn and prints both with their ratio, run by run, then the medians. */
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

/** `--name value` from the command line. */
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
