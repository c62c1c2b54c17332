import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { createEstimates } from './estimates.ts';
import { COST_MICROS } from './fair-tags.ts';
import { createPostgresTaskStore } from './postgres.ts';
import type { Priority } from './task.ts';
import { createWorkerRegistry } from './worker-registry.ts';
import { createPostgresWorkerStore } from './workers.ts';

const CONCURRENCY = 4;
const PROCESSING_SECONDS = 10;
/** Of a client without waiting tasks: the duration and a margin of 20 %. */
const OWN_SECONDS = 12;
const SETTINGS = { warmSeconds: 2, coldSeconds: 5 };

let database: TestDatabase;
let tasks: ReturnType<typeof createPostgresTaskStore>;
let stop: AbortController;
beforeEach(async () => {
  database = await testDatabase();
  tasks = createPostgresTaskStore(database.db);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  tasks.close();
  await database.drop();
});

async function openEstimates(mode: 'learned' | 'fixed' = 'learned') {
  const workers = createPostgresWorkerStore(database.db);
  const worker = { id: 'w', role: 'work', service: 'a', state: 'warm' as const, info: { concurrency: CONCURRENCY } };
  await workers.recordHeartbeat(worker);
  const until = (read: () => unknown) =>
    expect.poll(() => workers.recordHeartbeat(worker).then(read), { timeout: 15_000 });
  const loops = { signal: stop.signal, log: createLog('silent', 'test'), refreshMs: 20 };
  const workerRegistry = await createWorkerRegistry({ workers, tasks, services: ['a'], ...loops });
  const common = { db: database.db, workerRegistry, weights: new Map(), deadlineSeconds: 1000 };
  const estimates = createEstimates({ ...common, ...loops, mode });
  const estimate = (owner: string, priority: Priority = 'realtime', precededBy = 0) =>
    estimates.estimate({ service: 'a', priority, owner, precededBy }, SETTINGS).seconds;
  const accept = async (owner: string) => {
    const task = { id: newId(), service: 'a', owner, priority: 'realtime' as const };
    const { seconds: estimateSeconds, onAccepted } = estimates.estimate(task, SETTINGS);
    const onWritten = workerRegistry.reserve('a', 'realtime', 1);
    await tasks.accept({ ...task, principal: owner, input: {}, estimateSeconds });
    onWritten(true);
    onAccepted(task.id);
  };
  /** Of open tasks whose last one is this many places from the front of the queue. */
  const remaining = (queued: number, processing: number, last: number | undefined) => {
    const front = workerRegistry.queueDepth('a').virtualTime.realtime;
    const realtime = last === undefined ? null : front + ((last - 1) * COST_MICROS) / 1e6;
    const counts = { queued, processing, done: 0, failed: 0, cancelled: 0 };
    return estimates.remaining('a', { counts, errors: [], lastTags: { realtime, batch: null } }, SETTINGS);
  };
  return { estimate, remaining, accept, until, workers, workerRegistry };
}

async function endTasks(count: number) {
  const request = { service: 'a', worker: 'w', limit: count, leaseMs: 60_000 };
  const { claimed } = await tasks.completeAndClaim([], request);
  const ended = claimed.map(({ id, attempt }) => ({
    ...{ id, attempt, outcome: 'done' as const, result: {}, processingMs: 1000 * PROCESSING_SECONDS },
  }));
  await tasks.completeAndClaim(ended, { ...request, limit: 0 });
}

describe('createEstimates', () => {
  it('uses the configured times until 20 tasks of the priority have ended, then their durations', async () => {
    const { estimate, accept, until } = await openEstimates();
    for (let i = 0; i < 19; i++) await accept('a');
    expect(estimate('a')).toBe(2);
    await endTasks(19);
    await accept('a');
    expect(estimate('a')).toBe(2);
    await endTasks(1);
    await until(() => estimate('a')).toBe(OWN_SECONDS);
    expect(estimate('a', 'batch')).toBe(2);
  });

  it('estimates for the client: the backlog of another client delays its own tasks only', async () => {
    const { estimate, accept, until, workerRegistry } = await openEstimates();
    for (let i = 0; i < 20; i++) await accept('heavy');
    await endTasks(20);
    await until(() => estimate('light')).toBe(OWN_SECONDS);
    await Promise.all(Array.from({ length: 100 }, () => accept('heavy')));
    await until(() => workerRegistry.queueDepth('a').waiting.realtime).toBe(100);
    // 100 tasks at 0.4 tasks a second, and a margin of 20 %.
    expect(estimate('heavy')).toBeGreaterThan(300);
    expect(estimate('heavy')).toBeLessThan(320);
    expect(estimate('light')).toBe(OWN_SECONDS);
  });

  it('is at most the deadline, and at least the time to start a worker while none is warm', async () => {
    const { estimate, accept, until, workers, workerRegistry } = await openEstimates();
    for (let i = 0; i < 20; i++) await accept('a');
    await endTasks(20);
    await until(() => estimate('a')).toBe(OWN_SECONDS);
    await Promise.all(Array.from({ length: 500 }, () => accept('a')));
    await until(() => estimate('a')).toBe(1000);
    await workers.unregister('w');
    await expect.poll(() => workerRegistry.workerState('a'), { timeout: 15_000 }).toBe('cold');
    expect(estimate('a')).toBe(5);
  });

  it('estimates a batch about to be accepted, and its rest from the place of its last waiting task, without the tasks behind it', async () => {
    const { estimate, remaining, accept, until, workerRegistry } = await openEstimates();
    expect(remaining(10, 0, 10)).toBe(2);
    for (let i = 0; i < 20; i++) await accept('a');
    await endTasks(20);
    await until(() => estimate('a')).toBe(OWN_SECONDS);
    const items = Array.from({ length: 100 }, (_, at) => estimate('a', 'realtime', at));
    await Promise.all(Array.from({ length: 100 }, () => accept('a')));
    await until(() => workerRegistry.queueDepth('a').waiting.realtime).toBe(100);
    const whole = remaining(100, 0, 100);
    expect([items[0], items.at(-1)]).toEqual([OWN_SECONDS, whole]);
    expect(items).toEqual(items.toSorted((a, b) => a - b));
    expect(whole).toBeGreaterThan(300 - OWN_SECONDS);
    expect(whole).toBeLessThan(320);
    const half = remaining(50, 0, 50);
    expect(half / whole).toBeGreaterThan(0.45);
    expect(half / whole).toBeLessThan(0.55);
    // Another batch of the client is ahead.
    expect(remaining(10, 0, 100)).toBe(whole);
    // Accepted after the last count.
    expect(remaining(100, 0, 1)).toBe(whole);
    expect(remaining(0, 1, undefined)).toBe(OWN_SECONDS);
    expect(remaining(0, 0, undefined)).toBe(0);
  });

  it('returns the configured times with the mode fixed', async () => {
    const { estimate, remaining, accept } = await openEstimates('fixed');
    for (let i = 0; i < 20; i++) await accept('a');
    await endTasks(20);
    await accept('a');
    expect(estimate('a')).toBe(2);
    expect(remaining(1, 0, 1)).toBe(2);
  });
});
