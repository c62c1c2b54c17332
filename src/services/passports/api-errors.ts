import { ApiError } from '../../base/api-error.ts';

/** Errors shared by all services are in base/api-error.ts. */

const RETRY_SOON = { 'retry-after': '5' };
const RETRY_LATER = { 'retry-after': '60' };

export const tokenRejected = () =>
  new ApiError('UNAUTHORIZED', 401, 'The token is not valid or has expired.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  });
export const invalidApiKey = () =>
  new ApiError('INVALID_API_KEY', 401, 'There is no such API key.', { 'www-authenticate': 'Bearer' });
export const forbidden = () =>
  new ApiError('FORBIDDEN', 403, 'Only administrators may do this; your API key has another role.');

export const changeForbidden = () =>
  new ApiError('FORBIDDEN', 403, 'Only the session that created this task, or an administrator, may change it.');

export const documentNotFound = () =>
  new ApiError('TASK_NOT_FOUND', 404, 'The task does not exist, or you have no access to it.');
export const statusNotFound = () =>
  new ApiError('TASK_NOT_FOUND', 404, documentNotFound().message, {}, { more: { status: 'NOT_FOUND' } });
export const templateNotFound = () => new ApiError('TEMPLATE_NOT_FOUND', 404, 'Your API key has no such template.');
export const correctionNotFound = () =>
  new ApiError('CORRECTION_NOT_FOUND', 404, 'The template has no correction from this task.');
export const imageNotFound = () => new ApiError('IMAGE_NOT_FOUND', 404, 'The session has no such image.');

export const emptyFile = () => new ApiError('EMPTY_FILE', 400, 'The file is empty.');
export const invalidName = (message: string) => new ApiError('INVALID_NAME', 400, message);
export const invalidImageIds = (message: string, invalid: readonly string[]) =>
  new ApiError('INVALID_IMAGE_IDS', 400, message, {}, { details: { invalid } });
export const tooManyImages = (limit: number) =>
  new ApiError(
    'TOO_MANY_IMAGES',
    400,
    `A session can hold at most ${limit} images. Create a PDF from them or delete some.`,
  );
export const tooManyPages = (limit: number) =>
  new ApiError('TOO_MANY_IMAGES', 400, `A PDF can have at most ${limit} images.`);
export const fileTooLarge = (limit: string) => new ApiError('FILE_TOO_LARGE', 413, `The file is larger than ${limit}.`);
/** The default of `quotaBytes` is an example for the API reference. */
export const quotaExceeded = (quotaBytes = 10 * 1024 ** 3) =>
  new ApiError(
    'QUOTA_EXCEEDED',
    413,
    `Your documents and images would exceed the quota of ${quotaBytes} bytes. Delete some of them.`,
  );
export const notADocument = (expected: string, hint = '') =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', 415, `The file is not ${expected}.${hint}`);

export const notRetryable = () =>
  new ApiError('TASK_NOT_RETRYABLE', 409, 'Only a task in ERROR or FAILED can be retried.');
export const notEditable = () => new ApiError('TASK_NOT_EDITABLE', 409, 'Only a task in SUCCESS has fields to edit.');
export const notReady = () => new ApiError('TASK_NOT_READY', 409, 'The task has no result to export.');
export const versionConflict = () =>
  new ApiError('VERSION_CONFLICT', 412, 'The document has changed since you read it.');
export const cleanupRunning = () =>
  new ApiError('CLEANUP_RUNNING', 409, 'Another cleanup is still running.', { 'retry-after': '10' });

export const tooManyStreams = (limit: number) =>
  new ApiError('RATE_LIMIT_EXCEEDED', 429, `A session can have at most ${limit} open streams.`, RETRY_SOON);

export const authUnconfigured = () =>
  new ApiError('AUTH_UNCONFIGURED', 503, 'No API keys are configured, so no token can be issued.', RETRY_LATER);
export const storageUnavailable = () =>
  new ApiError('STORAGE_UNAVAILABLE', 503, 'The file storage is unavailable; nothing was stored.', RETRY_SOON);
export const databaseUnavailable = () =>
  new ApiError('DATABASE_UNAVAILABLE', 503, 'The database does not answer.', RETRY_SOON);
export const llmUnavailable = () =>
  new ApiError('LLM_UNAVAILABLE', 503, 'The language model does not answer.', RETRY_SOON);
export const tooManyReports = () =>
  new ApiError('REPORT_UNAVAILABLE', 503, 'Too many reports are being created; try again soon.', {
    'retry-after': '10',
  });
export const reportTooLong = () =>
  new ApiError(
    'REPORT_UNAVAILABLE',
    503,
    'This report takes too long to create. Download the Excel file instead.',
    RETRY_LATER,
  );
export const workersOffline = () =>
  new ApiError('WORKERS_OFFLINE', 503, 'No worker is online; queued tasks are not processed.', RETRY_SOON);
