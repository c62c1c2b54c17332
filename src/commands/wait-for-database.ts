import { isUnavailable } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { sleep } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';

// Wrong password, unknown role, unknown database: 28P01, 28000, 3D000.
const REJECTED = /^(28...|3D000)$/;

/** Retries while the database is unavailable; a rejected login becomes an `OperatorError`. */
export async function waitForDatabase(
  query: () => Promise<unknown>,
  {
    log,
    signal,
    variable,
    why = waitReason,
  }: {
    log: Log;
    signal: AbortSignal;
    /** The setting that names the database. */
    variable: string;
    why?: (error: unknown) => string | undefined;
  },
): Promise<void> {
  for (let isLogged = false; !signal.aborted; await sleep(500, signal)) {
    try {
      await query();
      return;
    } catch (error) {
      if (REJECTED.test((error as { code?: string }).code ?? '')) {
        throw new OperatorError(`The database of ${variable} rejected the connection: ${(error as Error).message}.`);
      }
      const reason = why(error);
      if (reason === undefined) throw error;
      if (!isLogged) log.warn({ err: error }, reason);
      isLogged = true;
    }
  }
}

export const waitReason = (error: unknown): string | undefined =>
  isUnavailable(error) ? 'waiting for the database' : undefined;
