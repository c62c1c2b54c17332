import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { newId } from '../base/ids.ts';
import { createSignal } from '../base/loop.ts';
import { createEventStore, type EventPage, type EventStore, type FeedPosition, skipEventNumbers } from './events.ts';
import { createPostgresTaskStore } from './postgres.ts';
import { cancel } from './requeue.ts';
import type { NewTask } from './store.ts';

describe('the event store', () => {
  let database: TestDatabase;
  let tasks: ReturnType<typeof createPostgresTaskStore>;
  let events: EventStore;

  beforeAll(async () => {
    database = await testDatabase();
    tasks = createPostgresTaskStore(database.db);
    events = createEventStore(database.db);
  });
  afterAll(async () => {
    tasks.close();
    await database.drop();
  });

  let feeds = 0;
  const newFeed = () => ({ service: 'a', principal: `p${++feeds}` });
  type Feed = ReturnType<typeof newFeed>;

  const accept = async (feed: Feed, over: Partial<NewTask> = {}) => {
    const id = newId();
    const task = { priority: 'realtime', input: {}, estimateSeconds: 1, ttlSeconds: 100, ...over } as const;
    await tasks.accept({ ...feed, ...task, id });
    return id;
  };
  /** Ends a task without a worker. */
  const end = (id: string) => tasks.cancel('a', id);
  const readPage = async (feed: Feed, after: FeedPosition = 'earliest', limit = 1000): Promise<EventPage> => {
    await events.numberNew();
    const reading = await events.read(feed, after, limit);
    if (reading.outcome !== 'page') throw new Error(reading.outcome);
    return reading;
  };
  const idsOf = ({ events: found }: Pick<EventPage, 'events'>) => found.map(({ taskId }) => taskId);

  it('returns each end of a task once, and ends of a repeated task twice', async () => {
    const feed = newFeed();
    const id = await accept(feed);
    expect((await readPage(feed)).events).toEqual([]);
    await end(id);
    await tasks.requeue('a', id, []);
    await end(id);
    const { events: found, position } = await readPage(feed);
    const event = { kind: 'terminal', taskId: id, status: 'failed', errorCode: 'CANCELLED' };
    expect(found).toMatchObject([event, event]);
    expect(await readPage(feed, position)).toMatchObject({ events: [], position, more: false });
  });

  it('returns an end by the cleanup, and none for an attempt that is repeated', async () => {
    const feed = newFeed();
    const [overdue, repeated] = [await accept(feed), await accept(feed)];
    const { claimed } = await tasks.completeAndClaim([], { service: 'a', worker: 'w', limit: 100, leaseMs: 6000 });
    const { attempt } = claimed.find(({ id }) => id === repeated)!;
    await tasks.completeAndClaim([{ id: repeated, attempt, outcome: 'again', delayMs: 60_000 }], {
      ...{ service: 'a', worker: 'w', limit: 0, leaseMs: 6000 },
    });
    await database.db.query(`update tasks set deadline_at = now() - interval '1 second' where id = $1`, [overdue]);
    await tasks.sweep({ services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 100 });
    expect((await readPage(feed)).events).toMatchObject([
      { kind: 'terminal', taskId: overdue, status: 'failed', errorCode: 'DEADLINE_EXCEEDED' },
    ]);
  });

  it('returns a result that a task copies', async () => {
    const feed = newFeed();
    const first = await accept(feed);
    const { claimed } = await tasks.completeAndClaim([], { service: 'a', worker: 'w', limit: 100, leaseMs: 6000 });
    const endings = claimed.map(({ id, attempt }) => ({
      ...{ id, attempt, outcome: 'done' as const, result: 1, processingMs: 1 },
    }));
    await tasks.completeAndClaim(endings, { service: 'a', worker: 'w', limit: 0, leaseMs: 6000 });
    const copy = {
      ...feed,
      id: newId(),
      priority: 'realtime',
      input: {},
      estimateSeconds: 1,
      resultOf: first,
    } as const;
    await database.db.transaction((tx) => tasks.acceptWithin(tx, [copy]));
    expect((await readPage(feed)).events).toMatchObject([
      { taskId: first, status: 'done' },
      { taskId: copy.id, status: 'done', errorCode: null },
    ]);
  });

  it('returns the deletion of a task, but not its expiry', async () => {
    const feed = newFeed();
    const [deleted, expired] = [await accept(feed), await accept(feed)];
    await tasks.remove('a', [deleted]);
    await database.db.query(`update tasks set expires_at = now() - interval '1 second' where id = $1`, [expired]);
    const limits = { services: ['a'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 100 };
    await tasks.sweep(limits);
    expect((await readPage(feed)).events).toMatchObject([{ kind: 'deleted', taskId: deleted, status: null }]);
  });

  it('returns only the events of the client in the service', async () => {
    const [feed, other] = [newFeed(), newFeed()];
    const id = await accept(feed);
    await end(id);
    await end(await accept(other));
    expect(idsOf(await readPage(feed))).toEqual([id]);
    expect(idsOf(await readPage({ ...feed, service: 'b' }))).toEqual([]);
  });

  it('returns pages, and the position of the latest event', async () => {
    const feed = newFeed();
    const ids = [];
    for (let i = 0; i < 5; i++) {
      const id = await accept(feed);
      await end(id);
      ids.push(id);
    }
    const first = await readPage(feed, 'earliest', 2);
    const second = await readPage(feed, first.position, 2);
    const third = await readPage(feed, second.position, 2);
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect([first, second, third].map(({ more }) => more)).toEqual([true, true, false]);
    expect((await readPage(feed, 'latest')).position).toBe(third.position);
  });

  it('rejects a position that no event has', async () => {
    const feed = newFeed();
    const { position } = await readPage(feed, 'latest');
    expect(await events.read(feed, position + 1e9, 1)).toEqual({ outcome: 'unknown' });
  });

  it('rejects a position before deleted events, and only for their client', async () => {
    const [feed, idle] = [newFeed(), newFeed()];
    await end(await accept(idle));
    const idlePosition = (await readPage(idle)).position;
    await end(await accept(feed));
    await end(await accept(feed));
    const { events: found, position } = await readPage(feed);
    await database.db.query('update task_events set expires_at = now() where number = $1', [found[1]!.number]);
    const last = await accept(feed);
    await end(last);
    await readPage(feed);
    await events.deleteExpired(new AbortController().signal);
    expect(await events.read(feed, found[0]!.number, 10)).toEqual({ outcome: 'expired', earliest: position });
    expect(idsOf(await readPage(feed, position))).toEqual([last]);
    expect(idsOf(await readPage(feed, 'earliest'))).toEqual([last]);
    expect(idsOf(await readPage(idle, idlePosition))).toEqual([]);
  });

  it('keeps events at least as long as results', async () => {
    const feed = newFeed();
    await end(await accept(feed));
    await readPage(feed);
    const { rows } = await database.db.query<{ longer: boolean }>(
      `select e.expires_at >= t.expires_at as longer
         from task_events e join tasks t on t.id = e.task_id where e.principal = $1`,
      [feed.principal],
    );
    expect(rows).toEqual([{ longer: true }]);
  });

  it('continues above the numbers of a backup', async () => {
    const feed = newFeed();
    await end(await accept(feed));
    const before = await readPage(feed);
    await skipEventNumbers(database.db);
    const lostPosition = before.position + 5;
    const id = await accept(feed);
    await end(id);
    expect(idsOf(await readPage(feed, lostPosition))).toEqual([id]);
  });

  it('returns events of concurrent transactions in the order of their commits, without gaps', async () => {
    const feed = newFeed();
    const WRITERS = 6;
    const ROUNDS = 15;
    const committed: string[][] = [];
    const store = createEventStore(database.db);
    const seen: string[] = [];
    let position: FeedPosition = 'earliest';
    let writing = true;
    const read = async () => {
      await store.numberNew();
      const reading = await store.read(feed, position, 7);
      if (reading.outcome !== 'page') throw new Error(reading.outcome);
      ({ position } = reading);
      seen.push(...idsOf(reading));
      return reading.events.length;
    };
    const reader = (async () => {
      while (writing || (await read()) > 0) await read();
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const own: string[] = [];
        committed.push(own);
        for (let round = 0; round < ROUNDS; round++) {
          const id = await accept(feed);
          // The event is recorded first and committed after a delay, in another order than the others.
          await database.db.transaction(async (tx) => {
            await cancel(tx, 'a', id);
            await tx.query('select pg_sleep($1)', [((writer * 7 + round * 3) % 10) / 500]);
          });
          own.push(id);
        }
      }),
    );
    writing = false;
    await reader;
    expect(seen).toHaveLength(WRITERS * ROUNDS);
    expect(new Set(seen).size).toBe(WRITERS * ROUNDS);
    for (const own of committed) expect(seen.filter((id) => own.includes(id))).toEqual(own);
  });

  it('does not wait for a foreign transaction, and returns its event when it commits', async () => {
    const feed = newFeed();
    const [slow, ...others] = [await accept(feed), await accept(feed), await accept(feed)];
    const [recorded, release] = [createSignal(), createSignal()];
    const transaction = database.db.transaction(async (tx) => {
      await cancel(tx, 'a', slow!);
      recorded.notify();
      await release.wait();
    });
    await recorded.wait();
    for (const id of others) await end(id);
    const { position, ...page } = await readPage(feed);
    expect(idsOf(page)).toEqual(others);
    release.notify();
    await transaction;
    expect(idsOf(await readPage(feed, position))).toEqual([slow]);
  });

  it('continues while a snapshot is open', async () => {
    const feed = newFeed();
    const [opened, release] = [createSignal(), createSignal()];
    const transaction = database.db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      await tx.query('select');
      opened.notify();
      await release.wait();
    });
    await opened.wait();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const id = await accept(feed);
      await end(id);
      ids.push(id);
      expect(idsOf(await readPage(feed))).toEqual(ids);
    }
    release.notify();
    await transaction;
  });

  it('numbers in one process at a time', async () => {
    const feed = newFeed();
    const stores = Array.from({ length: 4 }, () => createEventStore(database.db));
    const ids: string[] = [];
    for (let round = 0; round < 10; round++) {
      const id = await accept(feed);
      await end(id);
      ids.push(id);
      await Promise.all(stores.map((store) => store.numberNew()));
    }
    expect(idsOf(await readPage(feed))).toEqual(ids);
  });
});
