import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
  await database.db.query('create table words (n int primary key, word text)');
});
afterAll(() => database.drop());
beforeEach(() => database.db.query('truncate words'));

const transaction: TestDatabase['db']['transaction'] = (run, options) => database.db.transaction(run, options);
const pid = async () => (await database.db.query('select pg_backend_pid() as pid, pg_sleep(0)')).rows[0];

async function* lines(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('copyIn and copyOut transfer rows and return their number', async () => {
  const count = await transaction((tx) =>
    tx.copyIn('copy words from stdin', lines('1\tone\n2\t', 'двa\n3\t\\N', '\n')),
  );
  expect(count).toBe(3);
  const read: Buffer[] = [];
  const out = transaction((tx) => tx.copyOut('copy words to stdout', async (rows) => void read.push(rows)));
  expect(await out).toBe(3);
  expect(Buffer.concat(read).toString('utf8')).toBe('1\tone\n2\tдвa\n3\t\\N\n');
  expect(await transaction((tx) => tx.copyOut('copy (select where false) to stdout', async () => {}))).toBe(0);
  expect(await transaction((tx) => tx.copyIn('copy words from stdin', lines()))).toBe(0);
});

test('copyOut applies backpressure for a slow reader', async () => {
  // 60 MB: far more than all buffers.
  const sql = `copy (select repeat('x', 100000) from generate_series(1, 600)) to stdout`;
  let most = 0;
  let bytes = 0;
  const count = await transaction((tx) =>
    tx.copyOut(sql, async (rows) => {
      most = Math.max(most, rows.length);
      bytes += rows.length;
      for (let i = 0; i < 20; i++) await setImmediate();
    }),
  );
  expect([count, bytes]).toEqual([600, 600 * 100_001]);
  expect(most).toBeLessThan(4_000_000);
});

test('the connection is usable after a last row that exceeds the buffer', async () => {
  for (const bytes of [1_000_000, 1_100_000, 3_000_000]) {
    const sql = `copy (select repeat('x', ${bytes})) to stdout`;
    expect(await transaction((tx) => tx.copyOut(sql, async () => {}))).toBe(1);
  }
});

test('an error of the reader aborts the transaction but does not affect other queries', async () => {
  const sql = `copy (select repeat('x', 100000) from generate_series(1, 600)) to stdout`;
  const full = transaction((tx) => tx.copyOut(sql, () => Promise.reject(new Error('the disk is full'))));
  await expect(full).rejects.toThrow('the disk is full');
  expect(await pid()).toBeDefined();
});

test('an error of the row source aborts copyIn with that error', async () => {
  async function* broken() {
    yield Buffer.from('1\tone\n');
    throw new Error('no more of them');
  }
  await expect(transaction((tx) => tx.copyIn('copy words from stdin', broken()))).rejects.toThrow('no more of them');
  expect((await database.db.query('select from words')).rowCount).toBe(0);
});

test('invalid rows reject copyIn with the error of the database, also if more rows follow', async () => {
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent++;
      yield Buffer.from(`${'one\tone\n'.repeat(10_000)}`);
      await setImmediate();
    }
  }
  await expect(transaction((tx) => tx.copyIn('copy words from stdin', endless()))).rejects.toMatchObject({
    code: '22P02',
  });
  expect(sent).toBeGreaterThan(0);
  await expect(transaction((tx) => tx.copyOut('copy nothing to stdout', async () => {}))).rejects.toMatchObject({
    code: '42P01',
  });
});

test('a lost connection rejects copyIn and copyOut', async () => {
  const cut = () =>
    database.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy %' and datname = current_database()`,
    );
  const sql = `copy (select repeat('x', 100000) from generate_series(1, 600)) to stdout`;
  await expect(transaction((tx) => tx.copyOut(sql, async () => void (await cut())))).rejects.toThrow();
  async function* cutting() {
    for (;;) {
      yield Buffer.from('1\tone\n');
      await cut();
    }
  }
  await expect(transaction((tx) => tx.copyIn('copy words from stdin', cutting()))).rejects.toThrow();
});
