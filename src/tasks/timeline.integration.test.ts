import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createPostgresTaskStore } from './postgres.ts';

let database: TestDatabase;
let store: ReturnType<typeof createPostgresTaskStore>;
beforeAll(async () => {
  database = await testDatabase();
  store = createPostgresTaskStore(database.db);
});
afterEach(() => database.db.query('truncate tasks cascade'));
afterAll(async () => {
  store.close();
  await database.drop();
});

async function accept() {
  const id = newId();
  await store.accept({ id, service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 });
  return id;
}

const want = (worker: string, limit = 1) => ({ service: 'a', worker, limit, leaseMs: 60_000 });
const claim = async (worker: string) => (await store.completeAndClaim([], want(worker))).claimed[0]!;
const entriesOf = async (id: string) => {
  const { entries } = (await store.readTimeline('a', id))!;
  const times = entries.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  return entries.map(({ at: _, ...entry }) => entry);
};

const BEGUN = [{ type: 'accepted' }, { type: 'queued' }];
const claimed = (attempt: number, worker: string) => ({ type: 'claimed', attempt, worker });

it('has each attempt with its worker and steps, and the reason of a retry', async () => {
  const id = await accept();
  expect(await entriesOf(id)).toEqual(BEGUN);
  await claim('w1');
  expect(await entriesOf(id)).toEqual([...BEGUN, claimed(1, 'w1')]);
  // The worker's clock may differ: a step is not shown after the end of its attempt.
  const steps = [{ name: 'download', fromMs: 3_600_000, ms: 12, count: 2 }];
  const again = { id, attempt: 1, outcome: 'again', delayMs: 0, reason: 'HOST_TIMEOUT', steps } as const;
  await store.completeAndClaim([again], want('w1', 0));
  await claim('w2');
  await store.completeAndClaim([{ id, attempt: 2, outcome: 'done', result: {}, processingMs: 1 }], want('w2', 0));
  expect(await store.readTimeline('a', id)).toMatchObject({ principal: 'p', status: 'done' });
  expect(await entriesOf(id)).toEqual([
    ...BEGUN,
    claimed(1, 'w1'),
    { type: 'step', attempt: 1, step: 'download', durationMs: 12, count: 2 },
    { type: 'retry', attempt: 1, reason: 'HOST_TIMEOUT', delayMs: 0 },
    claimed(2, 'w2'),
    { type: 'ended', status: 'done' },
  ]);
});

it('has lost workers, a cancellation and what happened before a failed task was queued again', async () => {
  const id = await accept();
  await claim('w1');
  await store.release('w1', 3);
  await claim('w2');
  await store.returnClaims('w2', [0]);
  await store.cancel('a', id);
  const before = [
    ...BEGUN,
    claimed(1, 'w1'),
    { type: 'retry', attempt: 1, reason: 'WORKER_LOST' },
    claimed(2, 'w2'),
    { type: 'ended', status: 'failed', error: 'CANCELLED' },
  ];
  expect(await entriesOf(id)).toEqual(before);
  await store.requeue('a', id, []);
  expect(await entriesOf(id)).toEqual([...before, { type: 'queued' }]);
});

it('keeps the attempt that failed when the task is queued again', async () => {
  const id = await accept();
  await claim('w1');
  const steps = [{ name: 'download', fromMs: 0, ms: 0 }];
  const failure = { code: 'IMAGE_CORRUPT', message: 'No picture.' };
  await store.completeAndClaim([{ id, attempt: 1, outcome: 'failed', failure, processingMs: 1, steps }], want('w1', 0));
  const before = [
    ...BEGUN,
    claimed(1, 'w1'),
    { type: 'step', attempt: 1, step: 'download', durationMs: 0 },
    { type: 'ended', status: 'failed', error: 'IMAGE_CORRUPT' },
  ];
  expect(await entriesOf(id)).toEqual(before);
  await store.requeue('a', id, []);
  expect(await entriesOf(id)).toEqual([...before, { type: 'queued' }]);
  await claim('w2');
  await store.cancel('a', id);
  expect(await entriesOf(id)).toEqual([
    ...before,
    { type: 'queued' },
    claimed(1, 'w2'),
    { type: 'ended', status: 'failed', error: 'CANCELLED' },
  ]);
});

it('has the tasks that a worker never started', async () => {
  const id = await accept();
  await store.completeAndClaim([], { ...want('w1'), claim: 7 });
  await store.returnClaims('w1', [7]);
  expect(await entriesOf(id)).toEqual([
    ...BEGUN,
    claimed(1, 'w1'),
    { type: 'retry', attempt: 1, reason: 'NOT_STARTED' },
  ]);
  await store.remove('a', [id]);
  expect(await store.readTimeline('a', id)).toBeUndefined();
});

it('keeps the last 20 attempts', async () => {
  const id = await accept();
  for (let n = 0; n < 24; n++) {
    const { attempt } = await claim('w1');
    await store.completeAndClaim([{ id, attempt, outcome: 'again', delayMs: 0, reason: 'TIMEOUT' }], want('w1', 0));
  }
  const attempts = (await entriesOf(id)).flatMap(({ type, attempt }) => (type === 'retry' ? [attempt] : []));
  expect(attempts).toEqual(Array.from({ length: 20 }, (_, n) => n + 5));
});
