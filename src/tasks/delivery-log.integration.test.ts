import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createDeliveryLog, LIST } from './delivery-log.ts';
import { createPostgresTaskStore } from './postgres.ts';
import { deletePastPaces } from './redelivery.ts';
import type { DeliveryOutcome } from './store.ts';

const OWNER = { service: 'a', principal: 'p' };

let database: TestDatabase;
let store: ReturnType<typeof createPostgresTaskStore>;
beforeAll(async () => {
  database = await testDatabase();
  store = createPostgresTaskStore(database.db);
});
afterAll(async () => {
  store.close();
  await database.drop();
});

/** A task that has ended, with a due delivery. */
async function endTask(deliveryId = newId('whd_')) {
  const id = newId();
  const task = { ...OWNER, id, priority: 'realtime', input: {}, estimateSeconds: 1, ttlSeconds: 3600 } as const;
  await store.accept({ ...task, webhook: { deliveryId, url: 'https://r.example/hook' } });
  await store.cancel('a', id);
  return { id, deliveryId };
}

async function attempt(outcome: DeliveryOutcome) {
  const { queues } = await store.findDueDeliveries(1000);
  const [due] = await store.claimDueDeliveries([{ ...queues[0]!, limit: 1 }], 60_000);
  await store.recordDelivery(due!.id, due!.attempt, outcome);
  return due!;
}

const failed = { state: 'pending', delayMs: 0, error: 'http_status', statusCode: 500, durationMs: 7 } as const;

it('keeps the outcomes of the last 20 attempts', async () => {
  const { id } = await endTask();
  for (let n = 0; n < 24; n++) await attempt(failed);
  await attempt({ state: 'postponed', delayMs: 0 });
  await attempt({ state: 'delivered' });
  const [delivery] = await createDeliveryLog(database.db).list(OWNER, { taskId: id }, 10);
  expect(delivery!.log.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
  expect(delivery!.log[0]).toEqual({ attempt: 6, at: expect.any(Number), ms: 7, status: 500, error: 'http_status' });
  expect(delivery!.log.at(-1)).toEqual({ attempt: 25, at: expect.any(Number) });
});

it('starts the schedule of a redelivered delivery again, and continues it after the task has expired', async () => {
  const log = createDeliveryLog(database.db);
  const { id, deliveryId } = await endTask();
  await attempt(failed);
  await attempt({ state: 'failed', error: 'timeout' });
  expect(await log.redeliver(OWNER, { taskId: id })).toMatchObject({ outcome: 'queued', count: 1 });
  const countPaces = async () => (await database.db.query('select from redelivery_pace')).rowCount;
  await database.db.query("update redelivery_pace set next_at = now() + interval '1 minute'");
  await deletePastPaces(database.db);
  expect(await countPaces()).toBe(1);
  await database.db.query("update redelivery_pace set next_at = now() - interval '1 second'");
  await deletePastPaces(database.db);
  expect(await countPaces()).toBe(0);
  await database.db.query("update tasks set expires_at = now() - interval '1 second' where id = $1", [id]);
  await store.sweep({ services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 60, rows: 100 });
  expect(await log.list(OWNER, { taskId: id }, 10)).toEqual([]);
  expect(await attempt(failed)).toMatchObject({ id: deliveryId, attempt: 3, scheduledAttempt: 1 });
  expect(await attempt({ state: 'delivered' })).toMatchObject({ id: deliveryId, attempt: 4, scheduledAttempt: 2 });
});

it('reads a page of one client without the deliveries of others', async () => {
  const { db } = database;
  await db.query(
    `insert into tasks (id, service, principal, status, input, estimate_seconds, finished_at)
     select 'many' || n, 'a', 'q', 'done', '{}', 1, now() from generate_series(1, 20000) n`,
  );
  await db.query(
    `insert into deliveries (id, task_id, principal, url, origin, state)
     select 'd' || n, 'many' || n, 'q', 'https://r.example/', 'https://r.example', 'failed' from generate_series(1, 20000) n`,
  );
  await db.query('analyze');
  const log = createDeliveryLog(db);
  const { rows } = await db.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, timing off) ${LIST.text}`, [
    ...['a', 'p', ['failed'], null, null, 100],
  ]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Scan.* using deliveries_by_client/);
  expect(plan).not.toMatch(/rows=[\d.]{5,}/);
  const page = await log.list({ ...OWNER, principal: 'q' }, { state: 'failed' }, 100, 'd5');
  expect(page).toHaveLength(100);
});
