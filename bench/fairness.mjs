// `node bench/fairness.mjs [--tasks 100000] [--seconds 60]`: two gateways and one worker on the task store. One client queues
// many tasks with 50 tokens while another sends one task a second; then clients of weights 1, 2 and 4 share the worker.
import './help.mjs';
import { setTimeout as delay } from 'node:timers/promises';
import { openBench, option, RESULT } from './lib.mjs';

const bench = await openBench();
const { createPostgresTaskStore } = await import('../dist/tasks/postgres.js');
const { newId } = await import('../dist/base/ids.js');

const SLOTS = 4;
const PROCESSING_MS = 200;
const weights = new Map([
  ['two', 2],
  ['four', 4],
]);
const gateways = [0, 1].map(() => createPostgresTaskStore(bench.db, { weights, batchSharePercent: 5 }));
const task = (owner, token = 0) => ({
  ...{ id: newId(), service: 'a', owner, principal: `${owner}-${token}`, priority: 'realtime' },
  ...{ input: {}, estimateSeconds: 1, deadlineSeconds: 36_000, ttlSeconds: 72_000 },
});
const stop = new AbortController();
for (const gateway of gateways) {
  void (async () => {
    while (!stop.signal.aborted)
      await gateway
        .queueDepth('a')
        .then(() => delay(1000, undefined, { signal: stop.signal }))
        .catch(() => {});
  })();
}

async function queue(owner, count) {
  for (let left = count; left > 0; left -= 2000) {
    const part = Array.from({ length: Math.min(left, 2000) }, (_, i) => gateways[i % 2].accept(task(owner, i % 50)));
    await Promise.all(part);
  }
}

/** Time from the accept to the recorded result of each task of the client `light`. */
const finished = new Map();
void (async () => {
  const worker = createPostgresTaskStore(bench.db, { batchSharePercent: 5 });
  const wake = { notify() {} };
  worker.onHint('waiting:a', () => wake.notify(), stop.signal);
  const results = [];
  let free = SLOTS;
  while (!stop.signal.aborted) {
    const sent = results.splice(0);
    const request = { service: 'a', worker: 'bench', limit: free, leaseMs: 60_000, busy: free < SLOTS };
    const { ended, claimed } = await worker.completeAndClaim(sent, request);
    for (const id of ended) finished.get(id)?.();
    free -= claimed.length;
    for (const { id, attempt } of claimed) {
      setTimeout(() => {
        results.push({ id, attempt, outcome: 'done', result: RESULT, processingMs: PROCESSING_MS });
        free++;
        wake.notify();
      }, PROCESSING_MS);
    }
    if (results.length === 0) {
      await new Promise((resolve) => {
        wake.notify = resolve;
        setTimeout(resolve, 1000);
      });
    }
  }
  worker.close();
})();

async function light(seconds) {
  const times = [];
  for (let second = 0; second < seconds; second++) {
    const one = task('light');
    const startedAt = performance.now();
    const done = new Promise((resolve) => finished.set(one.id, resolve));
    await gateways[second % 2].accept(one);
    await done;
    times.push(performance.now() - startedAt);
    await delay(Math.max(0, 1000 - times.at(-1)));
  }
  return times.sort((a, b) => a - b);
}
const at = (times, share) => times[Math.floor(times.length * share)];
const describe = (times) => `median ${at(times, 0.5).toFixed(0)} ms, p99 ${at(times, 0.99).toFixed(0)} ms`;

try {
  const seconds = option('seconds', 60);
  const idle = await light(seconds);
  console.log(`one task a second, idle system:       ${describe(idle)}`);
  await queue('heavy', option('tasks', 100_000));
  const busy = await light(seconds);
  console.log(`behind ${option('tasks', 100_000)} tasks of 50 tokens: ${describe(busy)}`);
  console.log(`ratio of p99: ${(at(busy, 0.99) / at(idle, 0.99)).toFixed(2)}`);

  stop.abort();
  await delay(2 * PROCESSING_MS);
  await bench.db.query('truncate tasks, client_queues cascade');
  for (const owner of ['one', 'two', 'four']) await queue(owner, 4000);
  const request = { service: 'a', worker: 'shares', limit: 7, leaseMs: 600_000 };
  const counts = { one: 0, two: 0, four: 0 };
  for (let i = 0; i < 500; i++) {
    const { claimed } = await gateways[0].completeAndClaim([], request);
    for (const { principal } of claimed) counts[principal.split('-')[0]]++;
  }
  const total = counts.one + counts.two + counts.four;
  const shares = Object.entries(counts).map(([owner, n]) => `${owner} ${((100 * n) / total).toFixed(1)} %`);
  console.log(`weights 1:2:4, ${total} claims: ${shares.join(', ')} (14.3 %, 28.6 %, 57.1 %)`);
} finally {
  stop.abort();
  for (const gateway of gateways) gateway.close();
  await bench.close();
}
