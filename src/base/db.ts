import pg from 'pg';
import { answered } from './answered.ts';
import { copyIn, copyOut } from './copy.ts';
import type { Log } from './log.ts';
import { rest } from './loop.ts';

/** A statement with a name is prepared once per connection: for the few that run thousands of times a second. */
export interface Statement {
  name: string;
  text: string;
  /**
   * Given up after this long, where a client waits for the answer. The server gives it up a little sooner, except behind a
   * pooler of transactions and inside a transaction: there it may still carry it out.
   */
  limitMs?: number;
}

/** For what a client waits for: a database that hangs is to look like one that is down before clients lose patience. */
export const CLIENT_LIMIT_MS = 5_000;

export interface Rows<Row> {
  rows: Row[];
  /** How many rows the statement touched: the database's verdict on a condition written into the statement. */
  rowCount: number;
}

export interface Queryable {
  /**
   * Runs one statement. int8 comes back as a number, timestamptz as a Date, json and jsonb parsed. A parameter that is
   * an array is sent as a PostgreSQL array, any other object as JSON; to store a JSON array, stringify it.
   */
  query<Row = Record<string, unknown>>(sql: string | Statement, params?: readonly unknown[]): Promise<Rows<Row>>;
}

export interface Transaction extends Queryable {
  /** Hands what `copy … to stdout` sends to `take`, which the server waits for, and answers how many rows there were. */
  copyOut(sql: string, take: (rows: Buffer) => Promise<void>): Promise<number>;
  /** Feeds `copy … from stdin`, and answers how many rows the table took. */
  copyIn(sql: string, rows: AsyncIterable<Buffer>): Promise<number>;
}

export interface Db extends Queryable {
  /** Commits what `run` did, or nothing of it: see `isUndecided`. `statementTimeoutMs` replaces the usual limit, for long statements. */
  transaction<T>(run: (tx: Transaction) => Promise<T>, options?: { statementTimeoutMs?: number }): Promise<T>;
  /** Runs one statement that PostgreSQL refuses inside a transaction, such as `create index concurrently`. */
  runAlone(sql: string, options: { statementTimeoutMs: number }): Promise<void>;
  /**
   * Calls `onHint` after every (re)connect, since hints may have been missed, and on every notification, until `signal`
   * aborts or the database is closed; then it resolves. It never rejects: a hint only saves a poll its waiting. Behind
   * a pooler of transactions, without the server's own address, none comes.
   */
  listen(channel: string, onHint: (payload: string) => void, signal: AbortSignal): Promise<void>;
  notify(channel: string, payload?: string): Promise<void>;
  /** Waits for what is running, then hangs up. */
  close(): Promise<void>;
}

export interface DbOptions {
  url: string;
  log: Log;
  max?: number;
  applicationName?: string;
  statementTimeoutMs?: number;
  /**
   * What `url` leads to: a server, or a pooler that gives each connection one of the server's for as long as it lives
   * (`session`); or a pooler that does so for one transaction at a time, which keeps nothing between two of them: no
   * prepared statement, no setting, no listening.
   */
  pooling?: Pooling;
  /** The server itself, for listening, where a pooler stands between. */
  directUrl?: string | undefined;
}

export type Pooling = 'session' | 'transaction';

const CONNECT_TIMEOUT_MS = 3_000;
/** A transaction that is paused for longer, as that of a stopped process, is ended by the server: it holds locks and its snapshot. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** Chosen: far above the longest of our ordinary transactions. Those with a time limit of their own have none of this. */
const TRANSACTION_MS = 600_000;
// The server ends a slow statement itself; this much later we stop believing that there still is a server.
const SILENCE_MS = 5_000;
/** What the server gets of a statement's `limitMs`: it is to give up first, so that its answer still arrives. */
const SERVER_SHARE = 0.9;

/** The one door to PostgreSQL. Nothing is connected yet: the first query does it, and a lost connection is replaced. */
export function openDb(options: DbOptions): Db {
  const { url, directUrl, log, max = 10, applicationName = 'assay', statementTimeoutMs = 30_000 } = options;
  const transient = options.pooling === 'transaction';
  const connection: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
  const pool = new pg.Pool({
    ...connection,
    max,
    idleTimeoutMillis: 30_000,
  });
  const listening = new Set<AbortController>();
  /** What the server said as it ended a connection between two statements: the next statement only finds it gone. */
  const lost = new WeakMap<pg.ClientBase, Error>();
  /** Whether the server has a `transaction_timeout`. */
  let limitsTransactions = false;
  let closed: Promise<void> | undefined;
  // Without these two a connection that dies at rest (the server restarts) would take the whole process with it.
  pool.on('error', (error) => {
    if (!closed) log.warn({ reason: error.message }, 'an idle connection to the database was lost');
  });
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      if (!lost.has(client)) lost.set(client, error);
    });
    // Before the first statement, in the same flight. Not as a parameter of the connection: poolers refuse those.
    if (!transient) {
      const take = ([first]: pg.QueryResult[]) => {
        limitsTransactions = (first?.rowCount ?? 0) > 0;
      };
      client.query(sessionLimits(statementTimeoutMs)).then(
        (results) => take([results].flat()),
        () => {},
      );
    }
  });

  // A round trip only where it differs from that of the connection's last statement: most have the same.
  const serverLimits = new WeakMap<pg.PoolClient, number>();
  async function limitServer(client: pg.PoolClient, limitMs: number): Promise<void> {
    if (transient || limitMs === (serverLimits.get(client) ?? statementTimeoutMs)) return;
    await send(
      client,
      { name: '', text: `set statement_timeout = ${Math.trunc(limitMs)}`, limitMs },
      undefined,
      limitMs,
    );
    serverLimits.set(client, limitMs);
  }

  /** Not `pool.query`: that throws a connection away after every failed statement, be it a mere duplicate key. */
  async function withClient<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await answered<pg.PoolClient>((done) => pool.connect(done));
    let broken = false;
    try {
      return await run(client);
    } catch (error) {
      broken = isUnavailable(error);
      if (broken && error instanceof Error) error.cause ??= lost.get(client);
      throw error;
    } finally {
      client.release(broken || client.getTransactionStatus() !== 'I');
    }
  }

  const ask: Ask = (client, sql, params, limitMs = statementTimeoutMs) =>
    send(client, transient ? nameless(sql) : sql, params, limitMs);
  const query: Db['query'] = (sql, params) =>
    withClient(async (client) => {
      const limitMs = typeof sql === 'string' ? undefined : sql.limitMs;
      await limitServer(client, limitMs === undefined ? statementTimeoutMs : limitMs * SERVER_SHARE);
      return effective(ask(client, sql, params));
    });

  return {
    query,

    transaction: (run, { statementTimeoutMs: limitMs } = {}) =>
      withClient(async (client) => {
        const tx: Transaction = {
          query: (sql, params) => ask(client, sql, params, limitMs),
          copyOut: (sql, take) => copyOut(client, sql, take),
          copyIn: (sql, rows) => copyIn(client, sql, rows),
        };
        await limitServer(client, statementTimeoutMs);
        const isLong = limitMs !== undefined && limitMs > statementTimeoutMs;
        // Behind a pooler of transactions the limit may be a setting of the account.
        if (isLong && transient) limitsTransactions = (await tx.query(HAS_TRANSACTION_TIMEOUT)).rowCount > 0;
        await tx.query(transient ? `begin; set local ${idleLimit(IDLE_IN_TRANSACTION_MS)}` : 'begin');
        try {
          if (limitMs !== undefined) await tx.query(`set local statement_timeout = ${Math.trunc(limitMs)}`);
          // It may also pause between statements, as a backup does that waits for its output.
          if (isLong) await tx.query(noLimits(limitsTransactions));
          const result = await run(tx);
          await effective(commit(client, (limitMs ?? statementTimeoutMs) + SILENCE_MS));
          return result;
        } catch (error) {
          if (!isUnavailable(error)) await tx.query('rollback').catch(() => {});
          throw error;
        }
      }),

    runAlone: (sql, { statementTimeoutMs: limitMs }) =>
      withClient(async (client) => {
        await limitServer(client, limitMs);
        const limitTransactions = async (ms: number) => {
          if (limitsTransactions) await ask(client, `set transaction_timeout = ${ms}`, undefined);
        };
        // An index that is built concurrently waits for old transactions, and all its phases count.
        await limitTransactions(0);
        await effective(ask(client, sql, undefined, limitMs)).finally(() =>
          limitTransactions(TRANSACTION_MS).catch(() => {}),
        );
      }),

    async listen(channel, onHint, signal) {
      const over = new AbortController();
      const stop = () => over.abort();
      if (closed || signal.aborted) return;
      signal.addEventListener('abort', stop);
      listening.add(over);
      const server = { ...connection, connectionString: directUrl ?? url };
      if (transient && directUrl === undefined) await aborted(over.signal);
      else await listen({ connection: server, channel, onHint, log, signal: over.signal });
      listening.delete(over);
      signal.removeEventListener('abort', stop);
    },

    async notify(channel, payload = '') {
      await query('select pg_notify($1, $2)', [channel, payload]);
    },

    close() {
      for (const over of listening) over.abort();
      closed ??= pool.end();
      return closed;
    },
  };
}

const idleLimit = (ms: number) => `idle_in_transaction_session_timeout = ${ms}`;

/** `transaction_timeout` came with PostgreSQL 17. */
const HAS_TRANSACTION_TIMEOUT = `select where current_setting('server_version_num')::int >= 170000`;

/** The first of these statements answers a row where there is a `transaction_timeout`. */
const sessionLimits = (statementTimeoutMs: number) => `
  select set_config('transaction_timeout', '${TRANSACTION_MS}', false)
   where current_setting('server_version_num')::int >= 170000;
  set ${idleLimit(IDLE_IN_TRANSACTION_MS)};
  set statement_timeout = ${Math.trunc(statementTimeoutMs)}`;

/** No queries: a transaction may still choose its isolation level after them. */
const noLimits = (limitsTransactions: boolean) =>
  `set local ${idleLimit(0)}${limitsTransactions ? '; set local transaction_timeout = 0' : ''}`;

/** Too many wait for the database already: as unavailable as if it were down. */
export class Overcrowded extends Error {
  override readonly name = 'Overcrowded';
  readonly code = '53000';
}

/**
 * Whether `error` says that the store cannot serve now (not reachable, shutting down, full, read-only standby), rather
 * than that the statement was wrong. Asking again later makes sense; a client gets 503 instead of 500.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    if (UNAVAILABLE_SQLSTATE.test(code)) return true;
    if (UNREACHABLE.has(code) && syscall !== 'open') return true;
  }
  return GONE.test(error.message) || isUnavailable(error.cause);
}

// 08 connection exceptions · 53 out of connections, disk or memory · 57P0x shutdown, crash, starting up · 57014 the
// statement timeout · 25P03, 25P04 the idle and total limits of a transaction · 25006 a standby that was not promoted
// yet · 58030 the disk fails.
const UNAVAILABLE_SQLSTATE = /^(08...|53...|57P0[1-5]|57014|25P0[34]|25006|58030)$/;
const UNREACHABLE = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);
// What pg says in words only, without a code.
const GONE =
  /^(Connection terminated|timeout expired|timeout exceeded when|Query read timeout|Cannot use a pool after)|not queryable$/;

/**
 * Whether `error` leaves open what has come of what was asked for: the statement, or the commit of the transaction, was
 * sent, and its answer never came. Whoever would undo what belongs to it must think of both.
 */
export const isUndecided = (error: unknown): boolean => error instanceof Error && undecided.has(error);

const undecided = new WeakSet<Error>();

/** What has taken effect when it is answered, and perhaps when it is not. */
async function effective<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // A server that goes down says so in the midst of what it does; whatever else it says is a refusal.
    const refused = error instanceof pg.DatabaseError && !/^57P/.test(error.code ?? '');
    if (error instanceof Error && isUnavailable(error) && !refused) undecided.add(error);
    throw error;
  }
}

type Ask = <Row>(
  client: pg.ClientBase,
  sql: string | Statement,
  params: readonly unknown[] | undefined,
  statementTimeoutMs?: number,
) => Promise<Rows<Row>>;

/** What was prepared under a name is on one connection of the server's, and the next transaction may get another. */
const nameless = (sql: string | Statement): string | Statement =>
  typeof sql === 'string' ? sql : { ...sql, name: '' };

async function send<Row>(
  client: pg.ClientBase,
  sql: string | Statement,
  params: readonly unknown[] | undefined,
  statementTimeoutMs: number,
): Promise<Rows<Row>> {
  const { limitMs, ...statement }: Partial<Statement> & { text: string } =
    typeof sql === 'string' ? { text: sql } : sql;
  const config: pg.QueryConfig = params ? { ...statement, values: params as unknown[] } : statement;
  const { rows, rowCount } = await answered<pg.QueryResult<Row & pg.QueryResultRow>>(
    (done) => client.query(config, done),
    limitMs ?? statementTimeoutMs + SILENCE_MS,
  );
  return { rows, rowCount: rowCount ?? 0 };
}

/** An error that was caught inside has already ended the transaction: PostgreSQL then answers COMMIT with ROLLBACK. */
async function commit(client: pg.ClientBase, limitMs: number): Promise<void> {
  const { command } = await answered<pg.QueryResult>((done) => client.query('commit', done), limitMs);
  if (command === 'ROLLBACK') {
    throw new Error('The transaction was rolled back: one of its statements had failed, and the failure was ignored.');
  }
}

async function listen({
  connection,
  channel,
  onHint,
  log,
  signal,
}: {
  connection: pg.ClientConfig;
  channel: string;
  onHint: (payload: string) => void;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const hint = (payload: string) => {
    try {
      onHint(payload);
    } catch (error) {
      log.error({ err: error, channel }, 'a hint was not taken well');
    }
  };
  for (let failures = 0; !signal.aborted; failures++) {
    const client = new pg.Client(connection);
    const over = new AbortController();
    const stop = () => over.abort();
    client.on('error', stop).on('end', stop);
    client.on('notification', (message) => hint(message.payload ?? ''));
    signal.addEventListener('abort', stop);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      failures = 0;
      hint('');
      await aborted(over.signal);
      if (!signal.aborted) log.warn({ channel }, 'the connection for hints was lost; polls go on');
    } catch (error) {
      log.warn({ reason: String(error), channel }, 'no hints come now; polls go on');
    }
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => {});
    await rest(Math.min(100 * 2 ** failures, 10_000), signal);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** int8 as a number: counts and our own ids stay far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  if (oid === INT8_ARRAY) return int8Array;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}

const INT8_ARRAY: number = 1016; // no name for it in pg

function int8Array(text: string): (number | null)[] {
  const values = pg.types.getTypeParser(INT8_ARRAY, 'text')(text) as (string | null)[];
  return values.map((value) => (value === null ? null : Number(value)));
}
