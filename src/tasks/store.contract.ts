import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import type { JsonValue } from '../base/json.ts';
import { type CompanionTask, DEPTH_COUNTED, type NewTask, type TaskStore, type Want } from './store.ts';
import type { Task } from './task.ts';

/** What the suite needs besides the store itself: an empty table, and a way to let time pass for one task. */
export interface StoreUnderTest {
  store: TaskStore;
  empty(): Promise<void>;
  /** Commits what `run` did, or nothing of it. */
  transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Moves a task (and its lease, deadline, expiry and delivery) `seconds` into the past, as if so much time had gone by. */
  age(id: string, seconds: number): Promise<void>;
  /** Whether anything of a delivery is still there. */
  kept(deliveryId: string): Promise<boolean>;
  /** Has a worker's heart beat for the last time so many seconds ago. */
  seen(worker: string, secondsAgo: number): Promise<void>;
  close(): Promise<void>;
}

/** Holds an implementation of the task store to its promises. */
export function describeTaskStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let under: StoreUnderTest;
    let store: TaskStore;

    beforeAll(async () => {
      under = await open();
      store = under.store;
    });
    beforeEach(() => under.empty());
    afterAll(() => under.close());

    const want = (over: Partial<Want> = {}): Want => ({ service: 'a', worker: 'w1', limit: 1, leaseMs: 6000, ...over });
    const claim = async (over: Partial<Want> = {}) => (await store.advance([], want(over))).claimed;
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
      it('answers a task as it was written down', async () => {
        const id = await accept({ input: { url: 'https://x.example/1', 'ключ\u0000': 'x' } });
        expect(await read(id)).toMatchObject({ id, status: 'queued', service: 'a', estimateSeconds: 90 });
        expect(JSON.parse((await read(id)).inputText)).toEqual({ url: 'https://x.example/1', 'ключ\u0000': 'x' });
      });

      it('keeps every one of many tasks that arrive at once', async () => {
        const tasks = Array.from({ length: 1300 }, () => newTask());
        await Promise.all(tasks.map((task) => store.accept(task)));
        const found = await Promise.all(tasks.map((task) => store.read('a', task.id)));
        expect(found.map((task) => task?.id)).toEqual(tasks.map((task) => task.id));
      });

      it('answers large results to every reader, beside small ones', async () => {
        const ids = [await accept(), await accept(), await accept()];
        const results = ['small', ...['а', 'b'].map((letter) => letter + Array.from({ length: 50_000 }, newId).join())];
        await claim({ limit: 3 });
        const endings = ids.map((id, i) => ({ ...done(id), result: results[i]! }));
        await store.advance(endings, want({ limit: 0 }));
        const readers = Array.from({ length: 30 }, (_, n) => n % 3);
        const tasks = await Promise.all(readers.map((i) => read(ids[i]!)));
        for (const [n, task] of tasks.entries()) {
          expect(task).toMatchObject({ status: 'done', resultText: JSON.stringify(results[n % 3]) });
        }
        expect(await store.read('b', ids[1]!)).toBeUndefined();
      });

      it("knows no other service's task, no unknown one, and none whose time is over", async () => {
        const id = await accept({ ttlSeconds: 86_400 });
        expect(await store.read('b', id)).toBeUndefined();
        expect(await store.read('a', newId())).toBeUndefined();
        await under.age(id, 86_399);
        expect(await store.read('a', id)).toBeDefined();
        await under.age(id, 2);
        expect(await store.read('a', id)).toBeUndefined();
      });

      it('answers the first task again when an idempotency key is used twice, also within one batch', async () => {
        const idempotency = { key: Buffer.from('k'), fingerprint: Buffer.from('f') };
        const outcomes = await Promise.all([1, 2, 3].map(() => store.accept(newTask({ idempotency }))));
        const [first] = outcomes.filter((outcome) => outcome.outcome === 'accepted');
        expect(outcomes.map((outcome) => outcome.outcome).sort()).toEqual(['accepted', 'replayed', 'replayed']);
        expect(new Set(outcomes.map((outcome) => 'id' in outcome && outcome.id))).toEqual(new Set([first?.id]));
        const other = { key: idempotency.key, fingerprint: Buffer.from('g') };
        expect((await store.accept(newTask({ idempotency: other }))).outcome).toBe('conflict');
        expect(await claim({ limit: 10 })).toHaveLength(1);
      });

      it('answers batches that share their keys in opposite order, and writes every key down once', async () => {
        for (let round = 0; round < 10; round++) {
          const keys = Array.from({ length: 500 }, (_, i) => Buffer.from(`${round}-${i}`));
          const use = (key: Buffer) => store.accept(newTask({ idempotency: { key, fingerprint: Buffer.from('f') } }));
          const outcomes = await Promise.all([...keys, ...keys.toReversed()].map(use));
          expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(500);
          expect(outcomes.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(500);
        }
      });

      it('takes a key as new when the time of its first task is over, swept or not', async () => {
        const use = (fingerprint: string) =>
          newTask({ idempotency: { key: Buffer.from('k'), fingerprint: Buffer.from(fingerprint) } });
        const first = use('f');
        await store.accept(first);
        await under.age(first.id, 86_401);
        const outcomes = await Promise.all([store.accept(use('g')), store.accept(use('g'))]);
        expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'replayed']);
        for (const outcome of outcomes) expect('id' in outcome && (await read(outcome.id)).status).toBe('queued');
      });

      it('tells the first use of a key without writing anything', async () => {
        const use = (key: string, fingerprint: string) => ({
          key: Buffer.from(key),
          fingerprint: Buffer.from(fingerprint),
        });
        const first = newTask({ idempotency: use('first-use', 'f') });
        expect(await store.firstUse(use('first-use', 'f'))).toBeUndefined();
        await store.accept(first);
        const looked = [use('first-use', 'f'), use('first-use', 'g'), use('unused', 'f')].map(store.firstUse);
        expect(await Promise.all(looked)).toEqual([
          { outcome: 'replayed', id: first.id, estimateSeconds: first.estimateSeconds },
          { outcome: 'conflict' },
          undefined,
        ]);
        expect(await claim({ limit: 10 })).toHaveLength(1);
        await under.age(first.id, 86_401);
        expect(await store.firstUse(use('first-use', 'f'))).toBeUndefined();
      });

      it('shows a webhook only for tasks created with one', async () => {
        const id = await accept({ webhook: { deliveryId: 'whd_1', url: 'https://r.example/hook' } });
        expect((await read(id)).webhook).toEqual({ deliveryId: 'whd_1', state: 'pending', attempts: 0 });
        expect(await read(await accept())).not.toHaveProperty('webhook');
      });
    });

    describe('accept in a transaction of the caller', () => {
      const companion = (over: Partial<CompanionTask> = {}): CompanionTask => ({
        ...{ id: newId(), service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 90 },
        ...over,
      });
      const write = (...tasks: CompanionTask[]) => under.transaction((tx) => store.acceptWithin(tx, tasks));

      it('writes tasks down with what else is written there, or neither', async () => {
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

      it('makes tasks that are born done with the result of another one, and wait like any where it has none', async () => {
        const source = await accept();
        await claim();
        await store.advance([{ ...done(source), attachment: { map: 'AAAA' } }], want({ limit: 0 }));
        const unfinished = await accept();
        const copies = [source, unfinished, newId()].map((resultOf) => companion({ resultOf }));
        expect(await write(...copies)).toEqual([copies[0]!.id]);
        expect(await read(copies[0]!.id)).toMatchObject({ status: 'done', resultText: '{"n":1}', processingMs: 0 });
        expect(await store.readAttachment(copies[0]!.id)).toEqual({ map: 'AAAA' });
        expect((await claim({ limit: 10 })).map(({ id }) => id).sort()).toEqual(
          [unfinished, copies[1]!.id, copies[2]!.id].sort(),
        );
      });

      it('may leave the deadline and the end of their time away', async () => {
        const { id } = companion();
        await write(companion({ id }));
        await claim();
        await under.age(id, 999_999_999);
        await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }]);
        expect(await store.sweep(limits)).toMatchObject({ returned: 0, failed: {}, removed: 0 });
        expect((await read(id)).status).toBe('processing');
        // Its leases are looked after all the same.
        await under.age(id, 7);
        expect((await store.sweep(limits)).returned).toBe(1);
      });
    });

    describe('requeue', () => {
      const failed = async (code = 'TRY_AGAIN', over: Partial<NewTask> = {}) => {
        const id = await accept(over);
        await claim();
        const failure = { code, sentence: 'No.' };
        await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000, progress: 0.5, checkpoint: { page: 3 } }]);
        await store.advance([{ id, attempt: 1, outcome: 'failed', failure, processingMs: 3 }], want({ limit: 0 }));
        return id;
      };

      it('puts a failed task back as if it had just arrived', async () => {
        const id = await failed();
        await under.age(id, 80_000);
        expect(await store.requeue('a', id, ['NEVER'])).toBe(true);
        expect((await read(id)).status).toBe('queued');
        await under.age(id, 10_000);
        expect((await store.sweep(limits)).failed).toEqual({});
        const [again] = await claim();
        expect(again).toMatchObject({ id, attempt: 1 });
        expect(again).not.toHaveProperty('checkpoint');
        expect(await read(id)).not.toHaveProperty('progress');
      });

      it('of several at once is granted to one', async () => {
        const id = await failed();
        const granted = await Promise.all([1, 2, 3, 4].map(() => store.requeue('a', id, [])));
        expect(granted.filter(Boolean)).toHaveLength(1);
      });

      it('is refused for what is final, for what has not failed, and where the end was already told', async () => {
        const webhook = { deliveryId: 'whd_q', url: 'https://r.example/hook' };
        const ids = [await failed('NEVER'), await failed('TRY_AGAIN', { webhook }), newId()];
        ids.push(await accept({ priority: 'batch' }));
        for (const id of ids) expect(await store.requeue('a', id, ['NEVER'])).toBe(false);
        expect(await store.requeue('b', await failed(), [])).toBe(false);
        const finished = await accept();
        await claim();
        await store.advance([done(finished)], want({ limit: 0 }));
        expect(await store.requeue('a', finished, [])).toBe(false);
      });
    });

    describe('remove', () => {
      it('takes tasks away in any state; whoever works on one is late from then on', async () => {
        const held = await accept();
        await claim();
        const waiting = await accept({ webhook: { deliveryId: 'whd_rm', url: 'https://r.example/' } });
        const elsewhere = await accept({ service: 'b' });
        const removed = await store.remove('a', [waiting, held, elsewhere, newId()]);
        expect([...removed].sort()).toEqual([held, waiting].sort());
        expect(await store.renew('w1', [{ id: held, attempt: 1, leaseMs: 6000 }])).toEqual([]);
        expect((await store.advance([done(held)], want({ limit: 0 }))).ended).toEqual([]);
        expect(await store.read('a', held)).toBeUndefined();
        expect(await store.pendingDeliveries()).toBe(0);
        expect(await store.read('b', elsewhere)).toBeDefined();
      });

      it('of the same tasks in opposite order, at once, takes each away once', async () => {
        const ids = await Promise.all(Array.from({ length: 200 }, () => accept()));
        const removed = await Promise.all([store.remove('a', ids), store.remove('a', ids.toReversed())]);
        expect(removed.flat().sort()).toEqual([...ids].sort());
      });
    });

    describe('claim', () => {
      it('gives each task to one worker only', async () => {
        const ids = await Promise.all(Array.from({ length: 60 }, () => accept()));
        const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => claim({ worker: `w${i}`, limit: 10 })));
        expect(
          claims
            .flat()
            .map((c) => c.id)
            .sort(),
        ).toEqual([...ids].sort());
      });

      it('takes realtime before batch, and the oldest first', async () => {
        const late = await accept({ priority: 'batch' });
        const first = await accept();
        const second = await accept();
        const order = [];
        for (let i = 0; i < 3; i++) order.push((await claim())[0]?.id);
        expect(order).toEqual([first, second, late]);
      });

      it('promotes what has waited too long, so that it shares with realtime in the order of arrival', async () => {
        const [older, batch, young] = [
          await accept({ priority: 'batch' }),
          await accept({ priority: 'batch' }),
          await accept({ priority: 'batch' }),
        ];
        const before = await accept();
        await under.age(older, 3700);
        await under.age(batch, 3601);
        expect((await store.sweep(limits)).promoted).toBe(2);
        const after = await accept();
        expect((await store.sweep(limits)).promoted).toBe(0);
        const order = [];
        for (let i = 0; i < 5; i++) order.push((await claim())[0]?.id);
        expect(order).toEqual([before, older, batch, after, young]);
      });

      it("leaves other services' tasks alone, and counts the attempt", async () => {
        const id = await accept();
        expect(await claim({ service: 'b' })).toEqual([]);
        expect((await claim())[0]).toMatchObject({ id, attempt: 1, principal: 'p' });
        expect((await read(id)).status).toBe('processing');
      });
    });

    describe('ending an attempt', () => {
      it('records the result and claims the next task in one step', async () => {
        const id = await accept();
        const next = await accept();
        await claim();
        const { ended, claimed } = await store.advance([done(id)], want());
        expect(ended).toEqual([id]);
        expect(claimed.map((c) => c.id)).toEqual([next]);
        expect(await read(id)).toMatchObject({ status: 'done', resultText: '{"n":1}', processingMs: 12 });
      });

      it('records a failure with its code and sentence', async () => {
        const id = await accept();
        await claim();
        const failure = { code: 'IMAGE_CORRUPT', sentence: 'The image is damaged.' };
        await store.advance([{ id, attempt: 1, outcome: 'failed', failure, processingMs: 3 }], want({ limit: 0 }));
        expect(await read(id)).toMatchObject({ status: 'failed', failure, processingMs: 3 });
      });

      it('keeps an attachment beside the result', async () => {
        const id = await accept();
        await claim();
        await store.advance([{ ...done(id), attachment: { map: 'AAAA' } }], want({ limit: 0 }));
        expect(await store.readAttachment(id)).toEqual({ map: 'AAAA' });
        expect(await read(id)).not.toHaveProperty('attachment');
      });

      it('keeps the state processing between attempts, and waits before the next', async () => {
        const id = await accept();
        await claim();
        await store.advance([{ id, attempt: 1, outcome: 'again', delayMs: 5000 }], want({ limit: 0 }));
        expect((await read(id)).status).toBe('processing');
        expect(await claim()).toEqual([]);
        await under.age(id, 6);
        expect((await claim())[0]).toMatchObject({ id, attempt: 2 });
      });

      it('does not count an attempt that a stopping worker hands back', async () => {
        const id = await accept();
        await claim();
        await store.advance([{ id, attempt: 1, outcome: 'again', delayMs: 0, uncounted: true }], want({ limit: 0 }));
        expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 1 });
      });

      it('changes nothing for a late worker: fenced by worker and by attempt', async () => {
        const id = await accept();
        await claim();
        await under.age(id, 7);
        await store.sweep(limits);
        expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 2 });
        expect((await store.advance([done(id, 1)], want({ limit: 0 }))).ended).toEqual([]);
        expect((await store.advance([done(id, 2)], want({ limit: 0 }))).ended).toEqual([]);
        expect((await store.advance([done(id, 1)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([]);
        expect((await read(id)).status).toBe('processing');
        expect((await store.advance([done(id, 2)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([id]);
        expect((await store.advance([done(id, 2)], want({ worker: 'w2', limit: 0 }))).ended).toEqual([]);
      });
    });

    describe('leases', () => {
      it('hold while they are renewed, and carry progress and checkpoint to a successor', async () => {
        const id = await accept();
        await claim();
        await under.age(id, 4);
        const renewal = { id, attempt: 1, leaseMs: 6000, progress: 0.5, checkpoint: { window: 3 } };
        expect(await store.renew('w1', [renewal])).toEqual([id]);
        await under.age(id, 4);
        expect((await store.sweep(limits)).returned).toBe(0);
        expect(await read(id)).toMatchObject({ status: 'processing', progress: 0.5 });
        await under.age(id, 3);
        expect((await store.sweep(limits)).returned).toBe(1);
        expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ attempt: 2, checkpoint: { window: 3 } });
        expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([]);
      });

      it('may be renewed in any order at once: nobody waits in a circle', async () => {
        await Promise.all(Array.from({ length: 300 }, () => accept()));
        const leases = (await claim({ limit: 300 })).map(({ id }) => ({ id, attempt: 1, leaseMs: 6000 }));
        const renew = (order: typeof leases) => store.renew('w1', order);
        for (let round = 0; round < 10; round++) {
          const held = await Promise.all([leases, leases.toReversed(), leases, leases.toReversed()].map(renew));
          expect(held.map((ids) => ids.length)).toEqual([300, 300, 300, 300]);
        }
      });

      it('that have run out are still held, and may be renewed, until they are given away', async () => {
        const id = await accept();
        await claim();
        await under.age(id, 7);
        expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([id]);
        expect((await store.sweep(limits)).returned).toBe(0);
        expect((await store.advance([done(id)], want({ limit: 0 }))).ended).toEqual([id]);
      });

      describe('that ran out while the store was away', () => {
        /** A lease of `w1` that ran out so many seconds ago, when the worker was last seen `seen` seconds ago. */
        const ranOut = async (secondsAgo: number, { seen }: { seen: number }) => {
          const id = await accept();
          await claim();
          await under.age(id, secondsAgo + 6);
          await under.seen('w1', seen);
          return id;
        };
        /** Sweeps as somebody does who has asked in vain for so long. */
        const sweepAfter = async (seconds: number) => {
          const { at } = await store.sweep({ ...limits, rows: 0 });
          return store.sweep({ ...limits, asked: { since: new Date(at.getTime() - seconds * 1000), leaseMs: 6000 } });
        };
        const LOST = { spared: 0, returned: 1 };

        it('go on where their worker was seen just before, until it renews them: no attempt is lost', async () => {
          const id = await ranOut(31, { seen: 38 });
          expect(await sweepAfter(36)).toMatchObject({ spared: 1, returned: 0, failed: {} });
          expect(await store.sweep(limits)).toMatchObject({ spared: 0, returned: 0 });
          expect(await store.renew('w1', [{ id, attempt: 1, leaseMs: 6000 }])).toEqual([id]);
          expect((await store.advance([done(id)], want({ limit: 0 }))).ended).toEqual([id]);
        });

        it('go on at the last attempt too', async () => {
          const id = await ranOut(31, { seen: 38 });
          const { at } = await store.sweep({ ...limits, rows: 0 });
          const asked = { since: new Date(at.getTime() - 36_000), leaseMs: 6000 };
          expect(await store.sweep({ ...limits, maxAttempts: 1, asked })).toMatchObject({ spared: 1, failed: {} });
          expect((await read(id)).status).toBe('processing');
        });

        it('are lost where their worker was gone before, or was never seen', async () => {
          const id = await ranOut(31, { seen: 43 });
          expect(await sweepAfter(36)).toMatchObject(LOST);
          await claim({ worker: 'nobody' });
          await under.age(id, 31 + 6);
          expect(await sweepAfter(36)).toMatchObject(LOST);
        });

        it('are lost where it was away before, or after, or nobody knows that it was', async () => {
          for (const away of [25, 32, 50]) {
            await ranOut(31, { seen: 26 });
            expect(await sweepAfter(away), `away for ${away} s`).toMatchObject(LOST);
            await under.empty();
          }
          await ranOut(31, { seen: 26 });
          expect(await store.sweep(limits)).toMatchObject(LOST);
        });

        it('are lost when the grace is over, and a worker that was not seen again is not spared again', async () => {
          for (const away of [1, 2, 3, 4, 5, 6, 7, 8, 9, 36, 50]) {
            const id = await ranOut(31, { seen: 1 });
            expect(await sweepAfter(36)).toMatchObject({ spared: 1 });
            await under.age(id, 12);
            await under.seen('w1', 1 + 12);
            expect(await sweepAfter(away), `away for ${away} s`).toMatchObject(LOST);
            await under.empty();
          }
        });

        it('say when the next one is to run out', async () => {
          expect((await store.sweep(limits)).nextLeaseMs).toBeNull();
          await ranOut(31, { seen: 38 });
          await accept();
          await claim({ leaseMs: 600_000 });
          const { nextLeaseMs } = await store.sweep(limits);
          expect(nextLeaseMs).toBeGreaterThan(300_000);
          expect(nextLeaseMs).toBeLessThanOrEqual(600_000);
        });
      });

      it('of a worker known to be dead are given back at once, its first attempts, to their old place', async () => {
        const second = await accept();
        await claim({ worker: 'dead' });
        await under.age(second, 7);
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

      it('of a worker known to be dead run out where no attempt would be left', async () => {
        const id = await accept();
        await claim({ worker: 'dead' });
        expect(await store.release('dead', 1)).toBe(0);
        await under.age(id, 7);
        await store.sweep({ ...limits, maxAttempts: 1 });
        expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
      });

      it('that are lost return the task to its old place, at once', async () => {
        const lost = await accept();
        await claim();
        const younger = await accept();
        await under.age(lost, 7);
        await store.sweep(limits);
        expect((await claim({ worker: 'w2' }))[0]?.id).toBe(lost);
        expect((await claim({ worker: 'w2' }))[0]?.id).toBe(younger);
      });

      it('that are lost at the last attempt fail the task: a poison task ends', async () => {
        const id = await accept();
        for (let attempt = 1; attempt <= 3; attempt++) {
          expect((await claim())[0]).toMatchObject({ attempt });
          await under.age(id, 7);
          await store.sweep(limits);
        }
        expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
      });
    });

    describe('claims whose answer was lost', () => {
      const first = async () => (await claim({ claim: 7 }))[0]!.id;

      it('go back to their place in the queue, and the attempt that never began does not count', async () => {
        const id = await accept();
        await accept();
        expect(await first()).toBe(id);
        expect(await store.returnClaims('w1', [6, 7])).toEqual([7]);
        expect(await store.returnClaims('w1', [6, 7])).toEqual([]);
        expect((await claim({ worker: 'w2' }))[0]).toMatchObject({ id, attempt: 1 });
      });

      it("leave alone what other claims hold, other workers' claims of that number, and what has ended", async () => {
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

      it('count where the task is lost again and again after it was begun: a poison task still ends', async () => {
        const id = await accept();
        for (let attempt = 1; attempt <= 3; attempt++) {
          await first();
          expect(await store.returnClaims('w1', [7])).toEqual([7]);
          expect((await claim({ claim: 8 }))[0]).toMatchObject({ attempt });
          await under.age(id, 7);
          await store.sweep(limits);
        }
        expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'WORKER_LOST' } });
      });
    });

    describe('a task whose attempt was lost with its worker', () => {
      /** Claims that many tasks for one worker and has their leases run out. */
      const lose = async (...tasks: Partial<NewTask>[]) => {
        const ids: string[] = [];
        for (const task of tasks) ids.push(await accept(task));
        await claim({ worker: 'dead', limit: ids.length });
        for (const id of ids) await under.age(id, 7);
        expect((await store.sweep(limits)).returned).toBe(ids.length);
        return ids;
      };
      const idsOf = (claims: readonly { id: string }[]) => claims.map(({ id }) => id);

      it('is claimed alone, before all others of its priority', async () => {
        const fresh = await accept({ priority: 'batch' });
        const realtime = await accept();
        await claim({ worker: 'dead', limit: 2 });
        expect(await store.release('dead', 3)).toBe(2);
        const younger = await accept();
        expect(await claim({ limit: 10 })).toEqual([
          expect.objectContaining({ id: realtime, attempt: 2, alone: true }),
        ]);
        expect(await claim({ limit: 10 })).toEqual([expect.not.objectContaining({ alone: true })]);
        expect((await read(younger)).status).toBe('processing');
        expect(await claim({ limit: 10 })).toEqual([expect.objectContaining({ id: fresh, attempt: 2, alone: true })]);
        expect(await claim({ limit: 10 })).toEqual([]);
      });

      it('is not claimed by a busy worker, which is given nothing else until it is free', async () => {
        const [lost] = await lose({});
        const fresh = [await accept(), await accept()];
        expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
        expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
        expect(idsOf(await claim({ worker: 'w1', limit: 10 }))).toEqual([lost]);
        expect(idsOf(await claim({ worker: 'w1', limit: 10, busy: true })).sort()).toEqual(fresh.sort());
      });

      it('keeps one busy worker at a time from claiming', async () => {
        await lose({});
        const fresh = await accept();
        expect(await claim({ worker: 'w1', busy: true })).toEqual([]);
        expect(idsOf(await claim({ worker: 'w2', busy: true }))).toEqual([fresh]);
      });

      it('is claimed by the first worker that is free, and the busy one goes on', async () => {
        const [lost] = await lose({});
        const fresh = await accept();
        expect(await claim({ worker: 'w1', busy: true })).toEqual([]);
        expect(idsOf(await claim({ worker: 'w2', limit: 10 }))).toEqual([lost]);
        expect(idsOf(await claim({ worker: 'w1', busy: true }))).toEqual([fresh]);
      });

      it('waits behind realtime tasks if it came as batch, and before other batch tasks', async () => {
        const [lost] = await lose({ priority: 'batch' });
        const [batch, realtime] = [await accept({ priority: 'batch' }), await accept()];
        expect(idsOf(await claim({ worker: 'w1', limit: 10 }))).toEqual([realtime]);
        expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
        // A realtime task that comes now does not keep the worker busy for longer.
        const late = await accept();
        expect(await claim({ worker: 'w1', limit: 10, busy: true })).toEqual([]);
        expect(idsOf(await claim({ worker: 'w1', limit: 10 }))).toEqual([lost]);
        expect(idsOf(await claim({ worker: 'w1', limit: 10 })).sort()).toEqual([batch, late].sort());
      });

      it('stays one when another attempt is handed back or fails for a passing cause', async () => {
        const [lost] = await lose({});
        await claim();
        const again = { id: lost!, outcome: 'again' as const, delayMs: 0 };
        await store.advance([{ ...again, attempt: 2, uncounted: true }], want({ limit: 0 }));
        expect(await claim()).toEqual([expect.objectContaining({ id: lost, attempt: 2, alone: true })]);
        await store.advance([{ ...again, attempt: 2, delayMs: 1 }], want({ limit: 0 }));
        await under.age(lost!, 1);
        expect(await claim()).toEqual([expect.objectContaining({ id: lost, attempt: 3, alone: true })]);
      });

      it('is one no longer when a failed task is put back by a person', async () => {
        const [lost] = await lose({});
        await claim();
        const failure = { code: 'TRY_AGAIN', sentence: 'No.' };
        await store.advance(
          [{ id: lost!, attempt: 2, outcome: 'failed', failure, processingMs: 1 }],
          want({ limit: 0 }),
        );
        expect(await store.requeue('a', lost!, [])).toBe(true);
        expect(await claim()).toEqual([expect.not.objectContaining({ alone: true })]);
      });

      it('is not one whose attempt was handed back: that keeps its place, and is claimed with others', async () => {
        const handedBack = [await accept(), await accept({ priority: 'batch' })];
        await claim({ limit: 2 });
        const fresh = [await accept(), await accept({ priority: 'batch' })];
        const back = (id: string) => ({ id, attempt: 1, outcome: 'again' as const, delayMs: 0, uncounted: true });
        await store.advance(handedBack.map(back), want({ limit: 0 }));
        const order: string[] = [];
        for (let i = 0; i < 4; i++) order.push(...idsOf(await claim({ worker: 'w2', busy: true })));
        expect(order).toEqual([handedBack[0], fresh[0], handedBack[1], fresh[1]]);
      });

      it('counts as waiting', async () => {
        await lose({}, { priority: 'batch' });
        expect((await store.depth('a')).waiting).toEqual({ realtime: 1, batch: 1 });
        expect((await store.depth('a')).oldestWaitingSeconds.realtime).toBeGreaterThan(6);
      });
    });

    describe('a task that began so long ago that its milliseconds exceed four bytes', () => {
      const begunLongAgo = async (over: Partial<NewTask> = {}) => {
        const { ttlSeconds: _, deadlineSeconds: __, ...endless } = newTask(over);
        await store.accept(endless);
        await claim();
        await under.age(endless.id, 30 * 86_400);
        return endless.id;
      };
      const MOST = 2 ** 31 - 1;

      it('is ended by a sweep, with the others', async () => {
        const old = await begunLongAgo();
        const other = await accept();
        await claim();
        await under.age(other, 7);
        expect((await store.sweep({ ...limits, maxAttempts: 1 })).failed).toEqual({ a: 2 });
        expect(await read(old)).toMatchObject({ failure: { code: 'WORKER_LOST' }, processingMs: MOST });
      });

      it('can be cancelled, and can end', async () => {
        const [cancelled, finished] = [await begunLongAgo(), await begunLongAgo()];
        expect(await store.cancel('a', cancelled)).toMatchObject({ status: 'failed', processingMs: MOST });
        await store.advance([{ ...done(finished), processingMs: 30 * 86_400_000 }], want({ limit: 0 }));
        expect(await read(finished)).toMatchObject({ status: 'done', processingMs: MOST });
      });
    });

    describe('deadline, expiry and cancel', () => {
      it('fails what is not finished at its deadline, waiting or held, and leaves time to read it', async () => {
        const waiting = await accept();
        const held = await accept({ priority: 'batch' });
        await claim();
        await under.age(waiting, 82_801);
        await under.age(held, 82_801);
        await store.renew('w1', [{ id: waiting, attempt: 1, leaseMs: 6000 }]);
        expect((await store.sweep(limits)).failed).toEqual({ a: 2 });
        for (const id of [waiting, held]) {
          expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'DEADLINE_EXCEEDED' } });
        }
      });

      it('removes what has expired, and keeps what never expires', async () => {
        const id = await accept();
        const { ttlSeconds: _, ...endless } = newTask();
        await store.accept(endless);
        await under.age(id, 86_401);
        await under.age(endless.id, 999_999_999);
        expect((await store.sweep(limits)).removed).toBe(1);
        expect(await store.read('a', endless.id)).toBeDefined();
      });

      it('cancels what waits and what is worked on; the worker learns it at its next renewal', async () => {
        const waiting = await accept({ priority: 'batch' });
        const held = await accept();
        await claim();
        for (const id of [waiting, held]) {
          expect(await store.cancel('a', id)).toMatchObject({ status: 'failed', failure: { code: 'CANCELLED' } });
          expect(await store.cancel('a', id)).toBe('finished');
        }
        expect(await store.renew('w1', [{ id: held, attempt: 1, leaseMs: 6000 }])).toEqual([]);
        expect((await store.advance([done(held)], want())).ended).toEqual([]);
        expect(await store.cancel('a', newId())).toBeUndefined();
        expect(await store.cancel('b', held)).toBeUndefined();
      });
    });

    describe('deliveries', () => {
      const hooked = (deliveryId: string, url = 'https://r.example/hook') =>
        accept({ webhook: { deliveryId, url, secret: Buffer.from('sealed') } });
      /** Takes at most `limit` of every queue. */
      const due = async (limit = 10) => {
        const { queues } = await store.findDue(1000);
        return store.takeDue(
          queues.map((queue) => ({ ...queue, limit })),
          60_000,
        );
      };
      const end = async (id: string, result: JsonValue = { n: 1 }) => {
        const [claimed] = await claim();
        expect(claimed?.id).toBe(id);
        await store.advance([{ ...done(id), result }], want({ limit: 0 }));
      };

      it('fall due in the statement that ends the task, whichever it is', async () => {
        const finished = await hooked('whd_done');
        await claim();
        const cancelled = await hooked('whd_cancelled');
        const overdue = await hooked('whd_overdue');
        expect(await due()).toEqual([]);
        await store.advance([done(finished)], want({ limit: 0 }));
        await store.cancel('a', cancelled);
        await under.age(overdue, 82_801);
        await store.sweep(limits);
        expect(await store.pendingDeliveries()).toBe(3);
        const taken = await due();
        expect(taken.map((d) => d.id).sort()).toEqual(['whd_cancelled', 'whd_done', 'whd_overdue']);
        expect(taken[0]).toMatchObject({ attempt: 1, origin: 'https://r.example', secret: Buffer.from('sealed') });
        expect(await due()).toEqual([]);
      });

      it('keep the bytes that were kept first', async () => {
        await hooked('whd_b');
        expect(await store.keepBody('whd_b', 'one')).toBe('one');
        expect(await store.keepBody('whd_b', 'two')).toBe('one');
      });

      it('are retried, then delivered, and say so to the reader of the task', async () => {
        const id = await hooked('whd_r');
        await store.cancel('a', id);
        await due();
        await store.settle('whd_r', 1, { state: 'pending', delayMs: 5000, error: 'http_status', statusCode: 500 });
        expect((await read(id)).webhook).toMatchObject({
          state: 'pending',
          attempts: 1,
          lastError: 'http_status',
          responseStatusCode: 500,
        });
        expect((await read(id)).webhook?.nextAttemptAt).toBeInstanceOf(Date);
        expect(await due()).toEqual([]);
        await under.age(id, 6);
        expect((await due())[0]).toMatchObject({ id: 'whd_r', attempt: 2 });
        expect(await store.settle('whd_r', 1, { state: 'failed', error: 'timeout' })).toBe(false);
        expect(await store.settle('whd_r', 2, { state: 'delivered', statusCode: 204 })).toBe(true);
        const webhook = (await read(id)).webhook;
        expect(webhook).toMatchObject({ state: 'delivered', attempts: 2, responseStatusCode: 204 });
        expect(webhook).not.toHaveProperty('lastError');
        expect(webhook).not.toHaveProperty('nextAttemptAt');
        await under.age(id, 999);
        expect(await due()).toEqual([]);
      });

      it('run their schedule to the end after the task has expired, with what the task told', async () => {
        const id = await accept({
          webhook: { deliveryId: 'whd_e', url: 'https://r.example/hook', secret: Buffer.from('sealed') },
          input: { 'ключ\u0000': 1 },
          requestId: 'request-1',
          traceparent: '00-1-2-01',
        });
        await end(id, { 'text\u0000': 'слово', n: 1e30 });
        const before = await read(id);
        await under.age(id, 86_401);
        expect((await store.sweep(limits)).removed).toBe(1);
        expect(await store.read('a', id)).toBeUndefined();

        const [first] = await due();
        expect(first).toMatchObject({ id: 'whd_e', attempt: 1, secret: Buffer.from('sealed') });
        expect(first).toMatchObject({ requestId: 'request-1', traceparent: '00-1-2-01' });
        const { webhook: _, ...told } = before;
        const aged = { queuedAt: expect.any(Date), finishedAt: expect.any(Date) };
        expect(first!.task).toMatchObject({ ...told, ...aged });
        expect(await store.keepBody('whd_e', 'bytes')).toBe('bytes');
        expect(await store.settle('whd_e', 1, { state: 'pending', delayMs: 0, error: 'timeout' })).toBe(true);
        expect((await due())[0]).toMatchObject({ id: 'whd_e', attempt: 2, body: 'bytes', task: { id } });
        expect(await store.settle('whd_e', 2, { state: 'failed', error: 'timeout' })).toBe(true);
        expect(await store.pendingDeliveries()).toBe(0);
        expect(await under.kept('whd_e')).toBe(false);
      });

      it('may have an attempt under way while the task expires', async () => {
        const id = await hooked('whd_x');
        await store.cancel('a', id);
        await due();
        await under.age(id, 86_401);
        await store.sweep(limits);
        expect(await store.settle('whd_x', 1, { state: 'delivered', statusCode: 204 })).toBe(true);
        expect(await under.kept('whd_x')).toBe(false);
      });

      it('go with the task when they are settled, or when the task is removed', async () => {
        const settled = await hooked('whd_s');
        await store.cancel('a', settled);
        await due();
        await store.settle('whd_s', 1, { state: 'delivered', statusCode: 204 });
        await under.age(settled, 86_401);
        await store.sweep(limits);
        const removed = await hooked('whd_d');
        await store.cancel('a', removed);
        await store.remove('a', [removed]);
        expect(await Promise.all(['whd_s', 'whd_d'].map((id) => under.kept(id)))).toEqual([false, false]);
        expect(await due()).toEqual([]);
      });

      it('fall due also when the task expires without ever having ended', async () => {
        const id = await hooked('whd_n');
        await under.age(id, 86_401);
        expect(await store.sweep(limits)).toMatchObject({ failed: { a: 1 }, removed: 0 });
        expect(await store.sweep(limits)).toMatchObject({ failed: {}, removed: 1 });
        expect((await due())[0]).toMatchObject({ id: 'whd_n', attempt: 1, task: { status: 'failed' } });
      });

      it('are still due when the idempotency key of their expired task is used again', async () => {
        const key = { key: Buffer.from('k'), fingerprint: Buffer.from('f') };
        const id = await accept({ idempotency: key, webhook: { deliveryId: 'whd_i', url: 'https://r.example/' } });
        await store.cancel('a', id);
        await under.age(id, 86_401);
        await accept({ idempotency: key });
        await store.sweep(limits);
        expect((await due())[0]).toMatchObject({ id: 'whd_i', attempt: 1 });
      });

      it('of a killed deliverer go to another when its lease is over', async () => {
        const id = await hooked('whd_k');
        await store.cancel('a', id);
        await due();
        await under.age(id, 61);
        expect((await due())[0]).toMatchObject({ id: 'whd_k', attempt: 2 });
      });

      it('may be put off without counting as an attempt', async () => {
        const id = await hooked('whd_p');
        await store.cancel('a', id);
        await due();
        await store.settle('whd_p', 1, { state: 'postponed', delayMs: 5000 });
        expect((await read(id)).webhook).toMatchObject({ state: 'pending', attempts: 0 });
        expect((await read(id)).webhook).not.toHaveProperty('lastAttemptAt');
        await under.age(id, 6);
        expect((await due())[0]).toMatchObject({ attempt: 1 });
      });

      it('are found by client and receiver, and taken from each queue in the order in which they fell due', async () => {
        const ids: string[] = [];
        for (const [n, principal] of ['p', 'p', 'q', 'p'].entries()) {
          const id = await accept({
            principal,
            webhook: { deliveryId: `whd_${n}`, url: n === 3 ? 'https://free.example:8443/x' : 'https://busy.example/' },
          });
          ids.push(id);
          await store.cancel('a', id);
        }
        await under.age(ids[1]!, 60);
        const page = await store.findDue(1000);
        expect(page).toMatchObject({ isLast: true });
        const names = page.queues.map(({ principal, origin }) => `${principal} ${origin}`).sort();
        expect(names).toEqual(['p https://busy.example', 'p https://free.example:8443', 'q https://busy.example']);
        const taken = await due(1);
        expect(taken.map(({ id }) => id).sort()).toEqual(['whd_1', 'whd_2', 'whd_3']);
        expect((await due(1)).map(({ id }) => id)).toEqual(['whd_0']);
      });

      it('are found page by page, each once, also where many fall due in the same instant', async () => {
        const id = Array.from({ length: 25 }, (_, n) => `whd_${String(n).padStart(2, '0')}`);
        const urls = id.map((name) => `https://${name.replace('_', '-')}.example/`);
        const taskIds = await Promise.all(id.map((name, n) => hooked(name, urls[n])));
        for (const each of taskIds) await under.age(each, 82_801);
        await store.sweep(limits);
        const found: string[] = [];
        let page = await store.findDue(10);
        for (; !page.isLast; page = await store.findDue(10, page.next)) found.push(...page.queues.map((q) => q.origin));
        found.push(...page.queues.map((q) => q.origin));
        expect(found.sort()).toEqual(urls.map((url) => url.slice(0, -1)));
        expect((await store.findDue(10, page.next)).isLast).toBe(false);
      });

      it('are never taken by two deliverers', async () => {
        for (let n = 0; n < 20; n++) await store.cancel('a', await hooked(`whd_${n}`));
        const taken = (await Promise.all(Array.from({ length: 8 }, () => due(5)))).flat();
        const ids = taken.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(taken.every(({ attempt }) => attempt === 1)).toBe(true);
      });

      it('say nothing of the next attempt while one is under way', async () => {
        const id = await hooked('whd_u');
        await store.cancel('a', id);
        await due();
        expect((await read(id)).webhook).toMatchObject({ state: 'pending', attempts: 1 });
        expect((await read(id)).webhook).not.toHaveProperty('nextAttemptAt');
      });
    });

    it('counts what waits and what is worked on', async () => {
      await accept({ priority: 'batch' });
      await accept();
      await accept();
      await claim();
      expect(await store.depth('a')).toMatchObject({ waiting: { realtime: 1, batch: 1 }, processing: 1 });
    });

    it('counts what waits to ten thousand and no further', async () => {
      for (let left = DEPTH_COUNTED + 1; left > 0; left -= 5000) {
        await Promise.all(Array.from({ length: Math.min(left, 5000) }, () => store.accept(newTask())));
      }
      expect((await store.depth('a')).waiting).toEqual({ realtime: DEPTH_COUNTED, batch: 0 });
    });

    it('counts what waits as far as the caller asks', async () => {
      for (let i = 0; i < 5; i++) await accept();
      expect((await store.depth('a', 3)).waiting).toEqual({ realtime: 3, batch: 0 });
      expect((await store.depth('a', 20_000)).waiting).toEqual({ realtime: 5, batch: 0 });
    });

    it('tells how long the next to be claimed has waited', async () => {
      const oldest = await accept({ priority: 'batch' });
      await accept({ priority: 'batch' });
      await under.age(oldest, 100);
      const { oldestWaitingSeconds } = await store.depth('a');
      expect(oldestWaitingSeconds.batch).toBeCloseTo(100, -1);
      expect(oldestWaitingSeconds.realtime).toBe(0);
    });

    it('wakes nobody who has stopped listening', async () => {
      let woken = 0;
      const stop = new AbortController();
      store.onHint('finished', () => woken++, stop.signal);
      stop.abort();
      store.onHint('finished', () => woken++, stop.signal);
      const other = new AbortController();
      const heard = new Promise<void>((resolve) => store.onHint('finished', resolve, other.signal));
      store.hint('finished');
      await heard;
      other.abort();
      expect(woken).toBe(0);
    });

    it('wakes who listens', async () => {
      const stop = new AbortController();
      const woken = new Promise<void>((resolve) => store.onHint('waiting:a', resolve, stop.signal));
      store.hint('waiting:a');
      await woken;
      stop.abort();
    });
  });
}

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
