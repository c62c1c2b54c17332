// `node bench/estimate.mjs [--seconds 180]`: how well `estimated_wait_seconds` predicts the time to the end of a task, for
// ESTIMATE_MODE=fixed and learned. One gateway, PostgreSQL, and for each scenario a service with one worker whose model only
// waits. All scenarios run at the same time.
import './help.mjs';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { openBench, option, RESULT } from './lib.mjs';

const bench = await openBench();
const { createPostgresTaskStore } = await import('../dist/tasks/postgres.js');
const { createPostgresWorkerStore } = await import('../dist/tasks/workers.js');
const { createWorkerRegistry } = await import('../dist/tasks/worker-registry.js');
const { createEstimates } = await import('../dist/tasks/estimates.js');
const { createWorkMetrics } = await import('../dist/roles/metrics.js');
const { work } = await import('../dist/roles/work.js');
const { createLog } = await import('../dist/base/log.js');
const { newId } = await import('../dist/base/ids.js');

const SECONDS = option('seconds', 180);
const WARM_UP_SECONDS = 30;
const SLOTS = 4;
const COLD_START_SECONDS = 4;
/** Short, so that what is learned matters within the time of the benchmark. */
const ESTIMATES = { warmSeconds: 2, coldSeconds: 2 + COLD_START_SECONDS };
const log = createLog('error', 'bench');
const stop = new AbortController();
const { signal } = stop;
setMaxListeners(0, signal);

const exponential = (mean) => -Math.log(1 - Math.random()) * mean;
const wait = (seconds) => delay(seconds * 1000, undefined, { signal });

/** Sends tasks with exponentially distributed pauses. */
async function stream(send, perSecond, seconds) {
  const end = performance.now() + seconds * 1000;
  let next = performance.now();
  while (next < end) {
    next += exponential(1000 / perSecond);
    await wait(Math.max(0, (next - performance.now()) / 1000));
    send();
  }
}
const burst = (send, count) => void Array.from({ length: count }, () => send());

/** At most 10 tasks a second end. */
const short = () => exponential(0.4);
const scenarios = {
  'steady load of 80 %': { duration: short, run: (send, seconds) => stream(() => send(), 8, seconds) },
  'bursts of 300 tasks': {
    duration: short,
    async run(send, seconds) {
      for (let i = 0; i < 3; i++) {
        burst(() => send(), 300);
        await stream(() => send(), 2, seconds / 3);
      }
    },
  },
  'cold starts with 100 tasks': {
    duration: short,
    isOnDemand: true,
    async run(send, seconds) {
      for (let i = 0; i < 3; i++) {
        burst(() => send(), 100);
        await wait(seconds / 3);
      }
    },
  },
  'two clients, backlog 1:100': {
    duration: short,
    async run(send, seconds) {
      burst(() => send({ owner: 'heavy' }), 1000);
      await Promise.all([
        stream(() => send({ owner: 'heavy' }), 5, seconds),
        stream(() => burst(() => send({ owner: 'light' }), 10), 0.1, seconds),
      ]);
    },
  },
  'long and short tasks': {
    duration: () => (Math.random() < 0.05 ? 5 + exponential(1) : 0.1),
    async run(send, seconds) {
      burst(() => send(), 100);
      await stream(() => send(), 8, seconds);
    },
  },
  'batch behind realtime': {
    duration: short,
    async run(send, seconds) {
      const archive = () => send({ owner: 'archive', priority: 'batch' });
      const bursts = async () => {
        for (let i = 0; i < 3; i++) {
          burst(archive, 40);
          await wait(seconds / 3);
        }
      };
      await Promise.all([stream(() => send(), 5, seconds), stream(archive, 1, seconds), bursts()]);
    },
  },
};

const services = Object.keys(scenarios);
const tasks = createPostgresTaskStore(bench.db, { batchSharePercent: 5 });
const workers = createPostgresWorkerStore(bench.db);
const workerRegistry = await createWorkerRegistry({ workers, tasks, services, signal, log });
const deps = {
  db: bench.db,
  workerRegistry,
  weights: new Map(),
  deadlineSeconds: 82_800,
  signal,
  log,
  refreshMs: 1000,
};
const modes = {
  fixed: createEstimates({ ...deps, mode: 'fixed' }),
  learned: createEstimates({ ...deps, mode: 'learned' }),
};

/** Runs a worker until `until` resolves. */
async function runWorker(service, duration, until) {
  const ended = new AbortController();
  const registry = new Registry();
  const running = work({
    ...{ id: newId(), service, tasks, workers, maxAttempts: 3, log, signal: ended.signal },
    workMetrics: createWorkMetrics(service, registry),
    metrics: () => registry.getMetricsAsJSON(),
    async load() {
      await delay(COLD_START_SECONDS * 1000);
      return {
        ...{ concurrency: SLOTS, timeLimitMs: 600_000, info: () => ({}), versions: () => [], close: async () => {} },
        async run() {
          await delay(duration() * 1000);
          return { result: RESULT };
        },
      };
    },
  });
  await until();
  ended.abort();
  await running;
}

const unfinished = async (service) => {
  const { waiting, processing } = await tasks.queueDepth(service);
  return waiting.realtime + waiting.batch + processing;
};

async function runOnDemand(service, duration) {
  while (!signal.aborted) {
    if ((await unfinished(service)) > 0) {
      await runWorker(service, duration, async () => {
        while ((await unfinished(service)) > 0) await delay(500);
      });
    }
    await delay(500);
  }
}

/** Not measured: after these tasks, the estimates have been learned. */
async function warmUp(send) {
  burst(send, 60);
  await stream(send, 5, WARM_UP_SECONDS);
}

async function runScenario([service, { duration, run, isOnDemand = false }]) {
  const sent = new Map();
  const accepted = [];
  let isMeasured = false;
  const send = ({ owner = 'client', priority = 'realtime' } = {}) => {
    const task = { id: newId(), service, priority, owner };
    const estimates = Object.entries(modes).map(([mode, { estimate }]) => {
      const { seconds, onAccepted } = estimate(task, ESTIMATES);
      onAccepted(task.id);
      return [mode, seconds];
    });
    if (isMeasured) sent.set(task.id, { owner, priority, ...Object.fromEntries(estimates) });
    const times = { deadlineSeconds: 36_000, ttlSeconds: 72_000 };
    accepted.push(tasks.accept({ ...task, ...times, principal: owner, input: {}, estimateSeconds: 1 }));
  };
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const working = isOnDemand ? runOnDemand(service, duration) : runWorker(service, duration, () => stopped);
  if (!isOnDemand) await delay(COLD_START_SECONDS * 1000 + 2000);
  await warmUp(() => send());
  while ((await unfinished(service)) > 0) await delay(500);
  isMeasured = true;
  await run(send, SECONDS);
  await Promise.all(accepted);
  while ((await unfinished(service)) > 0) await delay(500);
  return { service, sent, working };
}

/** Share of the tasks that end within the estimate, and the median of estimate / actual. */
function describe(mode, rows) {
  const met = rows.filter((row) => row.seconds <= row[mode]).length / rows.length;
  const ratios = rows.map((row) => row[mode] / row.seconds).sort((a, b) => a - b);
  return `${met.toFixed(3).padStart(7)} ${ratios[Math.floor(ratios.length / 2)].toFixed(2).padStart(6)}`;
}

try {
  const results = await Promise.all(Object.entries(scenarios).map(runScenario));
  stop.abort();
  await Promise.all(results.map(({ working }) => working));
  const columns = Object.keys(modes).map((mode) => mode.padStart(14));
  console.log(`${'share within the estimate, median ratio'.padEnd(46)} tasks${columns.join('')}`);
  for (const { service, sent } of results) {
    const { rows } = await bench.db.query(
      'select id, extract(epoch from finished_at - queued_at)::float8 as seconds from tasks where service = $1',
      [service],
    );
    const groups = new Map();
    for (const { id, seconds } of rows) {
      if (!sent.has(id)) continue;
      const { owner, priority, ...estimates } = sent.get(id);
      const name = [service, ...(owner === 'client' ? [] : [owner]), priority].join(', ');
      groups.set(name, [...(groups.get(name) ?? []), { seconds, ...estimates }]);
    }
    for (const [name, group] of groups) {
      const figures = Object.keys(modes).map((mode) => describe(mode, group));
      console.log(`${name.padEnd(46)} ${String(group.length).padStart(5)}${figures.join('')}`);
    }
  }
} finally {
  stop.abort();
  tasks.close();
  await bench.close();
}
