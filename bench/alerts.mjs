// `node bench/alerts.mjs [--seconds 20] [--rate 200] [--alerts 10]`: an indexer and a deliverer while tasks end. The time from
// the recorded end of a task to its record in the webhook of an alert that matches everything; the other alerts have words.
import './help.mjs';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openBench, option, RESULT } from './lib.mjs';

const [seconds, rate, count] = [option('seconds', 20), option('rate', 200), option('alerts', 10)];
const STEP_MS = 100;
const token = 'bench-reader';

const bench = await openBench();
const { createViews } = await import('../dist/services/catalog/views/views.js');
const { newId } = await import('../dist/base/ids.js');

const endedAt = new Map();
const latencies = [];
const deliveries = new Set();
let repeated = 0;
const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(204).end();
  const now = performance.now();
  if (deliveries.has(request.headers['webhook-id'])) return;
  deliveries.add(request.headers['webhook-id']);
  for (const { record } of JSON.parse(Buffer.concat(chunks)).data.matches) {
    if (endedAt.has(record.task_id)) latencies.push(now - endedAt.get(record.task_id));
    else repeated++;
    endedAt.delete(record.task_id);
  }
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');

try {
  Object.assign(bench.env, { SERVICES: 'defectoscopy,catalog', REPORTS_API_TOKENS: token, LOG_LEVEL: 'warn' });
  const owner = `token-${hash('sha256', token, 'hex').slice(0, 12)}`;
  const views = createViews(bench.db);
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  await views.create({ owner }, { name: 'all', query: '' }, { filters: {}, webhookUrl: url });
  for (let i = 1; i < count; i++) {
    await views.create({ owner }, { name: `${i}`, query: '' }, { filters: { q: `wall crack unknown${i}` } });
  }
  await bench.start('work', '--service', 'catalog');
  bench.start('deliver').catch(() => {}); // sends no message
  while ((await bench.db.query("select from workers where service = 'catalog'")).rowCount === 0) await delay(100);
  await delay(2000);

  const worker = { service: 'defectoscopy', worker: 'bench', leaseMs: 60_000 };
  const task = {
    ...{ service: 'defectoscopy', principal: 'bench', priority: 'realtime' },
    estimateSeconds: 1,
    ttlSeconds: 3600,
  };
  const each = Math.round((rate * STEP_MS) / 1000);
  const startedAt = performance.now();
  let ended = 0;
  for (let step = 1; step <= (seconds * 1000) / STEP_MS; step++) {
    const input = { image_url: 'https://files.assay.internal/wall.jpg' };
    await Promise.all(Array.from({ length: each }, () => bench.tasks.accept({ ...task, input, id: newId() })));
    const { claimed } = await bench.tasks.completeAndClaim([], { ...worker, limit: each });
    const endings = claimed.map(({ id, attempt }) => ({
      id,
      attempt,
      outcome: 'done',
      result: RESULT,
      processingMs: 1,
    }));
    for (const { id } of claimed) endedAt.set(id, performance.now());
    await bench.tasks.completeAndClaim(endings, { ...worker, limit: 0 });
    const ids = claimed.map(({ id }) => id);
    bench.tasks.hint('finished', ids);
    ended += ids.length;
    await delay(Math.max(0, startedAt + step * STEP_MS - performance.now()));
  }
  const perSecond = ended / ((performance.now() - startedAt) / 1000);
  for (let i = 0; i < 300 && endedAt.size > 0; i++) await delay(100);
  latencies.sort((a, b) => a - b);
  const at = (share) => `${latencies[Math.floor((latencies.length - 1) * share)]?.toFixed(0)} ms`;
  console.log(
    `${ended} endings at ${perSecond.toFixed(0)} a second, ${count} alerts: ${latencies.length} announced in ${deliveries.size} webhooks, ${endedAt.size} missing, ${repeated} repeated`,
  );
  console.log(`from the end to the webhook: median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
} finally {
  receiver.close();
  await bench.close();
}
