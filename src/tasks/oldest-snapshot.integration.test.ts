import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { type Db, openDb } from '../base/db.ts';
import { createLog } from '../base/log.ts';
import { createSnapshotAgeReader } from './oldest-snapshot.ts';

let database: TestDatabase;
let db: Db;
let nowMs = 0;
const now = () => nowMs;
let close = () => {};
let closed: Promise<unknown> = Promise.resolve();

beforeEach(async () => {
  database = await testDatabase();
  db = database.db;
});
afterEach(async () => {
  close();
  await closed;
  await database.drop();
});

/** Opens a transaction in another session; `close` ends it. */
async function openTransaction(level: 'repeatable read' | 'read committed'): Promise<void> {
  const closing = new Promise<void>((resolve) => {
    close = resolve;
  });
  await new Promise<void>((opened) => {
    closed = db.transaction(async (tx) => {
      await tx.query(`set transaction isolation level ${level}`);
      await tx.query('select from tasks');
      opened();
      await closing;
    });
  });
}

/**
 * Waits until all older transactions of the cluster have ended: tests share it, and a new snapshot is as old as the oldest
 * transaction of any database.
 */
async function olderTransactionsEnd(): Promise<void> {
  const { rows } = await db.query<{ next: number }>(
    `select until::text::bigint + age(until::xid) as next
       from (select pg_snapshot_xmax(pg_current_snapshot()) as until) s`,
  );
  const ended = async () =>
    (await db.query('select where pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= $1', [rows[0]!.next]))
      .rowCount === 1;
  await vi.waitFor(async () => expect(await ended()).toBe(true), { timeout: 60_000, interval: 50 });
}

/** Runs `run` while as many transactions with an id are in progress. */
async function whileInProgress(transactions: number, run: () => Promise<void>): Promise<void> {
  if (transactions === 0) return run();
  await db.transaction(async (tx) => {
    await tx.query('select pg_current_xact_id()');
    await whileInProgress(transactions - 1, run);
  });
}

/** Uses up transaction ids. */
const work = async () => {
  for (let i = 0; i < 3; i++) await db.query('select pg_current_xact_id()');
};

describe('the age of the oldest snapshot', () => {
  it('is the age of its transaction, and nearly 0 after that has ended', async () => {
    const read = createSnapshotAgeReader(db, now);
    await openTransaction('repeatable read');
    await work();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await read()).toBeGreaterThan(1);
    close();
    await closed;
    expect(await read()).toBeLessThan(1);
  });

  it('ignores a transaction without an open snapshot', async () => {
    const read = createSnapshotAgeReader(db, now);
    await openTransaction('read committed');
    await work();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await read()).toBeLessThan(1);
  });

  it("is estimated from samples when the start of another role's session is not visible", async () => {
    const role = `assay_test_${randomBytes(6).toString('hex')}`;
    await db.query(`create role ${role} login password 'test-password'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'test-password';
    const restricted = openDb({ url: url.href, log: createLog('silent', 'test'), max: 1 });
    try {
      const read = createSnapshotAgeReader(restricted, now);
      nowMs = 0;
      await read();
      await work();
      nowMs = 100_000;
      await read();
      await olderTransactionsEnd();
      await openTransaction('repeatable read');
      await work();
      nowMs = 130_000;
      expect(await read()).toBe(30);
      await work();
      nowMs = 190_000;
      await whileInProgress(3, async () => expect(await read()).toBe(90));
      // The snapshot is older than all samples: its age is the time since the first sample.
      const late = createSnapshotAgeReader(restricted, now);
      expect(await late()).toBe(0);
      nowMs = 200_000;
      expect(await late()).toBe(10);
      close();
      await closed;
      await work();
      expect(await read()).toBe(0);
    } finally {
      await restricted.close();
      await db.query(`drop role ${role}`);
    }
  });
});
