import pg from 'pg';

/** The limit of waiting statements is reached; counts as unavailable. */
export class DatabaseOverloaded extends Error {
  override readonly name = 'DatabaseOverloaded';
  readonly code = '53000';
}

/**
 * Whether the database cannot serve now (unreachable, shutting down, full, a read-only standby), as opposed to an invalid
 * statement. A later retry makes sense; a client gets 503 instead of 500.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    if (UNAVAILABLE_SQLSTATE.test(code)) return true;
    if (UNREACHABLE.has(code) && syscall !== 'open') return true;
    // The Unix socket of a stopped server, or one with too many waiting connections.
    if ((code === 'ENOENT' || code === 'EAGAIN') && syscall === 'connect') return true;
  }
  return CONNECTION_LOST.test(error.message) || isUnavailable(error.cause);
}

// 08 connection exceptions · 53 out of connections, disk or memory · 57P0x shutdown, crash, starting up · 57014 the
// statement timeout · 25P03, 25P04 the idle and total limits of a transaction · 25006 a standby that is not promoted
// yet · 58030 a disk error.
const UNAVAILABLE_SQLSTATE = /^(08...|53...|57P0[1-5]|57014|25P0[34]|25006|58030)$/;
const UNREACHABLE = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);
// Errors of pg without a code.
const CONNECTION_LOST =
  /^(Connection terminated|timeout expired|timeout exceeded when|Query read timeout|Cannot use a pool after)|not queryable$/;

/** The SQLSTATE of an error of the database; empty for other errors. */
export const sqlStateOf = (error: unknown): string => (error as { code?: string }).code ?? '';

export const isStatementTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014';

/** The limit of `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === '55P03';

/** Deadlock or serialization failure: nothing was written, and a retry may succeed. */
export const isCollision = (error: unknown): boolean => ['40P01', '40001'].includes(sqlStateOf(error));

/** Whether the error recurs for the same rows: data, constraint, trigger exception, damaged page. */
export const isRowError = (error: unknown): boolean =>
  !isUnavailable(error) && /^(22|23|P0|XX)/.test(sqlStateOf(error));

/** Whether a row with the same unique value exists. */
export const isDuplicate = (error: unknown): boolean => sqlStateOf(error) === '23505';

/**
 * Whether the outcome of the statement or commit is unknown: it was sent, but no response arrived. Code that compensates
 * must handle both outcomes.
 */
export const isOutcomeUnknown = (error: unknown): boolean => error instanceof Error && unknownOutcomes.has(error);

const unknownOutcomes = new WeakSet<Error>();

export async function trackOutcome<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    // A server that shuts down reports 57P.. during a statement; every other error of the server is a definite failure.
    const failed = error instanceof pg.DatabaseError && !/^57P/.test(error.code ?? '');
    if (error instanceof Error && isUnavailable(error) && !failed) unknownOutcomes.add(error);
    throw error;
  }
}

/** For a statement after a commit: if it fails, the outcome of the whole is unknown to its caller. */
export async function afterCommit<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (error instanceof Error) unknownOutcomes.add(error);
    throw error;
  }
}
