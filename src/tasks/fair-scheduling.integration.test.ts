import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { COST_MICROS } from './fair-tags.ts';
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

describe('Fair scheduling', () => {
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
