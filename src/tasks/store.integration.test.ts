import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import type { Queryable } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import type { JsonValue } from '../base/json.ts';
import { createPostgresTaskStore } from './postgres.ts';
import { type ClaimRequest, MAX_COUNTED, type NewTask, type TaskStore, type TransactionalTask } from './store.ts';
import type { Failure, Task } from './task.ts';

async function openStore() {
  const { db, drop } = await testDatabase();
  const stores = [createPostgresTaskStore(db)];
  // A store caches queue floors by real time, so `shiftTimes` replaces it.
  const store = new Proxy(stores[0]!, { get: (_, method) => Reflect.get(stores.at(-1)!, method) });
  return {
    store,
    transaction: <T>(run: (tx: Queryable) => Promise<T>): Promise<T> => db.transaction(run),
    empty: async () => void (await db.query('truncate tasks, client_queues, deliveries, workers cascade')),
    hasDelivery: async (id: string) => (await db.query('select from deliveries where id = $1', [id])).rowCount === 1,
    /** Shifts all times of a task and its delivery by `seconds` into the past. */
    async shiftTimes(id: string, seconds: number) {
      const columns = ['queued_at', 'run_at', 'deadline_at', 'expires_at', 'leased_until', 'started_at', 'finished_at'];
      const back = (names: string[]) => names.map((name) => `${name} = ${name} - make_interval(secs => $2)`).join(', ');
      await db.query(`update tasks set ${back(columns)} where id = $1`, [id, seconds]);
      await db.query(`update deliveries set ${back(['due_at', 'leased_until'])} where task_id = $1`, [id, seconds]);
      stores.push(createPostgresTaskStore(db));
    },
    /** Sets the time of a worker's last heartbeat. */
    async setLastSeen(worker: string, secondsAgo: number) {
      await db.query(
        `insert into workers (id, role, state, info, seen_at) values ($1, 'work', 'warm', '{}', now() - make_interval(secs => $2))
             on conflict (id) do update set seen_at = excluded.seen_at`,
        [worker, secondsAgo],
      );
    },
    async close() {
      for (const each of stores) each.close();
      await drop();
    },
  };
}

describe('the task store in PostgreSQL', () => {
  let under: Awaited<ReturnType<typeof openStore>>;
  let store: TaskStore;

  beforeAll(async () => {
    under = await openStore();
    store = under.store;
  });
  beforeEach(() => under.empty());
  afterAll(() => under.close());

  const want = (over: Partial<ClaimRequest> = {}): ClaimRequest => ({
    service: 'a',
    worker: 'w1',
    limit: 1,
    leaseMs: 6000,
    ...over,
  });
  const claim = async (over: Partial<ClaimRequest> = {}) => (await store.completeAndClaim([], want(over))).claimed;
  const accept = async (over: Partial<NewTask> = {}) => {
    const task = newTask(over);
    expect((await store.accept(task)).outcome).toBe('accepted');
    return task.id;
  };
  const read = async (id: string): Promise<Task> => {
    const task = await store.read('a', id);
    if (!task) throw new Error(`task ${id} is gone`);
    return task;
  };
  const done = (id: string, attempt = 1) => ({
    id,
    attempt,
    outcome: 'done' as const,
    result: { n: 1 },
    processingMs: 12.4,
  });
  const limits = { services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 100 };

  describe('accept and read', () => {
    it('returns a task with the values it was accepted with', async () => {
      const id = await accept({ input: { url: 'https://x.example/1', 'ключ\u0000': 'x' } });
      expect(await read(id)).toMatchObject({ id, status: 'queued', service: 'a', estimateSeconds: 90 });
      expect(JSON.parse((await read(id)).inputText)).toEqual({ url: 'https://x.example/1', 'ключ\u0000': 'x' });
    });

    it('stores all of many tasks that arrive at once', async () => {
      const tasks = Array.from({ length: 1300 }, () => newTask());
      await Promise.all(tasks.map((task) => store.accept(task)));
      const found = await Promise.all(tasks.map((task) => store.read('a', task.id)));
      expect(found.map((task) => task?.id)).toEqual(tasks.map((task) => task.id));
    });

    it('returns large and small results to all concurrent readers', async () => {
      const ids = [await accept(), await accept(), await accept()];
      const results = ['small', ...['а', 'b'].map((letter) => letter + Array.from({ length: 50_000 }, newId).join())];
      await claim({ limit: 3 });
      const endings = ids.map((id, i) => ({ ...done(id), result: results[i]! }));
      await store.completeAndClaim(endings, want({ limit: 0 }));
      const readers = Array.from({ length: 30 }, (_, n) => n % 3);
      const tasks = await Promise.all(readers.map((i) => read(ids[i]!)));
      for (const [n, task] of tasks.entries()) {
        expect(task).toMatchObject({ status: 'done', resultText: JSON.stringify(results[n % 3]) });
      }
      expect(await store.read('b', ids[1]!)).toBeUndefined();
    });

    it('returns undefined for a task of another service, an unknown id and an expired task', async () => {
      const id = await accept({ ttlSeconds: 86_400 });
      expect(await store.read('b', id)).toBeUndefined();
      expect(await store.read('a', newId())).toBeUndefined();
      await under.shiftTimes(id, 86_399);
      expect(await store.read('a', id)).toBeDefined();
      await under.shiftTimes(id, 2);
      expect(await store.read('a', id)).toBeUndefined();
    });

    it('returns the first task when an idempotency key is used again, also within one batch', async () => {
      const idempotency = { key: Buffer.from('k'), fingerprint: Buffer.from('f') };
      const outcomes = await Promise.all([1, 2, 3].map(() => store.accept(newTask({ idempotency }))));
      const [first] = outcomes.filter((outcome) => outcome.outcome === 'accepted');
      expect(outcomes.map((outcome) => outcome.outcome).sort()).toEqual(['accepted', 'replayed', 'replayed']);
      expect(new Set(outcomes.map((outcome) => 'id' in outcome && outcome.id))).toEqual(new Set([first?.id]));
      const other = { key: idempotency.key, fingerprint: Buffer.from('g') };
      expect((await store.accept(newTask({ idempotency: other }))).outcome).toBe('conflict');
      expect(await claim({ limit: 10 })).toHaveLength(1);
    });

    it('inserts each key once when concurrent batches share keys in opposite order', async () => {
      for (let round = 0; round < 10; round++) {
        const keys = Array.from({ length: 500 }, (_, i) => Buffer.from(`${round}-${i}`));
        const use = (key: Buffer) => store.accept(newTask({ idempotency: { key, fingerprint: Buffer.from('f') } }));
        const outcomes = await Promise.all([...keys, ...keys.toReversed()].map(use));
        expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(500);
        expect(outcomes.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(500);
      }
    });

    it('accepts a key again when its first task has expired, even before a sweep', async () => {
      const use = (fingerprint: string) =>
        newTask({ idempotency: { key: Buffer.from('k'), fingerprint: Buffer.from(fingerprint) } });
      const first = use('f');
      await store.accept(first);
      await under.shiftTimes(first.id, 86_401);
      const outcomes = await Promise.all([store.accept(use('g')), store.accept(use('g'))]);
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'replayed']);
      for (const outcome of outcomes) expect('id' in outcome && (await read(outcome.id)).status).toBe('queued');
    });

    it('looks up the first use of a key without writing', async () => {
      const use = (key: string, fingerprint: string) => ({
        key: Buffer.from(key),
        fingerprint: Buffer.from(fingerprint),
      });
      const first = newTask({ idempotency: use('first-use', 'f') });
      expect(await store.findByIdempotencyKey(use('first-use', 'f'))).toBeUndefined();
      await store.accept(first);
      const lookups = [use('first-use', 'f'), use('first-use', 'g'), use('unused', 'f')].map(
        store.findByIdempotencyKey,
      );
      expect(await Promise.all(lookups)).toEqual([
        { outcome: 'replayed', id: first.id, estimateSeconds: first.estimateSeconds },
        { outcome: 'conflict' },
        undefined,
      ]);
      expect(await claim({ limit: 10 })).toHaveLength(1);
      await under.shiftTimes(first.id, 86_401);
      expect(await store.findByIdempotencyKey(use('first-use', 'f'))).toBeUndefined();
    });

    it('returns a webhook only for tasks created with one', async () => {
      const id = await accept({ webhook: { deliveryId: 'whd_1', url: 'https://r.example/hook' } });
      expect((await read(id)).webhook).toEqual({ deliveryId: 'whd_1', state: 'pending', attempts: 0 });
      expect(await read(await accept())).not.toHaveProperty('webhook');
    });
  });

  describe('acceptWithin', () => {
    const companion = (over: Partial<TransactionalTask> = {}): TransactionalTask => ({
      ...{ id: newId(), service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 90 },
      ...over,
    });
    const write = (...tasks: TransactionalTask[]) => under.transaction((tx) => store.acceptWithin(tx, tasks));

    it('commits or rolls back the tasks with the transaction of the caller', async () => {
      const [kept, lost] = [companion(), companion()];
      expect(await write(kept)).toEqual([]);
      await expect(
        under.transaction(async (tx) => {
          await store.acceptWithin(tx, [lost]);
          throw new Error('the other half failed');
        }),
      ).rejects.toThrow('other half');
      expect(await store.read('a', lost.id)).toBeUndefined();
      expect((await claim({ limit: 10 })).map(({ id }) => id)).toEqual([kept.id]);
    });

    it('creates done tasks with a copied result, and queued tasks when the source is not done', async () => {
      const source = await accept();
      await claim();
      await store.completeAndClaim([{ ...done(source), attachment: { map: 'AAAA' } }], want({ limit: 0 }));
      const unfinished = await accept();
      const copies = [source, unfinished, newId()].map((resultOf) => companion({ resultOf }));
      expect(await write(...copies)).toEqual([copies[0]!.id]);
      expect(await read(copies[0]!.id)).toMatchObject({ status: 'done', resultText: '{"n":1}', processingMs: 0 });
      expect(await store.readAttachment(copies[0]!.id)).toEqual({ map: 'AAAA' });
      expect((await claim({ limit: 10 })).map(({ id }) => id).sort()).toEqual(
        [unfinished, copies[1]!.id, copies[2]!.id].sort(),
      );
    });

    it('accepts tasks without a deadline and without an expiry', async () => {
      const { id } = companion();
      await write(companion({ id }));
      await claim();
      await under.shiftTimes(id, 999_999_999);
      await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }]);
      expect(await store.sweep(limits)).toMatchObject({ returned: 0, failed: {}, removed: 0 });
      expect((await read(id)).status).toBe('processing');
      // Its lease still expires.
      await under.shiftTimes(id, 7);
      expect((await store.sweep(limits)).returned).toBe(1);
    });
  });

  describe('requeue', () => {
    const failed = async (code = 'TRY_AGAIN', over: Partial<NewTask> = {}) => {
      const id = await accept(over);
      await claim();
      const failure: Failure = { code, message: 'No.' };
      await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000, progress: 0.5, checkpoint: { page: 3 } }]);
      await store.completeAndClaim(
        [{ id, attempt: 1, outcome: 'failed', failure, processingMs: 3 }],
        want({ limit: 0 }),
      );
      return id;
    };

    it('queues a failed task again with new times and without its earlier attempts, progress and checkpoint', async () => {
      const id = await failed();
      await under.shiftTimes(id, 80_000);
      expect(await store.requeue('a', id, ['NEVER'])).toBe(true);
      expect((await read(id)).status).toBe('queued');
      await under.shiftTimes(id, 10_000);
      expect((await store.sweep(limits)).failed).toEqual({});
      const [again] = await claim();
      expect(again).toMatchObject({ id, attempt: 1 });
      expect(again?.checkpoint).toBeUndefined();
      expect(await read(id)).not.toHaveProperty('progress');
    });

    it('succeeds for one of several concurrent calls', async () => {
      const id = await failed();
      const requeued = await Promise.all([1, 2, 3, 4].map(() => store.requeue('a', id, [])));
      expect(requeued.filter(Boolean)).toHaveLength(1);
    });

    it('returns false for final errors, for tasks that have not failed and for tasks with a webhook', async () => {
      const webhook = { deliveryId: 'whd_q', url: 'https://r.example/hook' };
      const ids = [await failed('NEVER'), await failed('TRY_AGAIN', { webhook }), newId()];
      ids.push(await accept({ priority: 'batch' }));
      for (const id of ids) expect(await store.requeue('a', id, ['NEVER'])).toBe(false);
      expect(await store.requeue('b', await failed(), [])).toBe(false);
      const finished = await accept();
      await claim();
      await store.completeAndClaim([done(finished)], want({ limit: 0 }));
      expect(await store.requeue('a', finished, [])).toBe(false);
    });
  });

  describe('remove', () => {
    it('deletes tasks in any state and rejects later renewals and results of their workers', async () => {
      const held = await accept();
      await claim();
      const waiting = await accept({ webhook: { deliveryId: 'whd_rm', url: 'https://r.example/' } });
      const elsewhere = await accept({ service: 'b' });
      const removed = await store.remove('a', [waiting, held, elsewhere, newId()]);
      expect([...removed].sort()).toEqual([held, waiting].sort());
      expect(await store.renew('w1', [{ id: held, attempt: 1, leaseMs: 6000 }])).toEqual([]);
      expect((await store.completeAndClaim([done(held)], want({ limit: 0 }))).ended).toEqual([]);
      expect(await store.read('a', held)).toBeUndefined();
      expect(await store.pendingDeliveries()).toBe(0);
      expect(await store.read('b', elsewhere)).toBeDefined();
    });

    it('deletes each task once when two calls list the tasks in opposite order', async () => {
      const ids = await Promise.all(Array.from({ length: 200 }, () => accept()));
      const removed = await Promise.all([store.remove('a', ids), store.remove('a', ids.toReversed())]);
      expect(removed.flat().sort()).toEqual([...ids].sort());
    });
  });

  describe('claims', () => {
    it('assign each task to one worker', async () => {
      const ids = await Promise.all(Array.from({ length: 60 }, () => accept()));
      const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => claim({ worker: `w${i}`, limit: 10 })));
      expect(
        claims
          .flat()
          .map((c) => c.id)
          .sort(),
      ).toEqual([...ids].sort());
    });

    it('take realtime before batch tasks, oldest first', async () => {
      const late = await accept({ priority: 'batch' });
      const first = await accept();
      const second = await accept();
      const order = [];
      for (let i = 0; i < 3; i++) order.push((await claim())[0]?.id);
      expect(order).toEqual([first, second, late]);
    });

    it('order promoted batch tasks behind the realtime tasks that already wait', async () => {
      const [older, batch, young] = [
        await accept({ priority: 'batch' }),
        await accept({ priority: 'batch' }),
        await accept({ priority: 'batch' }),
      ];
      const before = await accept();
      await under.shiftTimes(older, 3700);
      await under.shiftTimes(batch, 3601);
      expect((await store.sweep(limits)).promoted).toBe(2);
      const after = await accept();
      expect((await store.sweep(limits)).promoted).toBe(0);
      const order = [];
      for (let i = 0; i < 5; i++) order.push((await claim())[0]?.id);
      expect(order).toEqual([before, older, batch, after, young]);
    });

    it('take a handed-back task at its old place in the queue, together with others', async () => {
      const handedBack = [await accept(), await accept({ priority: 'batch' })];
      await claim({ limit: 2 });
      const latest = [await accept(), await accept({ priority: 'batch' })];
      const back = (id: string) => ({ id, attempt: 1, outcome: 'again' as const, delayMs: 0, uncounted: true });
      await store.completeAndClaim(handedBack.map(back), want({ limit: 0 }));
      const order: string[] = [];
      for (let i = 0; i < 4; i++) order.push(...(await claim({ worker: 'w2', busy: true })).map(({ id }) => id));
      expect(order).toEqual([handedBack[0], latest[0], handedBack[1], latest[1]]);
    });

    it('take only tasks of the requested service and count the attempt', async () => {
      const id = await accept();
      expect(await claim({ service: 'b' })).toEqual([]);
      expect((await claim())[0]).toMatchObject({ id, attempt: 1, principal: 'p' });
      expect((await read(id)).status).toBe('processing');
    });
  });

  describe('completing an attempt', () => {
    it('records the result and claims the next task in one call', async () => {
      const id = await accept();
      const next = await accept();
      await claim();
      const { ended, claimed } = await store.completeAndClaim([done(id)], want());
      expect(ended).toEqual([id]);
      expect(claimed.map((c) => c.id)).toEqual([next]);
      expect(await read(id)).toMatchObject({ status: 'done', resultText: '{"n":1}', processingMs: 12 });
    });

    it('records a failure with its code and message', async () => {
      const id = await accept();
      await claim();
      const failure: Failure = { code: 'IMAGE_CORRUPT', message: 'The image is damaged.' };
      await store.completeAndClaim(
        [{ id, attempt: 1, outcome: 'failed', failure, processingMs: 3 }],
        want({ limit: 0 }),
      );
      expect(await read(id)).toMatchObject({ status: 'failed', failure, processingMs: 3 });
    });

    it('stores an attachment separately from the result', async () => {
      const id = await accept();
      await claim();
      await store.completeAndClaim([{ ...done(id), attachment: { map: 'AAAA' } }], want({ limit: 0 }));
      expect(await store.readAttachment(id)).toEqual({ map: 'AAAA' });
      expect(await read(id)).not.toHaveProperty('attachment');
    });

    it('records several results at once, with control characters, large numbers and without an attachment', async () => {
      const ids = [await accept(), await accept(), await accept(), await accept()].sort() as [
        string,
        string,
        string,
        string,
      ];
      await claim({ limit: 4 });
      const result = { text: '"quoted" \\ \u0000 \u001e \n слово', empty: '' };
      const failure: Failure = { code: 'IMAGE_CORRUPT', message: 'The image is damaged.' };
      await store.completeAndClaim(
        [
          { id: ids[0], attempt: 1, outcome: 'failed', failure, processingMs: 3 },
          { ...done(ids[1]), result },
          { ...done(ids[2]), result: null, attachment: { map: '\u001e' } },
          { ...done(ids[3]), result: '' },
        ],
        want({ limit: 0 }),
      );
      expect(await read(ids[0])).toMatchObject({ status: 'failed', failure });
      const results = await Promise.all(ids.slice(1).map(read));
      const texts = results.map((task) => (task.status === 'done' ? task.resultText : undefined));
      expect(texts).toEqual([result, null, ''].map((value) => JSON.stringify(value)));
      const attachments = await Promise.all(ids.map((id) => store.readAttachment(id)));
      expect(attachments).toEqual([undefined, undefined, { map: '\u001e' }, undefined]);
    });

    it('keeps the status processing between attempts and delays the next attempt', async () => {
      const id = await accept();
      await claim();
      await store.completeAndClaim([{ id, attempt: 1, outcome: 'again', delayMs: 5000 }], want({ limit: 0 }));
      expect((await read(id)).status).toBe('processing');
      expect(await claim()).toEqual([]);
      await under.shiftTimes(id, 6);
      expect((await claim())[0]).toMatchObject({ id, attempt: 2 });
    });

    it('does not count an attempt that a stopping worker hands back', async () => {
      const id = await accept();
      await claim();
      await store.completeAndClaim(
        [{ id, attempt: 1, outcome: 'again', delayMs: 0, uncounted: true }],
        want({ limit: 0 }),
      );
      expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 1 });
    });

    it('ignores results of another worker or of an earlier attempt (fencing)', async () => {
      const id = await accept();
      await claim();
      await under.shiftTimes(id, 7);
      await store.sweep(limits);
      expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 2 });
      expect((await store.completeAndClaim([done(id, 1)], want({ limit: 0 }))).ended).toEqual([]);
      expect((await store.completeAndClaim([done(id, 2)], want({ limit: 0 }))).ended).toEqual([]);
      expect((await store.completeAndClaim([done(id, 1)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([]);
      expect((await read(id)).status).toBe('processing');
      expect((await store.completeAndClaim([done(id, 2)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([id]);
      expect((await store.completeAndClaim([done(id, 2)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([]);
    });
  });

  describe('leases', () => {
    it('have a checkpoint that is read again only when its stored size has changed', async () => {
      const id = await accept();
      const renew = (checkpoint?: { windows: string }) =>
        store.renew('w1', [{ id, attempt: 1, leaseMs: 6000, ...(checkpoint && { checkpoint }) }]);
      await claim();
      expect(await store.readCheckpoint(id)).toBeUndefined();
      await renew({ windows: 'one' });
      const first = await store.readCheckpoint(id);
      expect(first).toEqual({ storedBytes: expect.any(Number), checkpoint: { windows: 'one' } });
      await renew();
      expect(await store.readCheckpoint(id, first!.storedBytes)).toEqual({ storedBytes: first!.storedBytes });
      await renew({ windows: 'one two' });
      expect(await store.readCheckpoint(id, first!.storedBytes)).toMatchObject({
        checkpoint: { windows: 'one two' },
      });
      await store.completeAndClaim([done(id)], want({ limit: 0 }));
      expect(await store.readCheckpoint(id)).toBeUndefined();
    });

    it('hold while they are renewed and pass the checkpoint to the next attempt', async () => {
      const id = await accept();
      await claim();
      await under.shiftTimes(id, 4);
      const renewal = { id, attempt: 1, leaseMs: 6000, progress: 0.5, checkpoint: { window: 3 } };
      expect(await store.renew('w1', [renewal])).toEqual([id]);
      await under.shiftTimes(id, 4);
      expect((await store.sweep(limits)).returned).toBe(0);
      expect(await read(id)).toMatchObject({ status: 'processing', progress: 0.5 });
      await under.shiftTimes(id, 3);
      expect((await store.sweep(limits)).returned).toBe(1);
      expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ attempt: 2, checkpoint: { window: 3 } });
      expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([]);
    });

    it('can be renewed concurrently in any order without a deadlock', async () => {
      await Promise.all(Array.from({ length: 300 }, () => accept()));
      const leases = (await claim({ limit: 300 })).map(({ id }) => ({ id, attempt: 1, leaseMs: 6000 }));
      const renew = (order: typeof leases) => store.renew('w1', order);
      for (let round = 0; round < 10; round++) {
        const held = await Promise.all([leases, leases.toReversed(), leases, leases.toReversed()].map(renew));
        expect(held.map((ids) => ids.length)).toEqual([300, 300, 300, 300]);
      }
    });

    it('can be renewed after they have expired, until the task is requeued', async () => {
      const id = await accept();
      await claim();
      await under.shiftTimes(id, 7);
      expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([id]);
      expect((await store.sweep(limits)).returned).toBe(0);
      expect((await store.completeAndClaim([done(id)], want({ limit: 0 }))).ended).toEqual([id]);
    });

    describe('that expired during a database outage', () => {
      /** A lease of `w1` that expired `secondsAgo`; the worker's last heartbeat was `seen` seconds ago. */
      const ranOut = async (secondsAgo: number, { seen }: { seen: number }) => {
        const id = await accept();
        await claim();
        await under.shiftTimes(id, secondsAgo + 6);
        await under.setLastSeen('w1', seen);
        return id;
      };
      /** Sweeps at the end of an outage of this length. */
      const sweepAfter = async (seconds: number) => {
        const { at } = await store.sweep({ ...limits, rows: 0 });
        return store.sweep({ ...limits, outage: { since: new Date(at.getTime() - seconds * 1000), leaseMs: 6000 } });
      };
      const LOST = { extended: 0, returned: 1 };

      it('are extended when the worker was seen just before the outage, so that no attempt is lost', async () => {
        const id = await ranOut(31, { seen: 38 });
        expect(await sweepAfter(36)).toMatchObject({ extended: 1, returned: 0, failed: {} });
        expect(await store.sweep(limits)).toMatchObject({ extended: 0, returned: 0 });
        expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([id]);
        expect((await store.completeAndClaim([done(id)], want({ limit: 0 }))).ended).toEqual([id]);
      });

      it('are extended during the last attempt too', async () => {
        const id = await ranOut(31, { seen: 38 });
        const { at } = await store.sweep({ ...limits, rows: 0 });
        const outage = { since: new Date(at.getTime() - 36_000), leaseMs: 6000 };
        expect(await store.sweep({ ...limits, maxAttempts: 1, outage })).toMatchObject({ extended: 1, failed: {} });
        expect((await read(id)).status).toBe('processing');
      });

      it('are lost when the worker was gone before the outage or was never seen', async () => {
        const id = await ranOut(31, { seen: 43 });
        expect(await sweepAfter(36)).toMatchObject(LOST);
        await claim({ worker: 'unknown' });
        await under.shiftTimes(id, 31 + 6);
        expect(await sweepAfter(36)).toMatchObject(LOST);
      });

      it('are lost when they expired outside the outage or when no outage is known', async () => {
        for (const outageSeconds of [25, 32, 50]) {
          await ranOut(31, { seen: 26 });
          expect(await sweepAfter(outageSeconds), `outage of ${outageSeconds} s`).toMatchObject(LOST);
          await under.empty();
        }
        await ranOut(31, { seen: 26 });
        expect(await store.sweep(limits)).toMatchObject(LOST);
      });

      it('are lost after the grace period and not extended again for a worker without a new heartbeat', async () => {
        for (const outageSeconds of [1, 2, 3, 4, 5, 6, 7, 8, 9, 36, 50]) {
          const id = await ranOut(31, { seen: 1 });
          expect(await sweepAfter(36)).toMatchObject({ extended: 1 });
          await under.shiftTimes(id, 12);
          await under.setLastSeen('w1', 1 + 12);
          expect(await sweepAfter(outageSeconds), `outage of ${outageSeconds} s`).toMatchObject(LOST);
          await under.empty();
        }
      });

      it('are ignored in the time until the next lease expires, which the sweep returns', async () => {
        expect((await store.sweep(limits)).nextLeaseMs).toBeNull();
        await ranOut(31, { seen: 38 });
        await accept();
        await claim({ leaseMs: 600_000 });
        const { nextLeaseMs } = await store.sweep(limits);
        expect(nextLeaseMs).toBeGreaterThan(300_000);
        expect(nextLeaseMs).toBeLessThanOrEqual(600_000);
      });
    });

    it('of a dead worker are released at once if the attempt is the first, and the task returns to its old place in the queue', async () => {
      const second = await accept();
      await claim({ worker: 'dead' });
      await under.shiftTimes(second, 7);
      await store.sweep(limits);
      const [first, others] = [await accept(), await accept()];
      for (const _ of [second, first]) await claim({ worker: 'dead' });
      await claim({ worker: 'alive' });
      await accept();
      expect(await store.release('dead', 3)).toBe(1);
      expect(await store.release('dead', 3)).toBe(0);
      expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id: first, attempt: 2 });
      expect(await store.renew('dead', [{ id: first, attempt: 1, leaseMs: 6000 }])).toEqual([]);
      expect(await store.renew('dead', [{ id: second, attempt: 2, leaseMs: 6000 }])).toEqual([second]);
      expect(await store.renew('alive', [{ id: others, attempt: 1, leaseMs: 6000 }])).toEqual([others]);
    });

    it('of a dead worker are not released when no attempt is left', async () => {
      const id = await accept();
      await claim({ worker: 'dead' });
      expect(await store.release('dead', 1)).toBe(0);
      await under.shiftTimes(id, 7);
      await store.sweep({ ...limits, maxAttempts: 1 });
      expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
    });

    it('that expired return the task to its old place in the queue', async () => {
      const lost = await accept();
      await claim();
      const younger = await accept();
      await under.shiftTimes(lost, 7);
      await store.sweep(limits);
      expect((await claim({ worker: 'w2' }))[0]?.id).toBe(lost);
      expect((await claim({ worker: 'w2' }))[0]?.id).toBe(younger);
    });

    it('that expired at the last attempt fail the task', async () => {
      const id = await accept();
      for (let attempt = 1; attempt <= 3; attempt++) {
        expect((await claim())[0]).toMatchObject({ attempt });
        await under.shiftTimes(id, 7);
        await store.sweep(limits);
      }
      expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
    });
  });

  describe('claims whose response was lost', () => {
    const first = async () => (await claim({ claim: 7 }))[0]!.id;

    it('return to their place in the queue without counting the attempt', async () => {
      const id = await accept();
      await accept();
      expect(await first()).toBe(id);
      expect(await store.returnClaims('w1', [6, 7])).toEqual([7]);
      expect(await store.returnClaims('w1', [6, 7])).toEqual([]);
      expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 1 });
    });

    it('do not affect other claims, claims of other workers with the same number, or finished tasks', async () => {
      const ids = [await accept(), await accept(), await accept(), await accept()];
      await claim({ claim: 8 });
      await claim({ worker: 'w2', claim: 7 });
      await claim();
      expect(await first()).toBe(ids[3]);
      await store.cancel('a', ids[3]!);
      expect(await store.returnClaims('w1', [7])).toEqual([]);
      const lease = (id: string | undefined) => ({ id: id!, attempt: 1, leaseMs: 6000 });
      expect(await store.renew('w1', [lease(ids[0]), lease(ids[2])])).toHaveLength(2);
      expect(await store.renew('w2', [lease(ids[1])])).toHaveLength(1);
    });

    it('do not reset the attempts of a task that is lost repeatedly after it was started', async () => {
      const id = await accept();
      for (let attempt = 1; attempt <= 3; attempt++) {
        await first();
        expect(await store.returnClaims('w1', [7])).toEqual([7]);
        expect((await claim({ claim: 8 }))[0]).toMatchObject({ attempt });
        await under.shiftTimes(id, 7);
        await store.sweep(limits);
      }
      expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
    });
  });

  describe('a task whose worker was lost', () => {
    /** Claims the tasks for one worker and lets their leases expire. */
    const lose = async (...tasks: Partial<NewTask>[]) => {
      const ids: string[] = [];
      for (const task of tasks) ids.push(await accept(task));
      await claim({ worker: 'dead', limit: ids.length });
      for (const id of ids) await under.shiftTimes(id, 7);
      expect((await store.sweep(limits)).returned).toBe(ids.length);
      return ids;
    };
    const idsOf = (claims: readonly { id: string }[]) => claims.map(({ id }) => id);

    it('is claimed alone, before all others of its priority', async () => {
      const latest = await accept({ priority: 'batch' });
      const realtime = await accept();
      await claim({ worker: 'dead', limit: 2 });
      expect(await store.release('dead', 3)).toBe(2);
      const younger = await accept();
      expect(await claim({ limit: 10 })).toEqual([expect.objectContaining({ id: realtime, attempt: 2, alone: true })]);
      expect(await claim({ limit: 10 })).toEqual([expect.not.objectContaining({ alone: true })]);
      expect((await read(younger)).status).toBe('processing');
      expect(await claim({ limit: 10 })).toEqual([expect.objectContaining({ id: latest, attempt: 2, alone: true })]);
      expect(await claim({ limit: 10 })).toEqual([]);
    });

    it('is not claimed by a busy worker, which receives nothing else until it is idle', async () => {
      const [lost] = await lose({});
      const latest = [await accept(), await accept()];
      expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
      expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
      expect(idsOf(await claim({ worker: 'w1', limit: 10 }))).toEqual([lost]);
      expect(idsOf(await claim({ worker: 'w1', limit: 10, busy: true })).sort()).toEqual(latest.sort());
    });

    it('holds back one busy worker at a time', async () => {
      await lose({});
      const latest = await accept();
      expect(await claim({ worker: 'w1', busy: true })).toEqual([]);
      expect(idsOf(await claim({ worker: 'w2', busy: true }))).toEqual([latest]);
    });

    it('is claimed by the first idle worker, after which the busy worker claims again', async () => {
      const [lost] = await lose({});
      const latest = await accept();
      expect(await claim({ worker: 'w1', busy: true })).toEqual([]);
      expect(idsOf(await claim({ worker: 'w2', limit: 10 }))).toEqual([lost]);
      expect(idsOf(await claim({ worker: 'w1', busy: true }))).toEqual([latest]);
    });

    it('of priority batch comes after realtime tasks and before other batch tasks', async () => {
      const [lost] = await lose({ priority: 'batch' });
      const [batch, realtime] = [await accept({ priority: 'batch' }), await accept()];
      const idle = await store.completeAndClaim([], want({ worker: 'w1', limit: 10 }));
      expect(idle).toMatchObject({ claimed: [{ id: realtime }], moreMayWait: true });
      expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
      // A new realtime task does not delay it further.
      const late = await accept();
      expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
      const alone = await store.completeAndClaim([], want({ worker: 'w1', limit: 10 }));
      expect(alone).toMatchObject({ claimed: [{ id: lost }], moreMayWait: true });
      const rest = await store.completeAndClaim([], want({ worker: 'w1', limit: 10 }));
      expect([idsOf(rest.claimed).sort(), rest.moreMayWait]).toEqual([[batch, late].sort(), false]);
    });

    it('is still claimed alone after an attempt that was handed back or failed temporarily', async () => {
      const [lost] = await lose({});
      await claim();
      const again = { id: lost!, outcome: 'again' as const, delayMs: 0 };
      await store.completeAndClaim([{ ...again, attempt: 2, uncounted: true }], want({ limit: 0 }));
      expect(await claim()).toEqual([expect.objectContaining({ id: lost, attempt: 2, alone: true })]);
      await store.completeAndClaim([{ ...again, attempt: 2, delayMs: 5000 }], want({ limit: 0 }));
      expect(await claim()).toEqual([]);
      await under.shiftTimes(lost!, 6);
      expect(await claim()).toEqual([expect.objectContaining({ id: lost, attempt: 3, alone: true })]);
    });

    it('is no longer claimed alone after a user has requeued it', async () => {
      const [lost] = await lose({});
      await claim();
      const failure: Failure = { code: 'TRY_AGAIN', message: 'No.' };
      await store.completeAndClaim(
        [{ id: lost!, attempt: 2, outcome: 'failed', failure, processingMs: 1 }],
        want({ limit: 0 }),
      );
      expect(await store.requeue('a', lost!, [])).toBe(true);
      expect(await claim()).toEqual([expect.not.objectContaining({ alone: true })]);
    });

    it('counts as waiting', async () => {
      await lose({}, { priority: 'batch' });
      expect((await store.queueDepth('a')).waiting).toEqual({ realtime: 1, batch: 1 });
      expect((await store.queueDepth('a')).oldestWaitingSeconds.realtime).toBeGreaterThan(6);
    });
  });

  describe('a task whose processing time in milliseconds exceeds a 32-bit integer', () => {
    const begunLongAgo = async (over: Partial<NewTask> = {}) => {
      const { ttlSeconds: _, deadlineSeconds: __, ...endless } = newTask(over);
      await store.accept(endless);
      await claim();
      await under.shiftTimes(endless.id, 30 * 86_400);
      return endless.id;
    };
    const MOST = 2 ** 31 - 1;

    it('is failed by a sweep together with others', async () => {
      const old = await begunLongAgo();
      const other = await accept();
      await claim();
      await under.shiftTimes(other, 7);
      expect((await store.sweep({ ...limits, maxAttempts: 1 })).failed).toEqual({ a: 2 });
      expect(await read(old)).toMatchObject({ failure: { code: 'WORKER_LOST' }, processingMs: MOST });
    });

    it('can be cancelled and can complete', async () => {
      const [cancelled, finished] = [await begunLongAgo(), await begunLongAgo()];
      expect(await store.cancel('a', cancelled)).toMatchObject({ status: 'failed', processingMs: MOST });
      await store.completeAndClaim([{ ...done(finished), processingMs: 30 * 86_400_000 }], want({ limit: 0 }));
      expect(await read(finished)).toMatchObject({ status: 'done', processingMs: MOST });
    });
  });

  describe('deadlines, expiry and cancellation', () => {
    it('fail waiting and claimed tasks at the deadline, which stay readable', async () => {
      const waiting = await accept();
      const held = await accept({ priority: 'batch' });
      await claim();
      await under.shiftTimes(waiting, 82_801);
      await under.shiftTimes(held, 82_801);
      await store.renew('w1', [{ id: waiting, attempt: 1, leaseMs: 6000 }]);
      expect((await store.sweep(limits)).failed).toEqual({ a: 2 });
      for (const id of [waiting, held]) {
        expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'DEADLINE_EXCEEDED' } });
      }
    });

    it('delete expired tasks and keep tasks without an expiry', async () => {
      const id = await accept();
      const { ttlSeconds: _, ...endless } = newTask();
      await store.accept(endless);
      await under.shiftTimes(id, 86_401);
      await under.shiftTimes(endless.id, 999_999_999);
      expect((await store.sweep(limits)).removed).toBe(1);
      expect(await store.read('a', endless.id)).toBeDefined();
    });

    it('end waiting and claimed tasks; the next renewal of the worker fails', async () => {
      const waiting = await accept({ priority: 'batch' });
      const held = await accept();
      await claim();
      for (const id of [waiting, held]) {
        expect(await store.cancel('a', id)).toMatchObject({ status: 'failed', failure: { code: 'CANCELLED' } });
        expect(await store.cancel('a', id)).toBe('finished');
      }
      expect(await store.renew('w1', [{ id: held, attempt: 1, leaseMs: 6000 }])).toEqual([]);
      expect((await store.completeAndClaim([done(held)], want())).ended).toEqual([]);
      expect(await store.cancel('a', newId())).toBeUndefined();
      expect(await store.cancel('b', held)).toBeUndefined();
    });
  });

  describe('deliveries', () => {
    const hooked = (deliveryId: string, url = 'https://r.example/hook') =>
      accept({ webhook: { deliveryId, url, secret: Buffer.from('sealed') } });
    /** Takes at most `limit` of every queue. */
    const due = async (limit = 10) => {
      const { queues } = await store.findDueDeliveries(1000);
      return store.claimDueDeliveries(
        queues.map((queue) => ({ ...queue, limit })),
        60_000,
      );
    };
    const end = async (id: string, result: JsonValue = { n: 1 }) => {
      const [claimed] = await claim();
      expect(claimed?.id).toBe(id);
      await store.completeAndClaim([{ ...done(id), result }], want({ limit: 0 }));
    };

    it('become due in the statement that ends the task', async () => {
      const finished = await hooked('whd_done');
      await claim();
      const cancelled = await hooked('whd_cancelled');
      const overdue = await hooked('whd_overdue');
      expect(await due()).toEqual([]);
      await store.completeAndClaim([done(finished)], want({ limit: 0 }));
      await store.cancel('a', cancelled);
      await under.shiftTimes(overdue, 82_801);
      await store.sweep(limits);
      expect(await store.pendingDeliveries()).toBe(3);
      const taken = await due();
      expect(taken.map((d) => d.id).sort()).toEqual(['whd_cancelled', 'whd_done', 'whd_overdue']);
      expect(taken[0]).toMatchObject({ attempt: 1, origin: 'https://r.example', secret: Buffer.from('sealed') });
      expect(await due()).toEqual([]);
    });

    it('keep the body that was stored first', async () => {
      await hooked('whd_b');
      expect(await store.saveBodyOnce('whd_b', 'one')).toBe('one');
      expect(await store.saveBodyOnce('whd_b', 'two')).toBe('one');
    });

    it('are retried and then delivered, as the task shows', async () => {
      const id = await hooked('whd_r');
      await store.cancel('a', id);
      await due();
      await store.recordDelivery('whd_r', 1, {
        state: 'pending',
        delayMs: 5000,
        error: 'http_status',
        statusCode: 500,
      });
      expect((await read(id)).webhook).toMatchObject({
        state: 'pending',
        attempts: 1,
        lastError: 'http_status',
        responseStatusCode: 500,
      });
      expect((await read(id)).webhook?.nextAttemptAt).toBeInstanceOf(Date);
      expect(await due()).toEqual([]);
      await under.shiftTimes(id, 6);
      expect((await due())[0]).toMatchObject({ id: 'whd_r', attempt: 2 });
      expect(await store.recordDelivery('whd_r', 1, { state: 'failed', error: 'timeout' })).toBe(false);
      expect(await store.recordDelivery('whd_r', 2, { state: 'delivered', statusCode: 204 })).toBe(true);
      const webhook = (await read(id)).webhook;
      expect(webhook).toMatchObject({ state: 'delivered', attempts: 2, responseStatusCode: 204 });
      expect(webhook).not.toHaveProperty('lastError');
      expect(webhook).not.toHaveProperty('nextAttemptAt');
      await under.shiftTimes(id, 999);
      expect(await due()).toEqual([]);
    });

    it('continue their schedule with a copy of the task after the task has expired', async () => {
      const id = await accept({
        webhook: { deliveryId: 'whd_e', url: 'https://r.example/hook', secret: Buffer.from('sealed') },
        input: { 'ключ\u0000': 1 },
        requestId: 'request-1',
        traceparent: '00-1-2-01',
      });
      await end(id, { 'text\u0000': 'слово', n: 1e30 });
      const before = await read(id);
      await under.shiftTimes(id, 86_401);
      expect((await store.sweep(limits)).removed).toBe(1);
      expect(await store.read('a', id)).toBeUndefined();

      const [first] = await due();
      expect(first).toMatchObject({ id: 'whd_e', attempt: 1, secret: Buffer.from('sealed') });
      expect(first).toMatchObject({ requestId: 'request-1', traceparent: '00-1-2-01' });
      const { webhook: _, ...copied } = before;
      const aged = { queuedAt: expect.any(Date), finishedAt: expect.any(Date) };
      expect(first!.task).toMatchObject({ ...copied, ...aged });
      expect(await store.saveBodyOnce('whd_e', 'bytes')).toBe('bytes');
      expect(await store.recordDelivery('whd_e', 1, { state: 'pending', delayMs: 0, error: 'timeout' })).toBe(true);
      expect((await due())[0]).toMatchObject({ id: 'whd_e', attempt: 2, body: 'bytes', task: { id } });
      expect(await store.recordDelivery('whd_e', 2, { state: 'failed', error: 'timeout' })).toBe(true);
      expect(await store.pendingDeliveries()).toBe(0);
      expect(await under.hasDelivery('whd_e')).toBe(false);
    });

    it('can finish an attempt after the task has expired', async () => {
      const id = await hooked('whd_x');
      await store.cancel('a', id);
      await due();
      await under.shiftTimes(id, 86_401);
      await store.sweep(limits);
      expect(await store.recordDelivery('whd_x', 1, { state: 'delivered', statusCode: 204 })).toBe(true);
      expect(await under.hasDelivery('whd_x')).toBe(false);
    });

    it('are deleted with the task when they are finished or the task is removed', async () => {
      const settled = await hooked('whd_s');
      await store.cancel('a', settled);
      await due();
      await store.recordDelivery('whd_s', 1, { state: 'delivered', statusCode: 204 });
      await under.shiftTimes(settled, 86_401);
      await store.sweep(limits);
      const removed = await hooked('whd_d');
      await store.cancel('a', removed);
      await store.remove('a', [removed]);
      expect(await Promise.all(['whd_s', 'whd_d'].map((id) => under.hasDelivery(id)))).toEqual([false, false]);
      expect(await due()).toEqual([]);
    });

    it('become due when the task expires before it ended', async () => {
      const id = await hooked('whd_n');
      await under.shiftTimes(id, 86_401);
      expect(await store.sweep(limits)).toMatchObject({ failed: { a: 1 }, removed: 0 });
      expect(await store.sweep(limits)).toMatchObject({ failed: {}, removed: 1 });
      expect((await due())[0]).toMatchObject({ id: 'whd_n', attempt: 1, task: { status: 'failed' } });
    });

    it('are still due after the idempotency key of their expired task was used again', async () => {
      const key = { key: Buffer.from('k'), fingerprint: Buffer.from('f') };
      const id = await accept({ idempotency: key, webhook: { deliveryId: 'whd_i', url: 'https://r.example/' } });
      await store.cancel('a', id);
      await under.shiftTimes(id, 86_401);
      await accept({ idempotency: key });
      await store.sweep(limits);
      expect((await due())[0]).toMatchObject({ id: 'whd_i', attempt: 1 });
    });

    it('of a killed deliverer are due again when the lease expires', async () => {
      const id = await hooked('whd_k');
      await store.cancel('a', id);
      await due();
      await under.shiftTimes(id, 61);
      expect((await due())[0]).toMatchObject({ id: 'whd_k', attempt: 2 });
    });

    it('can be postponed without counting an attempt', async () => {
      const id = await hooked('whd_p');
      await store.cancel('a', id);
      await due();
      await store.recordDelivery('whd_p', 1, { state: 'postponed', delayMs: 5000 });
      expect((await read(id)).webhook).toMatchObject({ state: 'pending', attempts: 0 });
      expect((await read(id)).webhook).not.toHaveProperty('lastAttemptAt');
      await under.shiftTimes(id, 6);
      expect((await due())[0]).toMatchObject({ attempt: 1 });
    });

    it('are grouped by client and receiver and taken from each group in due order', async () => {
      const ids: string[] = [];
      for (const [n, principal] of ['p', 'p', 'q', 'p'].entries()) {
        const id = await accept({
          principal,
          webhook: { deliveryId: `whd_${n}`, url: n === 3 ? 'https://free.example:8443/x' : 'https://busy.example/' },
        });
        ids.push(id);
        await store.cancel('a', id);
      }
      await under.shiftTimes(ids[1]!, 60);
      const page = await store.findDueDeliveries(1000);
      expect(page).toMatchObject({ isLast: true });
      const names = page.queues.map(({ principal, origin }) => `${principal} ${origin}`).sort();
      expect(names).toEqual(['p https://busy.example', 'p https://free.example:8443', 'q https://busy.example']);
      const taken = await due(1);
      expect(taken.map(({ id }) => id).sort()).toEqual(['whd_1', 'whd_2', 'whd_3']);
      expect((await due(1)).map(({ id }) => id)).toEqual(['whd_0']);
    });

    it('are found once each across pages, even with equal due times', async () => {
      const id = Array.from({ length: 25 }, (_, n) => `whd_${String(n).padStart(2, '0')}`);
      const urls = id.map((name) => `https://${name.replace('_', '-')}.example/`);
      const taskIds = await Promise.all(id.map((name, n) => hooked(name, urls[n])));
      for (const each of taskIds) await under.shiftTimes(each, 82_801);
      await store.sweep(limits);
      const found: string[] = [];
      let page = await store.findDueDeliveries(10);
      for (; !page.isLast; page = await store.findDueDeliveries(10, page.next))
        found.push(...page.queues.map((q) => q.origin));
      found.push(...page.queues.map((q) => q.origin));
      expect(found.sort()).toEqual(urls.map((url) => url.slice(0, -1)));
      expect((await store.findDueDeliveries(10, page.next)).isLast).toBe(false);
    });

    it('are each taken by one deliverer', async () => {
      for (let n = 0; n < 20; n++) await store.cancel('a', await hooked(`whd_${n}`));
      const taken = (await Promise.all(Array.from({ length: 8 }, () => due(5)))).flat();
      const ids = taken.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(taken.every(({ attempt }) => attempt === 1)).toBe(true);
    });

    it('show no next attempt during an attempt', async () => {
      const id = await hooked('whd_u');
      await store.cancel('a', id);
      await due();
      expect((await read(id)).webhook).toMatchObject({ state: 'pending', attempts: 1 });
      expect((await read(id)).webhook).not.toHaveProperty('nextAttemptAt');
    });
  });

  it('depth counts waiting tasks and tasks in progress', async () => {
    await accept({ priority: 'batch' });
    await accept();
    await accept();
    await claim();
    expect(await store.queueDepth('a')).toMatchObject({ waiting: { realtime: 1, batch: 1 }, processing: 1 });
  });

  it('depth counts at most ten thousand waiting tasks by default', async () => {
    for (let left = MAX_COUNTED + 1; left > 0; left -= 5000) {
      await Promise.all(Array.from({ length: Math.min(left, 5000) }, () => store.accept(newTask())));
    }
    expect((await store.queueDepth('a')).waiting).toEqual({ realtime: MAX_COUNTED, batch: 0 });
  });

  it('depth counts waiting tasks up to the given limit', async () => {
    for (let i = 0; i < 5; i++) await accept();
    expect((await store.queueDepth('a', 3)).waiting).toEqual({ realtime: 3, batch: 0 });
    expect((await store.queueDepth('a', 20_000)).waiting).toEqual({ realtime: 5, batch: 0 });
  });

  it('depth reports how long the next task has waited', async () => {
    const oldest = await accept({ priority: 'batch' });
    await accept({ priority: 'batch' });
    await under.shiftTimes(oldest, 100);
    const { oldestWaitingSeconds } = await store.queueDepth('a');
    expect(oldestWaitingSeconds.batch).toBeCloseTo(100, -1);
    expect(oldestWaitingSeconds.realtime).toBe(0);
  });

  it('depth reports how long a lost task has waited that is behind the front of the queue', async () => {
    const lost = await accept({ priority: 'batch' });
    await under.shiftTimes(lost, 100);
    await claim({ worker: 'dead' });
    await store.queueDepth('a');
    await store.release('dead', 3);
    const { waiting, oldestWaitingSeconds } = await store.queueDepth('a');
    expect(waiting.batch).toBe(1);
    expect(oldestWaitingSeconds.batch).toBeCloseTo(100, -1);
  });

  it('hints do not wake a listener whose signal has aborted', async () => {
    let woken = 0;
    const stop = new AbortController();
    store.onHint('finished', () => woken++, stop.signal);
    stop.abort();
    store.onHint('finished', () => woken++, stop.signal);
    const other = new AbortController();
    const received = new Promise<void>((resolve) => store.onHint('finished', resolve, other.signal));
    store.hint('finished');
    await received;
    other.abort();
    expect(woken).toBe(0);
  });

  it('hints wake a listener', async () => {
    const stop = new AbortController();
    const woken = new Promise<void>((resolve) => store.onHint('waiting:a', resolve, stop.signal));
    store.hint('waiting:a');
    await woken;
    stop.abort();
  });
});

function newTask(over: Partial<NewTask> = {}): NewTask {
  return {
    id: newId(),
    service: 'a',
    principal: 'p',
    priority: 'realtime',
    input: {},
    estimateSeconds: 90,
    deadlineSeconds: 82_800,
    ttlSeconds: 86_400,
    ...over,
  };
}
