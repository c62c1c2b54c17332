import { transcriptChanged, validationError } from '../../base/api-error.ts';
import { FAILURES as TASK_FAILURES } from '../../tasks/task.ts';
import { REPEATABLE, RESPONSES, RESULT_RESPONSES } from '../shared/sandbox/responses.ts';
import { createSandbox } from '../shared/sandbox/sandbox.ts';
import { result } from './examples.ts';
import { FAILURES } from './failures.ts';
import {
  gatewayStopping,
  invalidValue,
  missingField,
  modelNotFound,
  transcriptionTimeout,
  translationUnsupported,
  unsupportedField,
} from './openai/errors.ts';

const TASK_ID = '01KAF3M9WZ7Y5T2Q8C4N6B1D0E';

export const sandbox = createSandbox({
  failures: [...Object.values(FAILURES), ...Object.values(TASK_FAILURES)],
  responses: [
    ...[...RESPONSES, ...RESULT_RESPONSES, () => transcriptChanged(1)],
    ...[() => invalidValue('file', 'The file is empty.'), () => missingField('file'), () => modelNotFound('gpt-9')],
    ...[() => translationUnsupported('gpt-9'), () => unsupportedField('include', '`include` is not supported.')],
    ...[() => gatewayStopping(TASK_ID), () => transcriptionTimeout(TASK_ID, 290)],
  ],
  repeatable: REPEATABLE,
  hasCallbacks: true,
  invalid: validationError,
  outcome: { result },
  transientCode: FAILURES.fetchFailed.code,
});
