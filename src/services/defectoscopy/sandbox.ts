import { validationError } from '../../base/api-error.ts';
import { FAILURES as TASK_FAILURES } from '../../tasks/task.ts';
import { REPEATABLE, RESPONSES, RESULT_RESPONSES } from '../shared/sandbox/responses.ts';
import { createSandbox } from '../shared/sandbox/sandbox.ts';
import { result } from './examples.ts';
import { FAILURES } from './failures.ts';
import type { Attachment } from './result.ts';

/** A map of 2 × 2 points. */
const heatmap: Attachment = { width: 2, height: 2, maps: { crack: Buffer.from([0, 85, 170, 255]).toString('base64') } };

export const sandbox = createSandbox({
  failures: [...Object.values(FAILURES), ...Object.values(TASK_FAILURES)],
  responses: [...RESPONSES, ...RESULT_RESPONSES],
  repeatable: REPEATABLE,
  hasCallbacks: true,
  invalid: validationError,
  outcome: { result: { ...result, model_version: 'sandbox' }, attachment: { ...heatmap } },
  transientCode: FAILURES.fetchFailed.code,
});
