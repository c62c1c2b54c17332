// Soak test: runs the product under constant load and detects growing resources: node scripts/soak.mjs --minutes 60 --rate auto
// Runs `assay start` with a fast model instead of the neural network. `auto` is half of the throughput measured first.
// Results expire after --ttl seconds, so that the number of tasks stays constant. Ctrl-C prints the results so far. Linux
// only: reads /proc.
import { fork } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { exitWithUsage, parseScriptOptions } from './script-options.mjs';
import { startLoad } from './soak-load.mjs';
import { judge, median } from './soak-trend.mjs';

const USAGE = `usage: node scripts/soak.mjs [--minutes 60] [--rate auto] [--ttl 60] [--port 28011]
--rate: tasks per second, or auto: half of the measured maximum. --ttl: seconds that results are kept.`;
const options = parseScriptOptions(USAGE, {
  minutes: { type: 'string', default: '60' },
  rate: { type: 'string', default: 'auto' },
  ttl: { type: 'string', default: '60' },
  port: { type: 'string', default: '28011' },
});
const { minutes, rate, ttl, port } = options;
if (![minutes, ttl, port, rate === 'auto' ? '1' : rate].every((number) => Number(number) > 0) || Number(ttl) <= 10) {
  exitWithUsage('--minutes, --rate and --port take numbers above 0, --rate also auto, --ttl a number above 10.');
}
const SAMPLE_S = 10;
const CEILING_S = 20;
const CLIENTS = 64;
const TOKEN = 'soak-token';
const MIB = 1024 ** 2;
// Includes bloat that autovacuum leaves: dead rows, table and index sizes.
const COUNTS = `
  select (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
         (select sum(pg_table_size(c)) / 1048576.0 from unnest('{tasks,deliveries}'::regclass[]) c) as "tables, MiB",
         (select sum(pg_indexes_size(c)) / 1048576.0 from unnest('{tasks,deliveries}'::regclass[]) c) as "indexes, MiB",
         (select sum(n_dead_tup) from pg_stat_user_tables where relname in ('tasks', 'deliveries')) as "dead rows",
         (select count(*) from tasks) as "live rows",
         (select count(*) from files) as uploads,
         (select count(*) from tasks where worker is null and finished_at is null) as queue,
         (select count(*) from deliveries where due_at is not null) as deliveries
`;

ensureBuilt();
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'assay-soak-'));
const dataDir = join(folder, 'data');
const probes = join(folder, 'probes');
await mkdir(probes);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort());

const product = fork(here('../dist/main.js'), ['start'], {
  detached: true, // Ctrl-C stops only this script, which then stops the product
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  env: {
    ...process.env,
    NODE_OPTIONS: `--import=${here('soak-probe.mjs')} --import=${here('../test/support/processes/chaos-model.mjs')}`,
    SOAK_PROBES: probes,
    CHAOS_MODEL_MS: '5',
    DATA_DIR: dataDir,
    SERVICES: 'defectoscopy',
    DEFECTOSCOPY_PORT: options.port,
    DEFECTOSCOPY_API_TOKENS: TOKEN,
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
    RESULT_TTL_SECONDS: options.ttl,
    TASK_DEADLINE_SECONDS: String(Number(options.ttl) - 10),
    LOG_LEVEL: 'error',
  },
});
const ended = new Promise((resolve) => product.once('exit', resolve));
const url = `http://127.0.0.1:${options.port}`;
let code = 1;
let load;
let db;
try {
  await untilReady();
  db = await openDatabase();
  load = await startLoad({ url, token: TOKEN, renewMs: Number(options.ttl) * 250, connections: CLIENTS });
  await load.ceiling({ seconds: 5, clients: CLIENTS }); // compilers, prepared statements
  const ceiling = options.rate === 'auto' ? await load.ceiling({ seconds: CEILING_S, clients: CLIENTS }) : undefined;
  const perSecond = ceiling === undefined ? Number(options.rate) : ceiling / 2;
  const of = ceiling === undefined ? '' : `, half of the measured maximum of ${ceiling.toFixed(0)}`;
  console.log(
    `${perSecond.toFixed(0)} tasks a second${of}; results are kept for ${options.ttl} s; ${options.minutes} minutes.`,
  );
  const samples = await sampleWhile(load.steady({ perSecond, signal: stop.signal }));
  code = report(samples);
} finally {
  await load?.close();
  await db?.close();
  product.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = code;

async function untilReady() {
  for (let turn = 0; !stop.signal.aborted; turn++, await delay(200)) {
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (turn > 300 || product.exitCode !== null) throw new Error('The product does not start.');
  }
}

/** Adopts the running embedded database. */
async function openDatabase() {
  const { startEmbeddedPostgres } = await import('../dist/base/embedded-postgres.js');
  const { createLog } = await import('../dist/base/log.js');
  const { openDb } = await import('../dist/base/db.js');
  const log = createLog('silent', 'soak');
  return openDb({ url: (await startEmbeddedPostgres({ dataDir, log })).url, log, max: 1, applicationName: 'soak' });
}

async function sampleWhile(loading) {
  const samples = [];
  const startedAt = performance.now();
  load.takeTimes();
  while (!stop.signal.aborted) {
    await delay(SAMPLE_S * 1000, undefined, { signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted) break;
    const atS = (performance.now() - startedAt) / 1000;
    samples.push({ atS, values: await sample(), count: { ...load.count } });
    if (atS >= Number(options.minutes) * 60) stop.abort();
  }
  await loading;
  return samples;
}

async function sample() {
  const values = {};
  const take = (name, value) => {
    values[name] = value;
  };
  for (const { name, pid } of await productProcesses()) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const probe = JSON.parse(await readFile(join(probes, String(pid)), 'utf8').catch(() => '{}'));
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const names = await Promise.all(descriptors.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => '')));
    const sockets = names.filter((each) => each.startsWith('socket:')).length;
    take(`${name}: RSS, MiB`, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    if (probe.heapUsed) take(`${name}: heap, MiB`, probe.heapUsed / MIB);
    if (probe.handles) take(`${name}: handles`, probe.handles);
    take(`${name}: files`, descriptors.length - sockets);
    take(`${name}: sockets`, sockets);
  }
  const { rows } = await db.query(COUNTS);
  for (const [name, value] of Object.entries(rows[0])) take(`database: ${name}`, Number(value));
  const { accept, poll } = load.takeTimes();
  for (const [name, times] of Object.entries({ accept, poll })) {
    times.sort((a, b) => a - b);
    for (const p of [50, 99]) take(`clients: ${name} p${p}, ms`, times[Math.floor((times.length * p) / 100)] ?? 0);
  }
  return values;
}

/** The supervisor and its child processes by role. */
async function productProcesses() {
  const parts = [{ name: 'supervisor', pid: product.pid }];
  for (const pid of (await readdir('/proc')).filter(Number)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (Number(/PPid:\s+(\d+)/.exec(status)?.[1]) !== product.pid) continue;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const role = command[command.findIndex((word) => word.endsWith('main.js')) + 1];
    if (command.some((word) => word.endsWith('main.js'))) parts.push({ name: role, pid: Number(pid) });
  }
  return parts;
}

function report(samples) {
  const minutes = Number(options.minutes);
  const everyS = Math.max(minutes >= 20 ? 300 : (minutes * 60) / 8, SAMPLE_S);
  const names = Object.keys(samples.at(-1)?.values ?? {});
  const slots = [...new Set(samples.map(({ atS }) => Math.ceil(atS / everyS)))];
  const trends = judge(samples) ?? [];
  const rows = names.map((name) => {
    const { rise, limit, flat } = trends.find((each) => each.name === name) ?? {};
    const cells = slots.map((slot) => {
      const these = samples.filter(({ atS }) => Math.ceil(atS / everyS) === slot);
      return median(these.flatMap(({ values }) => values[name] ?? []));
    });
    return [name, ...cells.map(short), short(rise ?? 0), short(limit ?? 0), flat === false ? 'GROWS' : 'flat'];
  });
  const heads = slots.map((slot) => `to ${(slot * everyS) / 60} min`.replace(/\.(\d)\d*/, '.$1'));
  table(['', ...heads, '2nd half', 'limit', ''], rows);

  const { accepted, done, wanted, delivered, refused, underWay } = load.count;
  console.log(
    `${accepted} tasks accepted, ${done} done; ${wanted} webhooks expected, ${delivered} delivered; ${refused} requests failed.`,
  );
  for (const [message, times] of load.failures) console.log(`  ${times} × ${message}`);
  const growing = trends.filter(({ flat }) => !flat).map(({ name }) => name);
  const complete = refused === 0 && underWay === 0 && delivered >= wanted;
  if (trends.length === 0) console.log('Too short for a result.');
  else console.log(growing.length === 0 ? 'Result: flat.' : `Result: not flat: ${growing.join('; ')}.`);
  if (!complete) console.log('Some requests failed or some results are missing.');
  return trends.length > 0 && growing.length === 0 && complete ? 0 : 1;
}

function table(heads, rows) {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i].length)));
  for (const row of [heads, ...rows]) {
    console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  }
}

function short(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1);
}
