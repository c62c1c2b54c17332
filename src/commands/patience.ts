import { isUnavailable } from '../base/db-errors.ts';
import type { Log } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';

// Wrong password, no such role, no such database: 28000, 28P01, 3D000.
const REFUSED = /^(28...|3D000)$/;

/**
 * Runs `ask` until the database answers it, or `signal` aborts: a database may start after those who use it. What is
 * no outage is thrown, and a refusal by the database in words that an operator can use.
 */
export async function untilAnswered(
  ask: () => Promise<unknown>,
  { log, signal, why = waitingFor }: { log: Log; signal: AbortSignal; why?: (error: unknown) => string | undefined },
): Promise<void> {
  for (let told = false; !signal.aborted; await rest(500, signal)) {
    try {
      await ask();
      return;
    } catch (error) {
      if (REFUSED.test((error as { code?: string }).code ?? '')) {
        throw new OperatorError(`The database of DATABASE_URL refuses us: ${(error as Error).message}.`);
      }
      const reason = why(error);
      if (reason === undefined) throw error;
      if (!told) log.warn({ err: error }, reason);
      told = true;
    }
  }
}

export const waitingFor = (error: unknown): string | undefined =>
  isUnavailable(error) ? 'waiting for the database' : undefined;
