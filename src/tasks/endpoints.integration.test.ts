import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createEndpoints } from './endpoints.ts';
import { createEventStore } from './events.ts';
import { createPostgresTaskStore } from './postgres.ts';
import type { DeliveryOutcome } from './store.ts';

const ORIGIN = 'https://r.example';
const FAILED = { state: 'pending', delayMs: 60_000, error: 'timeout' } as const;
const DELIVERED = { state: 'delivered', statusCode: 204 } as const;
const DAY_SECONDS = 86_400;

let database: TestDatabase;
let store: ReturnType<typeof createPostgresTaskStore>;
let endpoints: ReturnType<typeof createEndpoints>;
let clients = 0;
/** Each test has its own client, so its own endpoint. */
let principal = '';
beforeAll(async () => {
  database = await testDatabase();
  store = createPostgresTaskStore(database.db);
  endpoints = createEndpoints(database.db);
});
beforeEach(() => {
  principal = `client-${clients++}`;
});
afterAll(async () => {
  store.close();
  await database.drop();
});

/** Ends a task with a webhook; returns the delivery id. */
async function endTask({ ttlSeconds = 3600, url = `${ORIGIN}/hook`, owner = principal } = {}) {
  const id = newId();
  const deliveryId = newId('whd_');
  const task = { service: 'a', id, priority: 'realtime', input: {}, estimateSeconds: 1, ttlSeconds } as const;
  await store.accept({ ...task, principal: owner, webhook: { deliveryId, url } });
  await store.cancel('a', id);
  return { id, deliveryId };
}

const claim = (origin = ORIGIN, owner = principal) =>
  store.claimDueDeliveries([{ principal: owner, origin, since: 0, limit: 100 }], 60_000);

/** One attempt at each due delivery; returns their ids. */
async function attemptAll(outcome: DeliveryOutcome, origin = ORIGIN, owner = principal) {
  const due = await claim(origin, owner);
  for (const { id, attempt } of due) await store.recordDelivery(id, attempt, outcome);
  return due.map(({ id }) => id);
}

/** As if the time of the endpoint had passed. */
const age = (seconds: number) =>
  database.db.query(
    `update webhook_endpoints
        set failing_since  = failing_since - make_interval(secs => $2),
            last_failed_at = last_failed_at - make_interval(secs => $2)
      where principal = $1`,
    [principal, seconds],
  );
const list = () => endpoints.list(principal);
const heldIds = async () => {
  const { rows } = await database.db.query<{ id: string }>(
    "select id from deliveries where principal = $1 and due_at = 'infinity' order by id",
    [principal],
  );
  return rows.map(({ id }) => id);
};
const makeDue = () =>
  database.db.query("update deliveries set due_at = now() where principal = $1 and due_at < 'infinity'", [principal]);

/** Fails ten times over a day, the last time for the returned delivery. */
async function pause() {
  for (let n = 0; n < 9; n++) {
    await endTask();
    await attemptAll({ state: 'failed', error: 'timeout' });
    await age(DAY_SECONDS / 8);
  }
  const last = await endTask();
  await attemptAll(FAILED);
  return last;
}

it('pauses an endpoint after a day of failed attempts, and records that in the event feed once', async () => {
  const { id, deliveryId } = await pause();
  expect(await list()).toMatchObject([{ origin: ORIGIN, failures: 10, pausedAt: expect.any(Number), held: 0 }]);
  await endpoints.maintain();
  expect(await heldIds()).toEqual([deliveryId]);
  await age(3600);
  await endpoints.maintain();
  await attemptAll(FAILED);
  const events = createEventStore(database.db);
  await events.numberNew();
  const reading = await events.read({ service: 'a', principal }, 'earliest', 100);
  const pauses = reading.outcome === 'page' && reading.events.filter(({ kind }) => kind === 'paused');
  expect(pauses).toEqual([expect.objectContaining({ taskId: id, endpoint: ORIGIN, status: null })]);
});

const succeed = async () => {
  await endTask();
  await attemptAll(DELIVERED);
};

it.each([
  ['an attempt succeeded in between', succeed],
  ['there was a day without attempts', () => age(DAY_SECONDS + 1)],
])('does not pause an endpoint if %s', async (_, happen) => {
  for (let n = 0; n < 15; n++) {
    if (n === 7) await happen();
    await endTask();
    await attemptAll({ state: 'failed', error: 'http_status' });
    await age(DAY_SECONDS / 8);
  }
  expect(await list()).toMatchObject([{ pausedAt: null, failures: 8 }]);
});

it('does not pause an endpoint after fewer than ten failed attempts, or within a day', async () => {
  for (let n = 0; n < 9; n++) {
    await endTask();
    await attemptAll({ state: 'failed', error: 'http_status' });
    await age(DAY_SECONDS / 2);
  }
  expect(await list()).toMatchObject([{ pausedAt: null, failures: 9 }]);
  principal += '-quick';
  for (let n = 0; n < 12; n++) await endTask();
  await attemptAll({ state: 'failed', error: 'http_status' });
  await age(DAY_SECONDS - 60);
  await endTask();
  await attemptAll({ state: 'failed', error: 'http_status' });
  expect(await list()).toMatchObject([{ pausedAt: null, failures: 13 }]);
});

it('holds new deliveries and retries of a paused endpoint, and not those of other endpoints and clients', async () => {
  const { deliveryId: retried } = await pause();
  const { deliveryId: fresh } = await endTask();
  expect(await claim()).toEqual([]);
  await endpoints.maintain();
  expect(await heldIds()).toEqual([retried, fresh].sort());
  expect(await store.findDueDeliveries(1000)).toMatchObject({ queues: [] });
  const other = await endTask({ url: 'https://other.example/hook' });
  expect(await attemptAll(DELIVERED, 'https://other.example')).toEqual([other.deliveryId]);
  const neighbour = await endTask({ owner: `${principal}-neighbour` });
  expect(await attemptAll(DELIVERED, ORIGIN, `${principal}-neighbour`)).toEqual([neighbour.deliveryId]);
});

it('probes a paused endpoint once an hour with the delivery that has waited longest', async () => {
  const { deliveryId: retried } = await pause();
  const { deliveryId: fresh } = await endTask();
  await endpoints.maintain();
  expect(await claim()).toEqual([]);
  const probed: string[] = [];
  for (let hour = 0; hour < 3; hour++) {
    await age(3601);
    await endpoints.maintain();
    await endpoints.maintain();
    probed.push(...(await attemptAll(FAILED)));
    await endpoints.maintain();
    expect(await claim()).toEqual([]);
  }
  expect(probed).toEqual([fresh, retried, fresh]);
  expect(await heldIds()).toHaveLength(2);
});

it('sends the held deliveries with their remaining attempts after a successful probe', async () => {
  const { deliveryId: retried } = await pause();
  const { deliveryId: fresh } = await endTask();
  await age(3601);
  await endpoints.maintain();
  await endpoints.maintain();
  expect(await attemptAll(DELIVERED)).toEqual([fresh]);
  expect(await list()).toEqual([]);
  await endpoints.maintain();
  const [due] = await claim();
  expect(due).toMatchObject({ id: retried, attempt: 2, scheduledAttempt: 2 });
  await endpoints.maintain();
  await endpoints.cleanUp(DAY_SECONDS);
  const { rows } = await database.db.query('select from webhook_endpoints where principal = $1', [principal]);
  expect(rows).toEqual([]);
});

it('releases at most 50 held deliveries of an endpoint per round, the oldest first', async () => {
  await pause();
  await Promise.all(Array.from({ length: 70 }, () => endTask()));
  await endpoints.maintain();
  expect(await endpoints.resume(principal, ORIGIN)).toBe(true);
  expect(await endpoints.resume(principal, ORIGIN)).toBe(false);
  await endpoints.cleanUp(DAY_SECONDS);
  const held = await heldIds();
  const claimedIds = async () => (await claim()).map(({ id }) => id).sort();
  await endpoints.maintain();
  expect(await claimedIds()).toEqual(held.slice(0, 50));
  await endpoints.maintain();
  expect(await claimedIds()).toEqual(held.slice(50));
});

/** Many endpoints of another client. */
const insertEndpoints = (count: number, times: string) =>
  database.db.query(
    `insert into webhook_endpoints (principal, origin, service, failures, failing_since, last_failed_at, paused_at, resumed_at)
     select $1, 'https://r-' || n || '.example', 'a', 10, now() - interval '3 days', now() - interval '2 days', ${times}
       from generate_series(1, $2::int) as n`,
    [`${principal}-other`, count],
  );

it('probes a paused endpoint while many others have nothing to send', async () => {
  await insertEndpoints(25, "now() - interval '2 days', null");
  await pause();
  await age(3601);
  await endpoints.maintain();
  await endpoints.maintain();
  expect(await claim()).toHaveLength(1);
});

it('releases the deliveries of a client while another one has many resumed endpoints', async () => {
  await insertEndpoints(25, "null, now() - interval '1 day'");
  await database.db.query(
    `with held as (
       insert into tasks (id, service, principal, status, input, estimate_seconds, finished_at, result, expires_at)
       select origin, 'a', $1, 'done', '{}', 1, now(), '1', now() + interval '1 day' from webhook_endpoints where principal = $1
       returning id
     )
     insert into deliveries (id, task_id, principal, url, origin, due_at) select 'whd_' || id, id, $1, id, id, 'infinity' from held`,
    [`${principal}-other`],
  );
  await pause();
  await endpoints.maintain();
  expect(await endpoints.resume(principal, ORIGIN)).toBe(true);
  await endpoints.maintain();
  expect(await claim()).toHaveLength(1);
});

it('does not count errors of the deliverer against the receiver', async () => {
  for (let n = 0; n < 12; n++) {
    await endTask();
    await attemptAll({ state: 'failed', error: 'connect_error', isLocal: true });
    await age(DAY_SECONDS / 8);
  }
  expect(await list()).toEqual([]);
  await pause();
  await endpoints.maintain();
  await age(3601);
  await endpoints.maintain();
  expect(await attemptAll({ ...FAILED, isLocal: true })).toHaveLength(1);
  await endpoints.maintain();
  await endpoints.maintain();
  // The next probe follows in an hour.
  expect(await claim()).toEqual([]);
  expect(await list()).toMatchObject([{ failures: 10, pausedAt: expect.any(Number) }]);
});

it('records at most 1000 failing endpoints of a client', async () => {
  await database.db.query(
    `insert into webhook_endpoints (principal, origin, service) select $1, 'https://r-' || n, 'a' from generate_series(1, 1000) n`,
    [principal],
  );
  await endTask();
  await attemptAll(FAILED);
  await endTask({ url: 'https://r-1/hook' });
  await attemptAll(FAILED, 'https://r-1');
  const found = await list();
  expect(found).toHaveLength(1000);
  expect(found.filter(({ failures }) => failures > 1)).toMatchObject([{ origin: 'https://r-1', failures: 2 }]);
});

it('makes the first attempt of a redelivery during a pause, also at a delivery without an attempt', async () => {
  await pause();
  const { id, deliveryId } = await endTask();
  await endpoints.maintain();
  const log = createDeliveryLog(database.db);
  const owner = { service: 'a', principal };
  expect(await log.list(owner, { taskId: id }, 1)).toMatchObject([{ held: true, webhook: { attempts: 0 } }]);
  expect(await log.redeliver(owner, { taskId: id })).toMatchObject({ count: 1 });
  await endpoints.maintain();
  await expect.poll(() => attemptAll(FAILED)).toEqual([deliveryId]);
  await makeDue();
  await endpoints.maintain();
  expect(await log.list(owner, { taskId: id }, 1)).toMatchObject([{ held: true, webhook: { attempts: 1 } }]);
  expect(await log.redeliver(owner, { since: 0, pending: false })).toMatchObject({ count: 9 });
  expect(await log.redeliver(owner, { since: 0, pending: true })).toMatchObject({ count: 2 });
});

it('keeps held deliveries of expired tasks for a day after the end of the task', async () => {
  await pause();
  const { id, deliveryId } = await endTask();
  await endpoints.maintain();
  await database.db.query("update tasks set expires_at = now() - interval '1 second' where id = $1", [id]);
  await store.sweep({ services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 60, rows: 100 });
  expect(await store.read('a', id)).toBeUndefined();
  await endpoints.cleanUp(DAY_SECONDS);
  expect(await heldIds()).toContain(deliveryId);
  await endpoints.resume(principal, ORIGIN);
  await endpoints.maintain();
  expect(await attemptAll(FAILED)).toContain(deliveryId);
  await database.db.query("update deliveries set due_at = 'infinity' where id = $1", [deliveryId]);
  await endpoints.cleanUp(-1);
  // It waits for its release.
  expect(await heldIds()).toEqual([deliveryId]);
  await database.db.query('update webhook_endpoints set paused_at = now() where principal = $1', [principal]);
  await endpoints.cleanUp(-1);
  expect(await heldIds()).toEqual([]);
});

it('forgets a paused endpoint after a month without attempts', async () => {
  await pause();
  await endpoints.maintain();
  await age(31 * DAY_SECONDS);
  await endpoints.cleanUp(DAY_SECONDS);
  await endpoints.maintain();
  expect(await claim()).toHaveLength(1);
  expect(await list()).toEqual([]);
});
