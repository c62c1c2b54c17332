import { hash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { sleep } from '../../src/base/loop.ts';
import { createViews } from '../../src/services/catalog/views/views.ts';
import { createPostgresTaskStore } from '../../src/tasks/postgres.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { testDatabase } from '../support/database.ts';
import {
  cleanUp,
  createInstancePlace,
  type Assay as Process,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { waitUntil } from '../support/processes/until.ts';
import { startReceiver } from '../support/receiver.ts';

const SECONDS = 20;
const WRITERS = 4;
/** Endings per writer and batch; 200 endings a second in all. */
const BATCH = 10;
const BATCH_INTERVAL_MS = 200;
const KILL_INTERVAL_MS = 2000;
const CATCH_UP_MS = 180_000;

const service = 'defectoscopy';
const READER = 'reader-token-1';
const owner = `token-${hash('sha256', READER, 'hex').slice(0, 12)}`;

afterEach(cleanUp);

it('Alerts announce each record once while indexers and deliverers are killed under 200 endings a second', {
  timeout: 400_000,
}, async () => {
  const database = await testDatabase();
  const tasks = createPostgresTaskStore(database.db);
  const receiver = await startReceiver((n) => (n % 10 === 3 ? 503 : 204));
  const place = await createInstancePlace();
  const env = {
    ...{ DATABASE_URL: database.url, SERVICES: 'defectoscopy,catalog', REPORTS_API_TOKENS: READER, LOG_LEVEL: 'warn' },
    ...{ WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1,1,1,1,1,1', WEBHOOK_TIMEOUT_SECONDS: '1' },
  };
  const commands = [['work', '--service', 'catalog'], ['work', '--service', 'catalog'], ['deliver'], ['deliver']];
  const processes: Process[] = commands.map((args) => startAssay(place, { args, env }));
  const views = createViews(database.db, async () => [owner]);
  const alertOf = (name: string, filters: object) =>
    views.create({ owner }, { name, query: '' }, { filters, webhookUrl: receiver.url });
  const [all, failed] = [await alertOf('all', {}), await alertOf('failed', { status: ['failed'] })];
  // The indexer declares its sources.
  await waitUntil(async () => (await database.db.query('select from catalog_sources')).rowCount > 0, 120_000);

  const calm = new AbortController();
  let killed = 0;
  const faults = (async () => {
    for (let index = 0; !calm.signal.aborted; index = (index + 1) % commands.length) {
      await sleep(KILL_INTERVAL_MS, calm.signal);
      signalTo(processes[index]!.pid, 'SIGKILL');
      killed++;
      processes[index] = startAssay(place, { args: commands[index]!, env });
    }
  })();
  const startedMs = performance.now();
  const endings = (await Promise.all(Array.from({ length: WRITERS }, (_, n) => endTasks(tasks, `writer-${n}`)))).flat();
  const rate = (endings.length / (performance.now() - startedMs)) * 1000;
  calm.abort();
  await faults;

  const received = () => {
    const deliveries = new Map(
      receiver.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).data] as const),
    );
    return (view: { readonly id: string }): string[] =>
      [...deliveries.values()]
        .filter((data) => data.view.id === view.id)
        .flatMap(({ matches }) => matches.map(({ record }: { record: { task_id: string } }) => record.task_id));
  };
  await waitUntil(async () => received()(all).length >= endings.length, CATCH_UP_MS);
  await waitUntil(async () => (await tasks.pendingDeliveries()) === 0, CATCH_UP_MS);
  console.log(`${endings.length} endings at ${rate.toFixed(0)} a second; processes were killed ${killed} times.`);

  expect(killed).toBeGreaterThanOrEqual(4);
  const idsOf = received();
  expect(idsOf(all).sort()).toEqual(endings.map(({ id }) => id).sort());
  const failures = endings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  expect(idsOf(failed).sort()).toEqual(failures.sort());
  tasks.close();
  await cleanUp();
  await receiver.close();
  await database.drop();
});

/** Ends tasks in batches, every third one as failed. */
async function endTasks(tasks: TaskStore, worker: string) {
  const all: { id: string; outcome: 'done' | 'failed' }[] = [];
  const want = { service, worker, leaseMs: 60_000 };
  const failure = { code: 'IMAGE_CORRUPT', message: 'The image cannot be decoded.' };
  const result = { surface: 'concrete_wall', masters: [], defects: [{ name: 'crack', conf: 0.9 }] };
  const input = { image_url: 'https://storage.example.com/wall.jpg' };
  const task = { ...{ service, principal: 'writer', input, estimateSeconds: 1 }, ttlSeconds: 3600 };
  const endMs = performance.now() + SECONDS * 1000;
  while (performance.now() < endMs) {
    const pause = sleep(BATCH_INTERVAL_MS);
    await Promise.all(
      Array.from({ length: BATCH }, () => tasks.accept({ ...task, priority: 'realtime', id: newId() })),
    );
    const { claimed } = await tasks.completeAndClaim([], { ...want, limit: BATCH });
    const endings = claimed.map(({ id, attempt }, n) => ({
      ...{ id, attempt, processingMs: 1 },
      ...(n % 3 === 0 ? { outcome: 'failed' as const, failure } : { outcome: 'done' as const, result }),
    }));
    const { ended } = await tasks.completeAndClaim(endings, { ...want, limit: 0 });
    all.push(...endings.filter(({ id }) => ended.includes(id)).map(({ id, outcome }) => ({ id, outcome })));
    tasks.hint('finished', ended);
    await pause;
  }
  return all;
}
