import { OperatorError } from '../base/operator-error.ts';
import { EXIT_CONFIG_ERROR } from '../roles/supervise.ts';

/** Set for child processes, whose error messages the supervisor prints at the end. */
export const SUPERVISED = 'ASSAY_SUPERVISED';

/** Prints a message for an `OperatorError`, a stack trace for unexpected errors. */
export function exitWithError(error: unknown): void {
  const expected = error instanceof OperatorError;
  process.exitCode = expected ? EXIT_CONFIG_ERROR : 1;
  if (!expected) console.error(error);
  else if (process.env[SUPERVISED] && process.connected) process.send!({ refused: error.message });
  else if (error.message !== '') console.error(error.message);
}
