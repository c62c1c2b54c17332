import { Fault } from '../../base/faults.ts';

/** The refusals of this service by their names; those that every service has are in base/faults.ts. */

const RETRY_SOON = { 'retry-after': '5' };

export const tokenRefused = () =>
  new Fault('UNAUTHORIZED', 401, 'The token is not valid, or its time is over.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  });
export const invalidApiKey = () =>
  new Fault('INVALID_API_KEY', 401, 'There is no such API key.', { 'www-authenticate': 'Bearer' });
export const csrfFailed = () =>
  new Fault('CSRF_FAILED', 403, 'This request came from a page of another site; open our own page and try again.');
export const forbidden = () =>
  new Fault('FORBIDDEN', 403, 'This is for administrators: your API key has another role.');

export const changeForbidden = () =>
  new Fault('FORBIDDEN', 403, 'Only the session that made this task, or an administrator, may change it.');

export const documentNotFound = () =>
  new Fault('TASK_NOT_FOUND', 404, 'There is no such task, or it is not yours to see.');
export const statusNotFound = () =>
  new Fault('TASK_NOT_FOUND', 404, documentNotFound().message, {}, { more: { status: 'NOT_FOUND' } });
export const imageNotFound = () => new Fault('IMAGE_NOT_FOUND', 404, 'There is no such image in this session.');

export const emptyFile = () => new Fault('EMPTY_FILE', 400, 'The file has no bytes.');
export const invalidName = (why: string) => new Fault('INVALID_NAME', 400, why);
export const invalidImageIds = (why: string, invalid: readonly string[]) =>
  new Fault('INVALID_IMAGE_IDS', 400, why, {}, { details: { invalid } });
export const tooManyImages = (most: number) =>
  new Fault('TOO_MANY_IMAGES', 400, `At most ${most} images can wait at a time; make a PDF of them, or remove some.`);
export const tooManyPages = (most: number) => new Fault('TOO_MANY_IMAGES', 400, `A PDF takes at most ${most} images.`);
export const fileTooLarge = (limit: string) => new Fault('FILE_TOO_LARGE', 413, `The file is larger than ${limit}.`);
/** `quotaBytes` is an example where the reference describes the refusal. */
export const quotaExceeded = (quotaBytes = 10 * 1024 ** 3) =>
  new Fault(
    'QUOTA_EXCEEDED',
    413,
    `Your documents and images would take more than ${quotaBytes} bytes; delete some that you no longer need.`,
  );
export const notADocument = (wanted: string) => new Fault('UNSUPPORTED_MEDIA_TYPE', 415, `The file is not ${wanted}.`);

export const notRetryable = () =>
  new Fault('TASK_NOT_RETRYABLE', 409, 'Only a task in ERROR or FAILED can be tried again.');
export const notEditable = () => new Fault('TASK_NOT_EDITABLE', 409, 'Only a task in SUCCESS has fields to edit.');
export const notReady = () =>
  new Fault('TASK_NOT_READY', 409, 'The task has not come to a result that could be exported.');
export const versionConflict = () =>
  new Fault('VERSION_CONFLICT', 412, 'Somebody else has edited these fields since you read them.');
export const cleanupRunning = () =>
  new Fault('CLEANUP_RUNNING', 409, 'Another cleanup is still running.', { 'retry-after': '10' });

export const tooManyStreams = (most: number) =>
  new Fault('RATE_LIMIT_EXCEEDED', 429, `A session may hold ${most} streams open at a time.`, { 'retry-after': '5' });

export const authUnconfigured = () =>
  new Fault('AUTH_UNCONFIGURED', 503, 'No API keys are configured; nobody can get a token.', { 'retry-after': '60' });
export const storageUnavailable = () =>
  new Fault('STORAGE_UNAVAILABLE', 503, 'Files cannot be stored now; nothing was kept.', RETRY_SOON);
export const databaseUnavailable = () =>
  new Fault('DATABASE_UNAVAILABLE', 503, 'The database does not answer.', RETRY_SOON);
export const llmUnavailable = () =>
  new Fault('LLM_UNAVAILABLE', 503, 'The language model does not answer.', RETRY_SOON);
export const tooManyReports = () =>
  new Fault('REPORT_UNAVAILABLE', 503, 'Too many reports are wanted now; try again soon.', { 'retry-after': '10' });
export const reportTooLong = () =>
  new Fault('REPORT_UNAVAILABLE', 503, 'This report takes too long to print; the Excel file says the same.', {
    'retry-after': '60',
  });
export const workersOffline = () =>
  new Fault('WORKERS_OFFLINE', 503, 'No worker is online; the queue is not worked on.', RETRY_SOON);
