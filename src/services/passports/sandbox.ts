import type { JsonValue } from '../../base/json.ts';
import { InvalidInput } from '../../http/validation-details.ts';
import { REPEATABLE, RESPONSES } from '../shared/sandbox/responses.ts';
import { createSandbox } from '../shared/sandbox/sandbox.ts';
import {
  authUnconfigured,
  correctionNotFound,
  databaseUnavailable,
  emptyFile,
  fileTooLarge,
  forbidden,
  imageNotFound,
  invalidApiKey,
  invalidImageIds,
  invalidName,
  notEditable,
  notRetryable,
  quotaExceeded,
  templateNotFound,
  tooManyImages,
  tooManyReports,
  versionConflict,
} from './api-errors.ts';
import type { Extraction, Field } from './extraction.ts';
import { ERROR_TYPES, failure } from './failures.ts';

const fieldAt = (top: number, value: Field['value'], confidence = 0.97): Field => ({
  ...{ value, confidence, source: 'text', page: 1 },
  ...{ bbox: [60, top, 320, top + 14], text: String(value) },
});

/** One field has to be checked. */
const extraction: Extraction = {
  schema: { id: 'technical_passport', version: '2' },
  fields: {
    'general:address': fieldAt(100, 'г. Энск, ул. Южная, д. 7'),
    'general:year_built': fieldAt(130, 1978, 0.41),
    'areas:total_area': fieldAt(160, 54.3),
    'rooms:1.name': fieldAt(220, 'кухня'),
    'rooms:1.area': fieldAt(220, 9.1),
  },
  pages: 1,
  sheets: [{ reader: 'text', width: 595, height: 842, turn: 0, picture: null }],
  engine: { llm_provider: 'none', model: null, version: 'sandbox' },
  warnings: [],
};

export const sandbox = createSandbox({
  failures: ERROR_TYPES.map(failure),
  responses: [
    ...RESPONSES,
    ...[authUnconfigured, correctionNotFound, databaseUnavailable, emptyFile, () => fileTooLarge('50 MiB'), forbidden],
    ...[imageNotFound, invalidApiKey, () => invalidImageIds('Some images are not in this session.', [])],
    ...[() => invalidName('A name needs at least one character.'), notEditable, notRetryable, () => quotaExceeded()],
    ...[templateNotFound, () => tooManyImages(200), tooManyReports, versionConflict],
  ],
  repeatable: REPEATABLE,
  // This service has no webhooks.
  hasCallbacks: false,
  invalid: (msg) => new InvalidInput([{ loc: ['body', 'files'], msg, type: 'value_error' }]),
  outcome: { result: extraction as unknown as JsonValue },
  transientCode: 'STORAGE_ERROR' satisfies (typeof ERROR_TYPES)[number],
});
