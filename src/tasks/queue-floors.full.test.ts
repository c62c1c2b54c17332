import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createBatchShare } from './batch-share.ts';
import { completeAndClaim } from './complete-and-claim.ts';
import { createPostgresTaskStore } from './postgres.ts';
import { createQueueFloors } from './queue-floors.ts';
import type { AttemptResult, Claim, ClaimRequest, NewTask } from './store.ts';
import type { Failure } from './task.ts';

let database: TestDatabase;
let store: ReturnType<typeof createPostgresTaskStore>;
beforeAll(async () => {
  database = await testDatabase();
  store = createPostgresTaskStore(database.db);
});
afterEach(() => database.db.query('truncate tasks, client_queues cascade'));
afterAll(async () => {
  store.close();
  await database.drop();
});

const newTask = (over: Partial<NewTask> = {}): NewTask => ({
  ...{ id: newId(), service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 },
  ...{ deadlineSeconds: 3600, ttlSeconds: 7200 },
  ...over,
});
const accept = async (over: Partial<NewTask> = {}) => {
  const task = newTask(over);
  await store.accept(task);
  return task.id;
};
/** A worker with queue floors of its own, like a separate process. */
function startWorker(worker: string, { searchEveryMs = 600_000 } = {}) {
  const floors = createQueueFloors(database.db, { searchEveryMs });
  const claim = async (endings: AttemptResult[] = [], want: Partial<ClaimRequest> = {}) => {
    const all = { service: 'a', worker, limit: 1, leaseMs: 6000, ...want };
    return (await completeAndClaim(database.db, floors, createBatchShare(10), endings, all)).claimed;
  };
  return { worker, floors, claim };
}
const set = (id: string, what: string) => database.db.query(`update tasks set ${what} where id = $1`, [id]);
const HOUR_AGO = `now() - interval '1 hour'`;

describe('the floors of the queue', () => {
  it('let a new worker claim the oldest tasks first', async () => {
    const [first, second] = [await accept(), await accept()];
    await set(first, `run_at = ${HOUR_AGO}`);
    await accept();
    const { claim } = startWorker('w');
    expect((await claim())[0]?.id).toBe(first);
    expect((await claim())[0]?.id).toBe(second);
  });

  it('are lowered by the next search for a task below them', async () => {
    const { claim } = startWorker('w', { searchEveryMs: 300 });
    expect(await claim()).toEqual([]);
    const late = await accept();
    await set(late, `run_at = ${HOUR_AGO}`);
    expect(await claim()).toEqual([]);
    await expect.poll(async () => (await claim())[0]?.id, { timeout: 30_000 }).toBe(late);
  });

  it('are not raised by a claim that started before a search lowered them', async () => {
    const { floors } = startWorker('w', { searchEveryMs: 0 });
    const used = await floors.get('a');
    floors.raise('a', used, 10_000, { realtime: undefined, batch: undefined });
    const first = await floors.get('a');
    expect(first).toEqual({ realtime: 9995, batch: 9995 });
    floors.raise('a', first, 10_000, { realtime: 9996, batch: undefined });
    expect(await floors.get('a')).toEqual(first);
    floors.raise('a', first, 10_005, { realtime: 9997, batch: undefined });
    const inFlight = await floors.get('a');
    expect(inFlight).toEqual({ realtime: 9996, batch: 9995 });
    await set(await accept(), `run_at = to_timestamp(4000)`);
    await expect.poll(async () => (await floors.get('a')).realtime, { timeout: 30_000 }).toBe(4000);
    floors.raise('a', inFlight, 10_020, { realtime: 6000, batch: undefined });
    expect((await floors.get('a')).realtime).toBe(4000);
  });

  it('are searched again at once after a failed claim', async () => {
    const { claim, floors } = startWorker('w');
    expect(await claim()).toEqual([]);
    const late = await accept();
    await set(late, `run_at = ${HOUR_AGO}`);
    expect(await claim()).toEqual([]);
    floors.requestSearch('a');
    await expect.poll(async () => (await claim())[0]?.id, { timeout: 30_000 }).toBe(late);
  });

  it('do not delay requeued tasks, which are claimed in order', async () => {
    const { claim } = startWorker('w');
    const [lost, handedBack] = [await accept(), await accept()];
    const [first, second] = await claim([], { limit: 2 });
    for (const { id } of [first!, second!]) await set(id, `run_at = ${HOUR_AGO}`);
    expect(await claim()).toEqual([]);
    const back = { id: handedBack, attempt: 1, outcome: 'again' as const, delayMs: 0, uncounted: true };
    await startWorker('w').claim([back], { limit: 0 });
    const latest = await accept();
    expect(await store.release('w', 3)).toBe(1);
    expect((await claim())[0]?.id).toBe(lost);
    expect((await claim())[0]?.id).toBe(handedBack);
    expect((await claim())[0]?.id).toBe(latest);
  });
});

type Step =
  | 'accept'
  | 'accept batch'
  | 'accept, committed late'
  | 'claim'
  | 'end'
  | 'hand back'
  | 'fail temporarily'
  | 'lose'
  | 'promote'
  | 'requeue'
  | 'lose a claim';
const STEPS: readonly Step[] = [
  ...(['accept', 'accept batch', 'accept, committed late', 'claim', 'end', 'hand back', 'fail temporarily'] as const),
  ...(['lose', 'promote', 'requeue', 'lose a claim'] as const),
];

it('every task ends under random sequences of events with three workers', {
  timeout: 240_000,
}, async () => {
  const run = async (steps: readonly (readonly [Step, number])[]) => {
    await database.db.query('truncate tasks cascade');
    const workers = ['w0', 'w1', 'w2'].map((name) => ({
      ...startWorker(name, { searchEveryMs: 50 }),
      held: [] as Claim[],
    }));
    const limits = { services: ['a'], maxAttempts: 1000, batchMaxWaitSeconds: 3600, rows: 100 };
    const claim = async (worker: (typeof workers)[number], endings: AttemptResult[] = [], limit = 2) => {
      const claimed = await worker.claim(endings, { limit, busy: worker.held.length > 0 });
      expect(claimed.length).toBeLessThanOrEqual(limit);
      if (claimed.some(({ alone }) => alone)) expect([...worker.held, ...claimed]).toHaveLength(1);
      worker.held.push(...claimed);
    };
    const done = ({ id, attempt }: Claim): AttemptResult => ({
      id,
      attempt,
      outcome: 'done',
      result: {},
      processingMs: 1,
    });
    const again = ({ id, attempt }: Claim, delayMs: number, uncounted: boolean): AttemptResult => ({
      ...{ id, attempt, outcome: 'again', delayMs, uncounted },
    });
    const perform: Record<Step, (worker: (typeof workers)[number]) => Promise<unknown>> = {
      accept: () => accept(),
      'accept batch': () => accept({ priority: 'batch' }),
      'accept, committed late': async () => set(await accept(), `run_at = now() - interval '20 seconds'`),
      claim: (worker) => claim(worker),
      end: (worker) => claim(worker, worker.held.splice(0, 1).map(done)),
      'hand back': (worker) =>
        claim(
          worker,
          worker.held.splice(0, 1).map((held) => again(held, 0, true)),
          0,
        ),
      'fail temporarily': (worker) =>
        claim(
          worker,
          worker.held.splice(0, 1).map((held) => again(held, 20, false)),
        ),
      async lose(worker) {
        await database.db.query(`update tasks set leased_until = now() - interval '1 second' where worker = $1`, [
          worker.worker,
        ]);
        worker.held.splice(0);
        await store.sweep(limits);
      },
      async promote() {
        await database.db.query(`update tasks set queued_at = ${HOUR_AGO} - interval '1 second'
                                  where priority = 1 and worker is null and finished_at is null`);
        await store.sweep(limits);
      },
      async requeue(worker) {
        const [held] = worker.held.splice(0, 1);
        if (!held) return;
        const failure: Failure = { code: 'TRY_AGAIN', message: 'No.' };
        await claim(worker, [{ id: held.id, attempt: held.attempt, outcome: 'failed', failure, processingMs: 1 }], 0);
        await store.requeue('a', held.id, []);
      },
      // Like a database crash that loses an asynchronous commit.
      async 'lose a claim'(worker) {
        for (const { id } of worker.held.splice(0)) {
          await set(
            id,
            `worker = null, leased_until = null, attempts = attempts - 1, run_at = run_at - interval '9 seconds'`,
          );
        }
      },
    };
    for (const [step, which] of steps) await perform[step](workers[which]!);
    const left = async () => (await database.db.query('select from tasks where finished_at is null')).rowCount;
    for (const since = Date.now(); (await left()) > 0; ) {
      for (const worker of workers) await claim(worker, worker.held.splice(0).map(done));
      if (Date.now() - since > 20_000) throw new Error(`${await left()} tasks were never claimed`);
    }
  };
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 0, max: 2 }));
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), run), { numRuns: 25 });
});
