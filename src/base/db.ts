import pg from 'pg';
import { copyIn, copyOut } from './copy.ts';
import { isUnavailable, trackOutcome } from './db-errors.ts';
import { listen } from './db-listen.ts';
import type { Log } from './log.ts';
import { aborted } from './loop.ts';
import { awaitCallback } from './pg-callback.ts';

/** Prepared once per connection: for the few statements that run thousands of times per second. */
export interface Statement {
  name: string;
  text: string;
  /**
   * Time limit of the client. The server cancels the statement slightly earlier, except inside a transaction and behind a
   * transaction pooler, where it may still complete.
   */
  limitMs?: number;
}

/**
 * For statements that a client waits for: rejects as unavailable before the client times out. And for others of a task: a
 * connection that changes its limit costs a round trip.
 */
export const CLIENT_LIMIT_MS = 5_000;

export interface QueryResult<Row> {
  rows: Row[];
  rowCount: number;
}

export interface Queryable {
  /**
   * Returns int8 as number, timestamptz as Date, json and jsonb parsed. Sends arrays as PostgreSQL
   * arrays and other objects as JSON; stringify a JSON array.
   */
  query<Row = Record<string, unknown>>(sql: string | Statement, params?: readonly unknown[]): Promise<QueryResult<Row>>;
}

export interface Transaction extends Queryable {
  /** Passes the output of `copy … to stdout` to `take`, with backpressure. Returns the number of rows. */
  copyOut(sql: string, take: (rows: Buffer) => Promise<void>): Promise<number>;
  /** Sends `rows` to `copy … from stdin`. Returns the number of rows. */
  copyIn(sql: string, rows: AsyncIterable<Buffer>): Promise<number>;
}

export interface Db extends Queryable {
  /** False behind a transaction pooler without `directUrl`: `listen` delivers nothing. */
  readonly canListen: boolean;
  /**
   * `statementTimeoutMs` replaces the default limit; `settings` are `set` statements sent with `begin`, which saves a round
   * trip. If the commit gets no response, see `isOutcomeUnknown`.
   */
  transaction<T>(
    run: (tx: Transaction) => Promise<T>,
    options?: { statementTimeoutMs?: number; settings?: string },
  ): Promise<T>;
  /** For statements like `create index concurrently`. */
  runOutsideTransaction(sql: string, options: { statementTimeoutMs: number }): Promise<void>;
  /**
   * Calls `onHint` on every notification and, because notifications may have been missed, after every (re)connect.
   * Resolves when `signal` aborts or the database is closed; never rejects, since callers also poll.
   */
  listen(channel: string, onHint: (payload: string) => void, signal: AbortSignal): Promise<void>;
  notify(channel: string, payload?: string): Promise<void>;
  /** Closes the connections after their running statements. */
  close(): Promise<void>;
}

export interface DbOptions {
  url: string;
  log: Log;
  max?: number;
  applicationName?: string;
  statementTimeoutMs?: number;
  /**
   * `session`: `url` leads to a server or a session pooler. `transaction`: to a transaction pooler, which keeps no
   * prepared statements, settings or LISTEN between transactions.
   */
  pooling?: Pooling;
  /** Address of the server without the pooler, for LISTEN. */
  directUrl?: string | undefined;
}

export type Pooling = 'session' | 'transaction';

const CONNECT_TIMEOUT_MS = 3_000;
/** The server ends idle transactions, for example of a paused process, because they hold locks and a snapshot. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** Chosen: far above the longest ordinary transaction. Transactions with their own limit are exempt. */
const TRANSACTION_MS = 600_000;
/** Time after the server's statement timeout until the connection counts as lost. */
const SILENCE_MS = 5_000;
/** The server's part of `limitMs`: it cancels first, so that its response still arrives. */
const SERVER_SHARE = 0.9;

/** A connection pool. Connects on the first query and replaces lost connections. */
export function openDb(options: DbOptions): Db {
  const { url, directUrl, log, max = 10, applicationName = 'assay', statementTimeoutMs = 30_000 } = options;
  const transient = options.pooling === 'transaction';
  const canListen = !transient || directUrl !== undefined;
  const connection: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
  const pool = new pg.Pool({ ...connection, max, idleTimeoutMillis: 30_000 });
  const closing = new AbortController();
  /** Errors of idle connections; the next statement only reports that the connection is closed. */
  const lost = new WeakMap<pg.ClientBase, Error>();
  let limitsTransactions = false;
  let closed: Promise<void> | undefined;
  // Without these handlers the loss of an idle connection would crash the process.
  pool.on('error', (error) => {
    if (!closing.signal.aborted) log.warn({ reason: error.message }, 'an idle connection to the database was lost');
  });
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      if (!lost.has(client)) lost.set(client, error);
    });
    // Sent together with the first statement. Not as connection parameters, which poolers reject.
    if (!transient) {
      client.query(sessionLimits(statementTimeoutMs)).then(
        (results: pg.QueryResult | pg.QueryResult[]) => {
          limitsTransactions = ([results].flat()[0]?.rowCount ?? 0) > 0;
        },
        () => {},
      );
    }
  });

  // Costs a round trip only if the limit differs from that of the connection's previous statement.
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

  /** Replaces `pool.query`, which discards the connection after every failed statement, even a duplicate key. */
  async function withClient<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await awaitCallback<pg.PoolClient>((done) => pool.connect(done));
    let broken = false;
    try {
      return await run(client);
    } catch (error) {
      broken = isUnavailable(error);
      if (broken && error instanceof Error && lost.get(client) !== error) error.cause ??= lost.get(client);
      throw error;
    } finally {
      client.release(broken || client.getTransactionStatus() !== 'I');
    }
  }

  const run: RunStatement = (client, sql, params, limitMs = statementTimeoutMs) =>
    send(client, transient ? unnamed(sql) : sql, params, limitMs);
  const query: Db['query'] = (sql, params) =>
    withClient(async (client) => {
      const limitMs = typeof sql === 'string' ? undefined : sql.limitMs;
      await limitServer(client, limitMs === undefined ? statementTimeoutMs : limitMs * SERVER_SHARE);
      return trackOutcome(run(client, sql, params));
    });

  return {
    canListen,
    query,

    transaction: (work, { statementTimeoutMs: limitMs, settings } = {}) =>
      withClient(async (client) => {
        const tx: Transaction = {
          query: (sql, params) => run(client, sql, params, limitMs),
          copyOut: (sql, take) => copyOut(client, sql, take),
          copyIn: (sql, rows) => copyIn(client, sql, rows),
        };
        const isLong = limitMs !== undefined && limitMs > statementTimeoutMs;
        // Sent with `begin` instead of `limitServer`, which costs a round trip.
        const ownLimit = limitMs ?? (serverLimits.has(client) ? statementTimeoutMs : undefined);
        // Behind a transaction pooler the limit may be a setting of the database role.
        if (isLong && transient) limitsTransactions = (await tx.query(HAS_TRANSACTION_TIMEOUT)).rowCount > 0;
        const limits = [
          ...(transient ? [idleLimit(IDLE_IN_TRANSACTION_MS)] : []),
          ...(ownLimit === undefined ? [] : [`statement_timeout = ${Math.trunc(ownLimit)}`]),
        ].map((limit) => `set local ${limit}`);
        await tx.query(['begin', ...limits, ...(settings ? [settings] : [])].join('; '));
        try {
          // A long transaction may also pause between statements: a backup waits for its output.
          if (isLong) await tx.query(noLimits(limitsTransactions));
          const result = await work(tx);
          await trackOutcome(commit(client, (limitMs ?? statementTimeoutMs) + SILENCE_MS));
          return result;
        } catch (error) {
          if (!isUnavailable(error)) await tx.query('rollback').catch(() => {});
          throw error;
        }
      }),

    runOutsideTransaction: (sql, { statementTimeoutMs: limitMs }) =>
      withClient(async (client) => {
        await limitServer(client, limitMs);
        const limitTransactions = async (ms: number) => {
          if (limitsTransactions) await run(client, `set transaction_timeout = ${ms}`, undefined);
        };
        // The timeout counts all phases of a concurrent index build, which waits for old transactions.
        await limitTransactions(0);
        await trackOutcome(run(client, sql, undefined, limitMs)).finally(() =>
          limitTransactions(TRANSACTION_MS).catch(() => {}),
        );
      }),

    async listen(channel, onHint, signal) {
      const over = AbortSignal.any([signal, closing.signal]);
      const server = { ...connection, connectionString: directUrl ?? url };
      if (canListen) await listen({ connection: server, channel, onHint, log, signal: over });
      else await aborted(over);
    },

    async notify(channel, payload = '') {
      await query('select pg_notify($1, $2)', [channel, payload]);
    },

    close() {
      closing.abort();
      closed ??= pool.end();
      return closed;
    },
  };
}

const idleLimit = (ms: number) => `idle_in_transaction_session_timeout = ${ms}`;

/** `transaction_timeout` exists since PostgreSQL 17. */
const HAS_TRANSACTION_TIMEOUT = `select where current_setting('server_version_num')::int >= 170000`;

/** The first statement returns a row if the server supports `transaction_timeout`. */
const sessionLimits = (statementTimeoutMs: number) => `
  select set_config('transaction_timeout', '${TRANSACTION_MS}', false)
   where current_setting('server_version_num')::int >= 170000;
  set ${idleLimit(IDLE_IN_TRANSACTION_MS)};
  set statement_timeout = ${Math.trunc(statementTimeoutMs)}`;

/** `set` statements only: the transaction can still set its isolation level afterwards. */
const noLimits = (limitsTransactions: boolean) =>
  `set local ${idleLimit(0)}${limitsTransactions ? '; set local transaction_timeout = 0' : ''}`;

type RunStatement = <Row>(
  client: pg.ClientBase,
  sql: string | Statement,
  params: readonly unknown[] | undefined,
  statementTimeoutMs?: number,
) => Promise<QueryResult<Row>>;

/** A prepared statement belongs to one server connection, and the next transaction may get another one. */
const unnamed = (sql: string | Statement): string | Statement => (typeof sql === 'string' ? sql : { ...sql, name: '' });

async function send<Row>(
  client: pg.ClientBase,
  sql: string | Statement,
  params: readonly unknown[] | undefined,
  statementTimeoutMs: number,
): Promise<QueryResult<Row>> {
  const { text, limitMs }: { text: string; limitMs?: number } = typeof sql === 'string' ? { text: sql } : sql;
  const config: pg.QueryConfig = { text };
  if (typeof sql !== 'string') config.name = sql.name;
  if (params) config.values = params as unknown[];
  const { rows, rowCount } = await awaitCallback<pg.QueryResult<Row & pg.QueryResultRow>>(
    (done) => client.query(config, done),
    limitMs ?? statementTimeoutMs + SILENCE_MS,
  );
  return { rows, rowCount: rowCount ?? 0 };
}

/** PostgreSQL responds with ROLLBACK if a statement failed and `work` caught its error. */
async function commit(client: pg.ClientBase, limitMs: number): Promise<void> {
  const { command } = await awaitCallback<pg.QueryResult>((done) => client.query('commit', done), limitMs);
  if (command === 'ROLLBACK') {
    throw new Error('The transaction was rolled back: one of its statements had failed, and the failure was ignored.');
  }
}

/** int8 as a number: all counts and ids stay far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  if (oid === INT8_ARRAY) return int8Array;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}

const INT8_ARRAY: number = 1016; // pg has no constant for it

function int8Array(text: string): (number | null)[] {
  const values = pg.types.getTypeParser(INT8_ARRAY, 'text')(text) as (string | null)[];
  return values.map((value) => (value === null ? null : Number(value)));
}
