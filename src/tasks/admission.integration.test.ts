import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { createAdmission } from './admission.ts';
import { createClientQueues } from './client-queues.ts';
import { createPostgresTaskStore } from './postgres.ts';
import { createWorkerRegistry, MIN_COUNT_INTERVAL_MS } from './worker-registry.ts';
import { createPostgresWorkerStore } from './workers.ts';

const LIMIT = 5;
const worker = { id: 'w', role: 'work', service: 'a', state: 'warm' as const, info: {} };

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

/** Without a regular count during a test, so that only requests count. */
async function openAdmission(limited: 'service' | 'client') {
  const { db } = database;
  const loops = { signal: stop.signal, log: createLog('silent', 'test'), refreshMs: 600_000 };
  const workers = createPostgresWorkerStore(db);
  const workerRegistry = await createWorkerRegistry({ workers, tasks, services: ['a'], ...loops });
  const queues = createClientQueues({ db, services: ['a'], ...loops });
  const admission = createAdmission({
    ...{ workerRegistry, ownerOf: (_: string, principal: string) => principal, registry: new Registry() },
    limits: new Map([['a', limited === 'service' ? LIMIT : 0]]),
    ...(limited === 'client' && { clients: { limit: LIMIT, queues } }),
  });
  await Promise.all([workerRegistry.recount('a'), queues.recount('a')]);
  const query = vi.spyOn(db, 'query');
  const counts = () =>
    query.mock.calls.filter(([statement]) =>
      ['depth', 'waiting-by-client'].includes((statement as { name: string }).name),
    ).length;
  /** Accepts one task like a request; returns the error if there is no room. */
  const send = async () => {
    await admission.recountIfFull('a', 'c');
    const release = admission.reserve('a', 'realtime', 'c');
    if (!release) return admission.queueFullError('a', 'c');
    await tasks.accept({
      ...{ id: newId(), service: 'a', priority: 'realtime', principal: 'c', input: {}, estimateSeconds: 1 },
    });
    release(true);
    return undefined;
  };
  const claim = (limit: number) => tasks.completeAndClaim([], { service: 'a', worker: 'w', limit, leaseMs: 60_000 });
  return { send, claim, counts, workers };
}

describe.each(['service', 'client'] as const)('The queue limit of a %s', (limited) => {
  it('does not count tasks that a worker has started since the last count', async () => {
    const { send, claim, counts } = await openAdmission(limited);
    for (let i = 0; i < 4 * LIMIT; i++) {
      expect(await send(), `task ${i + 1}`).toBeUndefined();
      await claim(1);
    }
    expect(counts()).toBeLessThanOrEqual(4);
  });

  it('needs no count while there is room', async () => {
    const { send, counts } = await openAdmission(limited);
    for (let i = 0; i < LIMIT; i++) expect(await send()).toBeUndefined();
    expect(counts()).toBe(0);
  });

  it('limits the number of counts while many requests are rejected, and accepts tasks when there is room', async () => {
    const { send, claim, counts } = await openAdmission(limited);
    for (let i = 0; i < LIMIT; i++) await send();
    const startedAt = performance.now();
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(Array.from({ length: 500 }, send));
      expect(answers).not.toContain(undefined);
    }
    const elapsedMs = performance.now() - startedAt;
    expect(counts()).toBeLessThanOrEqual(2 + elapsedMs / MIN_COUNT_INTERVAL_MS);

    await claim(2);
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(2);
  });

  it('suggests to retry soon while the rate is unknown and a worker is warm', async () => {
    await createPostgresWorkerStore(database.db).recordHeartbeat(worker);
    const { send } = await openAdmission(limited);
    for (let i = 0; i < LIMIT; i++) await send();
    expect((await send())?.headers).toEqual({ 'retry-after': '5' });
  });
});
