import { OperatorError } from '../base/operator-error.ts';
import { MISCONFIGURED } from '../roles/supervise.ts';

/** Set for processes that hand the sentence they end with to their supervisor, which says it when all is quiet. */
export const SUPERVISED = 'ASSAY_SUPERVISED';

/** Says why this process ends. What cannot work as it is configured is a sentence; only what nobody thought of is worth a stack. */
export function endWith(error: unknown): void {
  const expected = error instanceof OperatorError;
  process.exitCode = expected ? MISCONFIGURED : 1;
  if (!expected) console.error(error);
  else if (process.env[SUPERVISED] && process.connected) process.send!({ refused: error.message });
  else if (error.message !== '') console.error(error.message);
}
