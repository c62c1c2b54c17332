import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { COST_MICROS, deleteUnusedTags } from './fair-tags.ts';
import { createPostgresTaskStore } from './postgres.ts';
import type { NewTask, TaskStore } from './store.ts';

let database: TestDatabase;
let gateways: [ReturnType<typeof createPostgresTaskStore>, ReturnType<typeof createPostgresTaskStore>];
let worker: ReturnType<typeof createPostgresTaskStore>;
beforeEach(async () => {
  database = await testDatabase();
  const weights = new Map([
    ['two', 2],
    ['four', 4],
    ['tenth', 0.1],
  ]);
  const open = () => createPostgresTaskStore(database.db, { weights, batchSharePercent: 10 });
  gateways = [open(), open()];
  worker = open();
});
afterEach(async () => {
  for (const store of [...gateways, worker]) store.close();
  await database.drop();
});

const newTask = (owner: string, over: Partial<NewTask> = {}): NewTask => ({
  ...{ id: newId(), service: 'a', principal: owner, owner, priority: 'realtime', input: {}, estimateSeconds: 1 },
  ...over,
});
const acceptMany = (store: TaskStore, owner: string, count: number, over: Partial<NewTask> = {}) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => store.accept(newTask(owner, { principal: `${owner}-${i % 50}`, ...over }))),
  );
/** As the gateways do once a second. */
const readDepths = () => Promise.all(gateways.map((store) => store.queueDepth('a')));

/** Claims `count` tasks one by one; returns their owners. */
async function claim(count: number): Promise<string[]> {
  const owners: string[] = [];
  for (let i = 0; i < count; i++) {
    const { claimed } = await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1, leaseMs: 600_000 });
    if (claimed[0]) owners.push(claimed[0].principal.replace(/-\d+$/, ''));
  }
  return owners;
}
const countOf = (owners: readonly string[], owner: string) => owners.filter((each) => each === owner).length;

async function ownersWithTags(): Promise<string[]> {
  const { rows } = await database.db.query<{ owner: string }>('select owner from client_queues order by owner');
  return rows.map(({ owner }) => owner);
}

describe('Fair scheduling', () => {
  it('keeps the tags of clients with waiting tasks and the latest one, and deletes the others', async () => {
    const [one] = gateways;
    for (const owner of ['first', 'second', 'third']) {
      await one.accept(newTask(owner));
      await claim(1);
      await readDepths();
    }
    expect(await ownersWithTags()).toEqual(['first', 'second', 'third']);
    await acceptMany(one, 'waiting', 2);
    await deleteUnusedTags(database.db);
    expect(await ownersWithTags()).toContain('waiting');
    expect(await ownersWithTags()).not.toContain('first');
    await claim(2);
    await deleteUnusedTags(database.db);
    expect(await ownersWithTags()).toEqual(['waiting']);
    const { virtualTime } = await one.queueDepth('a');
    await one.accept(newTask('first'));
    const { rows } = await database.db.query<{ start: number }>(
      `select extract(epoch from start)::float8 as start from client_queues where owner = 'first'`,
    );
    expect(rows[0]!.start).toBeCloseTo(virtualTime.realtime, 5);
  });

  it('puts a task of another client in front of the queue of a client with many tokens, at any gateway', async () => {
    const [one, other] = gateways;
    await one.accept(newTask('earlier'));
    await claim(1);
    await readDepths();
    await acceptMany(one, 'heavy', 600);
    await other.accept(newTask('light'));
    expect((await claim(2)).sort()).toEqual(['heavy', 'light']);
    await claim(100);
    await readDepths();
    await other.accept(newTask('light'));
    await acceptMany(one, 'heavy', 100);
    expect(await claim(2)).toContain('light');
  });

  it('divides the claims by the weights of the clients that wait', async () => {
    await readDepths();
    await Promise.all(
      gateways.flatMap((store) => ['one', 'two', 'four'].map((owner) => acceptMany(store, owner, 100))),
    );
    const owners = await claim(140);
    expect(Math.abs(countOf(owners, 'one') - 20)).toBeLessThanOrEqual(1);
    expect(Math.abs(countOf(owners, 'two') - 40)).toBeLessThanOrEqual(1);
    expect(Math.abs(countOf(owners, 'four') - 80)).toBeLessThanOrEqual(1);
  });

  it('leaves an idle share to the other clients and does not let a client save it up', async () => {
    const [one, other] = gateways;
    await readDepths();
    await acceptMany(one, 'heavy', 200);
    expect(countOf(await claim(100), 'heavy')).toBe(100);
    await readDepths();
    await acceptMany(other, 'late', 100);
    const owners = await claim(60);
    expect(Math.abs(countOf(owners, 'late') - 30)).toBeLessThanOrEqual(1);
  });

  it('claims at once what has a tag later than the clock, also after it was handed back', async () => {
    const [one, other] = gateways;
    await readDepths();
    await acceptMany(one, 'tenth', 200);
    await readDepths();
    await acceptMany(other, 'late', 30);
    expect(countOf(await claim(33), 'tenth')).toBe(3);
    const next = await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1, leaseMs: 600_000 });
    const { id, attempt } = next.claimed[0]!;
    const again = { id, attempt, outcome: 'again', delayMs: 0 } as const;
    await worker.completeAndClaim([again], { service: 'a', worker: 'w', limit: 0, leaseMs: 600_000 });
    expect((await claim(300)).length).toBe(197);
  });

  it('guarantees batch tasks their share while realtime tasks wait, and all workers otherwise', async () => {
    const [one, other] = gateways;
    await acceptMany(one, 'batch', 60, { priority: 'batch' });
    await acceptMany(other, 'realtime', 100);
    const owners = await claim(100);
    expect(owners.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'realtime'));
    expect(countOf(owners, 'batch')).toBeGreaterThanOrEqual(9);
    expect(countOf(owners, 'batch')).toBeLessThanOrEqual(10);
    expect((await claim(100)).length).toBe(60);
  });

  it('puts tasks that a client retries at the end of its queue', async () => {
    const [one, other] = gateways;
    await acceptMany(one, 'heavy', 60);
    const failed: string[] = [];
    for (let i = 0; i < 60; i++) {
      const request = { service: 'a', worker: 'w', leaseMs: 600_000 };
      const [claimed] = (await worker.completeAndClaim([], { ...request, limit: 1 })).claimed;
      const failure = { code: 'TRY_AGAIN', message: 'No.' };
      const ending = { id: claimed!.id, attempt: 1, outcome: 'failed', failure, processingMs: 1 } as const;
      await worker.completeAndClaim([ending], { ...request, limit: 0 });
      failed.push(claimed!.id);
    }
    await readDepths();
    for (const id of failed) expect(await one.requeue('a', id, [])).toBe(true);
    await readDepths();
    await acceptMany(other, 'light', 5);
    expect(countOf(await claim(12), 'light')).toBe(5);
  });

  it('charges retries to the weight and the priority of the task', async () => {
    const [one] = gateways;
    const task = newTask('tenth', { priority: 'batch' });
    await one.accept(task);
    await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1, leaseMs: 600_000 });
    const finish = async () => {
      const { rows } = await database.db.query<{ priority: number; finish: number }>(
        'select priority, extract(epoch from finish)::float8 * 1e6 as finish from client_queues',
      );
      return rows;
    };
    const [before] = await finish();
    const ending = { id: task.id, attempt: 1, outcome: 'failed', failure: { code: 'X', message: 'No.' } } as const;
    await worker.completeAndClaim([{ ...ending, processingMs: 1 }], {
      ...{ service: 'a', worker: 'w', limit: 0, leaseMs: 600_000 },
    });
    expect(await one.requeue('a', task.id, [])).toBe(true);
    const after = await finish();
    expect(after).toHaveLength(1);
    expect(after[0]!.finish - before!.finish).toBeGreaterThanOrEqual(COST_MICROS * 10 - 1);
  });

  it('puts promoted tasks behind the realtime tasks of the time, also if their client used realtime long ago', async () => {
    const [one, other] = gateways;
    await one.accept(newTask('bulk'));
    await acceptMany(other, 'steady', 50);
    await claim(51);
    await readDepths();
    const bulk = Array.from({ length: 30 }, () => newTask('bulk', { priority: 'batch', ttlSeconds: 36_000 }));
    await Promise.all(bulk.map((task) => one.accept(task)));
    const ids = bulk.map(({ id }) => id);
    await database.db.query("update tasks set queued_at = queued_at - interval '2 hours' where id = any($1)", [ids]);
    const limits = { services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 1000 };
    expect((await one.sweep(limits)).promoted).toBe(30);
    await readDepths();
    await other.accept(newTask('steady'));
    expect(await claim(3)).toContain('steady');
  });

  it('does not delay a promoted task that was handed back', async () => {
    const [one] = gateways;
    await readDepths();
    const task = newTask('tenth', { priority: 'batch', ttlSeconds: 36_000 });
    await one.accept(task);
    const request = { service: 'a', worker: 'w', leaseMs: 600_000 };
    await worker.completeAndClaim([], { ...request, limit: 1 });
    const back = { id: task.id, attempt: 1, outcome: 'again', delayMs: 0, uncounted: true } as const;
    await worker.completeAndClaim([back], { ...request, limit: 0 });
    await acceptMany(one, 'tenth', 5);
    await database.db.query(
      "update client_queues set finish = now() + interval '1 hour'; update tasks set queued_at = queued_at - interval '2 hours'",
    );
    const limits = { services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 1000 };
    expect((await one.sweep(limits)).promoted).toBe(1);
    const { rows } = await database.db.query<{ due: boolean }>(
      'select run_at <= now() as due from tasks where id = $1',
      [task.id],
    );
    expect(rows).toEqual([{ due: true }]);
  });

  it('claims a task that failed temporarily before the queue of its client', async () => {
    const [one] = gateways;
    const { id } = newTask('heavy');
    await one.accept(newTask('heavy', { id }));
    await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1, leaseMs: 600_000 });
    await acceptMany(one, 'heavy', 20);
    const again = { id, attempt: 1, outcome: 'again', delayMs: 1 } as const;
    await worker.completeAndClaim([again], { service: 'a', worker: 'w', limit: 0, leaseMs: 600_000 });
    const next = async () =>
      (await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1, leaseMs: 600_000 })).claimed[0];
    await expect.poll(async () => (await next())?.id).toBe(id);
  });

  it('accepts tasks of the same clients in opposite order at two gateways without a deadlock, and each is claimed once', async () => {
    const owners = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ids = new Set<string>();
    const accept = (store: TaskStore, owner: string, keyed: boolean) => {
      const task = newTask(owner);
      ids.add(task.id);
      const key = Buffer.from(task.id);
      return store.accept(keyed ? { ...task, idempotency: { key, fingerprint: key } } : task);
    };
    for (let round = 0; round < 20; round++) {
      const keyed = round % 2 === 0;
      await Promise.all([
        ...owners.map((owner) => accept(gateways[0], owner, keyed)),
        ...owners.toReversed().map((owner) => accept(gateways[1], owner, !keyed)),
      ]);
    }
    const claims = await Promise.all(
      ['w1', 'w2', 'w3', 'w4'].map((name) =>
        worker.completeAndClaim([], { service: 'a', worker: name, limit: 100, leaseMs: 600_000 }),
      ),
    );
    const rest = await worker.completeAndClaim([], { service: 'a', worker: 'w', limit: 1000, leaseMs: 600_000 });
    const claimed = [...claims, rest].flatMap((each) => each.claimed.map(({ id }) => id));
    expect(claimed.sort()).toEqual([...ids].sort());
  });

  it('lets requests of the same client be accepted while a batch is written', async () => {
    const [one, other] = gateways;
    await one.accept(newTask('heavy'));
    const items = Array.from({ length: 1500 }, (_, i) =>
      newTask('heavy', { priority: i % 2 ? 'batch' : 'realtime', principal: 'heavy-1' }),
    );
    const batch = newTask('heavy', { service: 'a.batches', principal: 'heavy-1' });
    let accepting: Promise<unknown> | undefined;
    await database.db.transaction(async (tx) => {
      await tx.query('lock table batches in access exclusive mode');
      accepting = one.batches.accept(batch, items);
      const isWaiting = `select from pg_locks where relation = 'batches'::regclass and not granted`;
      await expect.poll(async () => (await database.db.query(isWaiting)).rowCount).toBe(1);
      for (const priority of ['realtime', 'batch'] as const) {
        expect(await other.accept(newTask('heavy', { priority }))).toMatchObject({ outcome: 'accepted' });
      }
    });
    expect(await accepting).toMatchObject({ outcome: 'accepted' });
    const { rows } = await database.db.query<{ tags: number; tasks: number }>(
      `select count(distinct (priority, run_at))::int as tags, count(*)::int as tasks from tasks where service = 'a'`,
    );
    expect(rows).toEqual([{ tags: 1503, tasks: 1503 }]);
  });

  it('takes the start tags of a batch once, also when its transaction is repeated after a collision', async () => {
    const { db } = database;
    let failures = 1;
    const colliding: typeof db = {
      ...db,
      transaction: (run, options) =>
        db.transaction(async (tx) => {
          const result = await run(tx);
          if (failures-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
          return result;
        }, options),
    };
    const store = createPostgresTaskStore(colliding);
    const items = Array.from({ length: 100 }, () => newTask('heavy', { priority: 'batch' }));
    const batch = newTask('heavy', { service: 'a.batches', priority: 'batch' });
    expect(await store.batches.accept(batch, items)).toMatchObject({ outcome: 'accepted' });
    expect(failures).toBe(-1);
    const { rows } = await db.query(`
      select count(*)::int as items, (extract(epoch from q.finish - min(t.run_at)) * 1e6)::int as micros
        from tasks t join client_queues q using (service) where t.service = 'a' group by q.finish`);
    expect(rows).toEqual([{ items: 100, micros: 100 * COST_MICROS }]);
    store.close();
  });
});
