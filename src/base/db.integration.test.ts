import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../test/support/database.ts';
import { createLossyProxy } from '../../test/support/lossy-proxy.ts';
import { openDb, type Queryable } from './db.ts';
import { isOutcomeUnknown, isUnavailable } from './db-errors.ts';
import { createLog } from './log.ts';
import { createSignal } from './loop.ts';

const log = createLog('silent', 'test');
const WAIT = { timeout: 30_000 };
let database: TestDatabase;

beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.drop());

const open = (options: Partial<Parameters<typeof openDb>[0]> = {}) => {
  const db = openDb({ url: database.url, log, max: 2, ...options });
  onTestFinished(() => db.close());
  return db;
};

/** Terminates all other connections to this database, like a restart of the server. */
const cutAll = () =>
  database.db.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );

const sleepers = async () =>
  (
    await database.db.query(
      `select from pg_stat_activity where datname = current_database() and query like '%pg_sleep(60)%'
          and state = 'active' and pid <> pg_backend_pid()`,
    )
  ).rowCount;

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a query', () => {
  test('returns int8 as numbers, timestamps as dates, parsed JSON, and the number of affected rows', async () => {
    const db = open();
    const { rows, rowCount } = await db.query(
      `select count(*), array[1, 2]::int8[] as ids, $1::timestamptz as at, '{"a": [1]}'::jsonb as json from generate_series(1, 3)`,
      [new Date('2026-01-02T03:04:05.678Z')],
    );
    expect(rows).toEqual([{ count: 3, ids: [1, 2], at: new Date('2026-01-02T03:04:05.678Z'), json: { a: [1] } }]);
    expect(rowCount).toBe(1);
  });

  test('prepares a named statement once per connection', async () => {
    const db = open({ max: 1 });
    for (const n of [1, 2]) {
      const { rows } = await db.query({ name: 'double', text: 'select $1::int * 2 as twice' }, [n]);
      expect(rows).toEqual([{ twice: n * 2 }]);
    }
    expect((await db.query('select name from pg_prepared_statements')).rows).toEqual([{ name: 'double' }]);
  });

  test('keeps the connection after a failed statement', async () => {
    const db = open({ max: 1 });
    const pid = async () => (await db.query('select pg_backend_pid() as pid')).rows[0];
    const before = await pid();
    await expect(db.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await pid()).toEqual(before);
  });

  test('is cancelled after the statement timeout', async () => {
    const db = open({ statementTimeoutMs: 100 });
    expect(isUnavailable(await failure(db.query('select pg_sleep(5)')))).toBe(true);
  });

  test('with a limit rejects as unavailable after that limit', async () => {
    const db = open({ max: 1 });
    const began = performance.now();
    const hung = db.query({ name: 'hung', text: 'select pg_sleep(5)', limitMs: 200 });
    expect(isUnavailable(await failure(hung))).toBe(true);
    expect(performance.now() - began).toBeLessThan(2000);
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('a statement with a limit', () => {
  test('is not executed by the server after the client has timed out', async () => {
    const db = open();
    await db.query('create table limited (n int)');
    const insert = { name: 'limited', text: 'insert into limited values (1)', limitMs: 500 };
    await database.db.transaction(async (tx) => {
      await tx.query('lock table limited in access exclusive mode');
      const error = await failure(db.query(insert));
      expect([isUnavailable(error), isOutcomeUnknown(error)]).toEqual([true, false]);
    });
    await delay(300);
    expect((await database.db.query('select n from limited')).rows).toEqual([]);
  });

  test('does not change the limit of later statements and transactions', async () => {
    const db = open({ max: 1, statementTimeoutMs: 1234 });
    const limit = async (on: Queryable) =>
      (await on.query<{ limit: string }>(`select current_setting('statement_timeout') as limit`)).rows[0]?.limit;
    const limited = { name: 'limit', text: `select current_setting('statement_timeout') as limit`, limitMs: 200 };
    expect((await db.query(limited)).rows).toEqual([{ limit: '180ms' }]);
    expect(await limit(db)).toBe('1234ms');
    await db.query(limited);
    expect(await db.transaction(limit)).toBe('1234ms');
  });
});

describe('a transaction', () => {
  test('commits all statements or none', async () => {
    const db = open();
    await db.query('create table kept (n int)');
    const thrown = failure(
      db.transaction(async (tx) => {
        await tx.query('insert into kept values (1)');
        throw new Error('changed my mind');
      }),
    );
    expect(await thrown).toMatchObject({ message: 'changed my mind' });
    await db.transaction((tx) => tx.query('insert into kept values (2)'));
    expect((await db.query('select n from kept')).rows).toEqual([{ n: 2 }]);
  });

  test('rejects if the failure of one of its statements was ignored', async () => {
    const db = open();
    const ignored = db.transaction(async (tx) => {
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(ignored).rejects.toThrow(/was rolled back/);
  });

  test('can set a longer statement timeout', async () => {
    const db = open({ statementTimeoutMs: 50 });
    await db.transaction((tx) => tx.query('select pg_sleep(0.2)'), { statementTimeoutMs: 5_000 });
    expect((await db.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '50ms' }]);
  });
});

describe('a transaction that stays open', () => {
  const LIMITS = `
    select current_setting('idle_in_transaction_session_timeout') as idle,
           current_setting('transaction_timeout', true) as total`;

  test('is ended by the server 30 s after its last statement or 10 min after its first, and rejects as unavailable', async () => {
    const db = open();
    const { rows: version } = await db.query<{ has: boolean }>(
      `select current_setting('server_version_num')::int >= 170000 as has`,
    );
    const total = (limit: string) => (version[0]!.has ? limit : null);
    expect((await db.query(LIMITS)).rows).toEqual([{ idle: '30s', total: total('10min') }]);
    expect((await db.transaction((tx) => tx.query(LIMITS))).rows).toEqual([{ idle: '30s', total: total('10min') }]);
    const left = db.transaction(async (tx) => {
      await tx.query('set local idle_in_transaction_session_timeout = 100');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await tx.query('select 1');
    });
    const error = await failure(left);
    expect(isUnavailable(error)).toBe(true);
    expect((error as Error).cause).toMatchObject({ code: '25P03' });
  });

  test('has no such limit if it sets a longer statement timeout', async () => {
    const { rows } = await open().transaction((tx) => tx.query<{ idle: string; total: string | null }>(LIMITS), {
      statementTimeoutMs: 3_600_000,
    });
    expect(rows[0]).toEqual({ idle: '0', total: rows[0]!.total === null ? null : '0' });
  });

  test('has the same limit behind a transaction pooler', async () => {
    const db = open({ max: 1, pooling: 'transaction' });
    const idle = async (from: Pick<typeof db, 'query'>) =>
      (await from.query('show idle_in_transaction_session_timeout')).rows;
    expect(await db.transaction(idle)).toEqual([{ idle_in_transaction_session_timeout: '30s' }]);
    expect(await idle(db)).toEqual([{ idle_in_transaction_session_timeout: '0' }]);
  });
});

describe('runOutsideTransaction', () => {
  test('runs statements that PostgreSQL rejects in a transaction, with their own time limit', async () => {
    const db = open({ max: 1, statementTimeoutMs: 500 });
    await db.query('create table searched (n int)');
    await db.runOutsideTransaction('create index concurrently searched_n on searched (n)', {
      statementTimeoutMs: 60_000,
    });
    await db.runOutsideTransaction('select pg_sleep(0.7)', { statementTimeoutMs: 5_000 });
    expect((await db.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '500ms' }]);
  });
});

describe('isOutcomeUnknown', () => {
  test('is true if a commit or single statement was sent but no response arrived', async () => {
    const lossy = await createLossyProxy(database.url);
    onTestFinished(() => lossy.close());
    const db = open({ url: lossy.url });
    await db.query('create table heard (n int)');
    lossy.dropsCommits = true;
    const unheard = await failure(db.transaction((tx) => tx.query('insert into heard values (1)')));
    expect([isUnavailable(unheard), isOutcomeUnknown(unheard)]).toEqual([true, true]);
    expect((await database.db.query('select n from heard')).rows).toEqual([{ n: 1 }]);
    const asleep = failure(db.query('select pg_sleep(60)'));
    await vi.waitFor(async () => expect(await sleepers()).toBe(1), WAIT);
    await cutAll();
    expect(isOutcomeUnknown(await asleep)).toBe(true);
  });

  test('is false if the statement was rejected, rolled back or never sent', async () => {
    const db = open({ statementTimeoutMs: 50 });
    const before = await failure(
      db.transaction(async (tx) => {
        await tx.query('select 1');
        await cutAll();
        await tx.query('select 2');
      }),
    );
    const errors = [
      before,
      await failure(db.query('select pg_sleep(5)')),
      await failure(db.query('select 1 / 0')),
      await failure(open({ url: 'postgres://x:y@127.0.0.1:1/x' }).query('select 1')),
    ];
    expect(errors.map(isUnavailable)).toEqual([true, true, false, true]);
    expect(errors.map(isOutcomeUnknown)).toEqual([false, false, false, false]);
  });
});

describe('an unavailable database', () => {
  test('does not crash the process, and later queries use a new connection', async () => {
    const db = open();
    await Promise.all([db.query('select 1'), db.query('select 1')]);
    await cutAll();
    await vi.waitFor(() => db.query('select 1'), WAIT);
    const busy = failure(db.query('select pg_sleep(60)'));
    const [idle, cut] = [createSignal(), createSignal()];
    const between = failure(
      db.transaction(async (tx) => {
        await tx.query('select 1');
        idle.notify();
        await cut.wait(); // no query runs while the connection breaks
        await tx.query('select 1');
      }),
    );
    await idle.wait();
    await vi.waitFor(async () => expect(await sleepers()).toBe(1), WAIT);
    await cutAll();
    expect(isUnavailable(await busy)).toBe(true);
    cut.notify();
    expect(isUnavailable(await between)).toBe(true);
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('is detected if the port is closed or the server does not respond', { tags: ['full'] }, async () => {
    const server = createServer();
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const began = performance.now();
    const errors = await Promise.all(
      [`postgres://x:y@127.0.0.1:1/x`, `postgres://x:y@127.0.0.1:${port}/x`].map((url) =>
        failure(open({ url }).query('select 1')),
      ),
    );
    expect(errors.map(isUnavailable)).toEqual([true, true]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('makes a commit without a response reject after the time limit', async () => {
    const message = (kind: string, body: Buffer) => {
      const head = Buffer.alloc(5);
      head.write(kind);
      head.writeInt32BE(body.length + 4, 1);
      return Buffer.concat([head, body]);
    };
    const ready = (state: string) => message('Z', Buffer.from(state));
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      let state = '';
      socket.on('data', (data) => {
        if (state === '') {
          state = 'I';
          return void socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready(state)]));
        }
        if (data.includes('commit')) return;
        if (data.includes('begin')) state = 'T';
        socket.write(Buffer.concat([message('C', Buffer.from('X\0')), ready(state)]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const lost = failure(
      open({ url: `postgres://x:y@127.0.0.1:${port}/x`, statementTimeoutMs: 1000 }).transaction(async () => 1),
    );
    while (server.listening && !(await Promise.race([lost, immediate()]))) vi.advanceTimersByTime(10);
    expect(isUnavailable(await lost)).toBe(true);
  });

  test('includes a read-only standby, but not a wrong password, a missing table or a bug', async () => {
    const db = open();
    const readOnly = db.transaction(async (tx) => {
      await tx.query('set transaction read only');
      await tx.query('create table never (n int)');
    });
    expect(isUnavailable(await failure(readOnly))).toBe(true);
    expect(isUnavailable(await failure(db.query('select * from nowhere')))).toBe(false);
    expect(isUnavailable(await failure(open({ url: database.url.replace(/:[^:@]+@/, ':no@') }).query('')))).toBe(false);
    expect(isUnavailable(new TypeError('x is not a function'))).toBe(false);
    expect(isUnavailable(new Error('no', { cause: Object.assign(new Error(), { code: '57P03' }) }))).toBe(true);
  });

  test('rejects queries after close, and close can be called twice', async () => {
    const db = openDb({ url: database.url, log });
    await db.query('select 1');
    await Promise.all([db.close(), db.close()]);
    expect(isUnavailable(await failure(db.query('select 1')))).toBe(true);
  });
});

describe('behind a transaction pooler', () => {
  test('a query leaves no prepared statement and no setting on the connection', async () => {
    const db = open({ max: 1, pooling: 'transaction', statementTimeoutMs: 1234 });
    expect((await db.query({ name: 'double', text: 'select $1::int * 2 as twice' }, [2])).rows).toEqual([{ twice: 4 }]);
    const { rows } = await db.query(
      `select (select count(*) from pg_prepared_statements) as prepared, current_setting('statement_timeout') as limit`,
    );
    expect(rows).toEqual([{ prepared: 0, limit: '0' }]);
    expect((await open({ statementTimeoutMs: 1234 }).query('show statement_timeout')).rows).toEqual([
      { statement_timeout: '1234ms' },
    ]);
  });

  test('listen uses the direct address of the server, or receives nothing without one', async () => {
    const hints: string[] = [];
    const stop = new AbortController();
    const pooled = { url: 'postgres://x:y@127.0.0.1:1/x', pooling: 'transaction' } as const;
    const direct = open({ ...pooled, directUrl: database.url }).listen(
      'there',
      (hint) => hints.push(hint),
      stop.signal,
    );
    const nowhere = open(pooled).listen('there', () => hints.push('from nowhere'), stop.signal);
    await vi.waitFor(() => expect(hints).toEqual(['']));
    await database.db.notify('there', 'hello');
    await vi.waitFor(() => expect(hints).toEqual(['', 'hello']));
    stop.abort();
    await Promise.all([direct, nowhere]);
  });
});

describe('listen', () => {
  test('calls the handler at the start, on every notification and after every reconnect', async () => {
    const db = open();
    const hints: string[] = [];
    const stop = new AbortController();
    const over = db.listen('Кому-то "там"', (payload) => hints.push(payload), stop.signal);
    await vi.waitFor(() => expect(hints).toEqual(['']));
    await db.notify('Кому-то "там"', 'hello');
    await vi.waitFor(() => expect(hints).toEqual(['', 'hello']));
    await cutAll();
    await vi.waitFor(() => expect(hints).toEqual(['', 'hello', '']), { timeout: 5_000 });
    await db.notify('Кому-то "там"');
    await vi.waitFor(() => expect(hints).toHaveLength(4));
    stop.abort();
    await over;
    const { rows } = await database.db.query(
      `select count(*) from pg_stat_activity where datname = current_database() and query like 'listen %'`,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('survives an error of the handler and an unavailable server, and ends on abort', async () => {
    const stop = new AbortController();
    const clumsy = vi.fn(() => {
      throw new Error('clumsy');
    });
    const over = open().listen('anything', clumsy, stop.signal);
    const nobody = open({ url: 'postgres://x:y@127.0.0.1:1/x' }).listen('anything', clumsy, stop.signal);
    await vi.waitFor(() => expect(clumsy).toHaveBeenCalledTimes(1));
    await delay(300);
    stop.abort();
    await Promise.all([over, nobody]);
  });

  test('ends when the database is closed', async () => {
    const db = openDb({ url: database.url, log });
    const over = db.listen('anything', () => {}, new AbortController().signal);
    await db.query('select 1');
    await db.close();
    await over;
  });
});
