import { Type } from 'typebox';
import { ApiError } from '../../../base/api-error.ts';
import type { ErrorFormat } from '../../../http/envelope.ts';
import type { Failure } from '../../../tasks/task.ts';

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** The error format of OpenAI's API. Validation errors are 400, as there. */
export const openAiErrors: ErrorFormat = {
  status: ({ status }) => (status === 422 ? 400 : status),
  body: (fault) => ({
    error: {
      message: fault.message,
      type: typeOf(fault.status),
      param: (fault.details?.['param'] as string | undefined) ?? null,
      code: fault.code === 'UNAUTHORIZED' ? 'invalid_api_key' : fault.code.toLowerCase(),
    },
  }),
  schema: Type.Object(
    {
      error: Type.Object({
        message: Type.String({ description: 'For humans; the wording may change.' }),
        type: Type.String({ description: '`invalid_request_error`, `rate_limit_error` or `server_error`.' }),
        param: Nullable('The invalid field.'),
        code: Nullable('Stable: the code of the other endpoints in lower case, or one of these endpoints.'),
      }),
    },
    { description: "An error in OpenAI's format." },
  ),
};

function typeOf(status: number): string {
  if (status >= 500) return 'server_error';
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error';
}

const fieldError = (code: string, param: string, message: string) =>
  new ApiError(code, 400, message, {}, { details: { param } });

export const invalidValue = (param: string, message: string) => fieldError('INVALID_VALUE', param, message);
export const missingField = (param: string, message = `\`${param}\` is required.`) =>
  fieldError('MISSING_REQUIRED_PARAMETER', param, message);
export const unsupportedField = (param: string, message: string) => fieldError('UNSUPPORTED_PARAMETER', param, message);

export const modelNotFound = (name: string) =>
  new ApiError('MODEL_NOT_FOUND', 404, `The model \`${name}\` does not exist.`, {}, { details: { param: 'model' } });

export const translationUnsupported = (model: string) =>
  new ApiError('TRANSLATION_UNSUPPORTED', 400, `The model \`${model}\` cannot translate.`);

/** Clients of OpenAI repeat a 5xx response, and so continue to wait for the same task. */
export const transcriptionTimeout = (taskId: string, seconds: number) =>
  new ApiError(
    'TRANSCRIPTION_TIMEOUT',
    504,
    `Task ${taskId} has not ended within ${seconds} s and continues. Repeat the request to wait for its result.`,
    { 'retry-after': '1' },
  );

export const gatewayStopping = (taskId: string) =>
  new ApiError('GATEWAY_STOPPING', 503, `The server is stopping. Task ${taskId} continues: repeat the request.`, {
    'retry-after': '1',
  });

/** Failures that every attempt at the same file has. */
const FILE_FAILURES = new Set([
  'AUDIO_TOO_LARGE',
  'AUDIO_TOO_LONG',
  'AUDIO_UNSUPPORTED',
  'AUDIO_CORRUPT',
  'AUDIO_BLOCKED',
]);

export const isFinal = ({ code }: Failure): boolean => FILE_FAILURES.has(code);

/** The worker has already retried: clients of OpenAI do not repeat a response with `x-should-retry: false`. */
export function taskFailed(failure: Failure): ApiError {
  const status = isFinal(failure) ? 400 : failure.code === 'CANCELLED' ? 409 : 500;
  const details = isFinal(failure) ? { details: { param: 'file' } } : {};
  return new ApiError(failure.code, status, failure.message, { 'x-should-retry': 'false' }, details);
}
