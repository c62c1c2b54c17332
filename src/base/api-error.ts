/**
 * An error response of the API. `code` (UPPER_SNAKE_CASE) is part of the contract, `message` is for humans and may change.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of `error` in the response body. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** Further members of the response body, beside `error`. */
  readonly extraFields: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    { details, more = {} }: { details?: Record<string, unknown>; more?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.details = details;
    this.extraFields = more;
  }
}

const RETRY_SOON = { 'retry-after': '5' };

export const unauthorized = () =>
  new ApiError('UNAUTHORIZED', 401, 'A valid bearer token is required.', { 'www-authenticate': 'Bearer' });
export const notFound = () => new ApiError('NOT_FOUND', 404, 'There is nothing at this address.');
export const taskNotFound = () =>
  new ApiError('TASK_NOT_FOUND', 404, 'No such task: the identifier is unknown, or the task has expired.');
export const methodNotAllowed = (allow: string) =>
  new ApiError('METHOD_NOT_ALLOWED', 405, `This address answers ${allow} only.`, { allow });
export const taskAlreadyFinished = () =>
  new ApiError('TASK_ALREADY_FINISHED', 409, 'The task has already finished and cannot be cancelled.');
export const taskNotReady = () =>
  new ApiError('TASK_NOT_READY', 409, 'The task has no result: it has not ended, or it has failed.');
export const batchNotFound = () =>
  new ApiError('BATCH_NOT_FOUND', 404, 'No such batch: the identifier is unknown, or the batch has expired.');
export const batchNotCompleted = () =>
  new ApiError('BATCH_NOT_COMPLETED', 409, 'Some items of the batch have not ended yet.');
export const transcriptChanged = (version: number) =>
  new ApiError(
    'VERSION_CONFLICT',
    412,
    'The transcript has been changed; `details.version` is the current version.',
    {},
    { details: { version } },
  );
export const deliveryNotFound = () =>
  new ApiError('DELIVERY_NOT_FOUND', 404, 'The task was created without a webhook.');
export const deliveryInProgress = () =>
  new ApiError(
    'DELIVERY_IN_PROGRESS',
    409,
    'The task has not ended, or an attempt is in progress or queued already, or the delivery has had 1000 attempts.',
  );
export const eventsExpired = (earliest: string) =>
  new ApiError(
    'EVENTS_EXPIRED',
    410,
    'Events after this cursor are no longer stored; `details.earliest` is the first cursor that can be used.',
    {},
    { details: { earliest } },
  );
export const payloadTooLarge = (limitBytes: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', 413, `The request body is larger than the limit of ${limitBytes} bytes.`);
export const quotaExceeded = (quotaBytes: number) =>
  new ApiError(
    'PAYLOAD_TOO_LARGE',
    413,
    `Your uploads would exceed ${quotaBytes} bytes; expired uploads are deleted automatically.`,
  );
export const unsupportedMediaType = (expected: string) =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', 415, `The body must be ${expected}.`);
/** The bytes of a file, which may be the body or a part of a form. */
export const unsupportedFile = (expected: string, isEmpty = false) =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', 415, `The file must be ${expected}${isEmpty ? ', but it is empty' : ''}.`);
export const validationError = (message: string) => new ApiError('VALIDATION_ERROR', 422, message);
export const idempotencyKeyReused = () =>
  new ApiError('IDEMPOTENCY_KEY_REUSED', 422, 'This Idempotency-Key was used before with a different request.');
export const idempotencyInProgress = () =>
  new ApiError('IDEMPOTENCY_IN_PROGRESS', 409, 'The first request with this Idempotency-Key is still in progress.', {
    'retry-after': '1',
  });
export const rateLimitExceeded = (retryAfterSeconds: number) =>
  new ApiError('RATE_LIMIT_EXCEEDED', 429, `Too many requests: try again in ${retryAfterSeconds} s.`, {
    'retry-after': String(retryAfterSeconds),
  });
export const clientQueueFull = (retryAfterSeconds: number) =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    429,
    `Too many of your tasks wait: nothing was accepted. Try again in ${retryAfterSeconds} s.`,
    { 'retry-after': String(retryAfterSeconds) },
  );
export const tooManyFeeds = (limit: number) =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    429,
    `You have ${limit} open event feeds on this gateway, which is the limit.`,
    RETRY_SOON,
  );
export const tooManyRedeliveries = (retryAfterSeconds: number) =>
  new ApiError('RATE_LIMIT_EXCEEDED', 429, `Too many redeliveries are queued; try again in ${retryAfterSeconds} s.`, {
    'retry-after': String(retryAfterSeconds),
  });
export const internalError = () =>
  new ApiError('INTERNAL_ERROR', 500, 'An internal error occurred; quote the request id when you report it.');
export const modelNotReady = () =>
  new ApiError('MODEL_NOT_READY', 503, 'No worker has its model loaded now.', RETRY_SOON);
export const queueUnavailable = (why = 'The task store cannot be reached now; nothing was accepted.') =>
  new ApiError('QUEUE_UNAVAILABLE', 503, why, RETRY_SOON);
export const feedsExhausted = () =>
  new ApiError('TOO_MANY_FEEDS', 503, 'This gateway has too many open event feeds; poll without `wait`.', RETRY_SOON);
/** 503 because the queue limit is shared by all clients; a client's own limit is 429. */
export const queueFull = (retryAfterSeconds: number) =>
  new ApiError(
    'QUEUE_UNAVAILABLE',
    503,
    `Too many tasks wait: nothing was accepted. Try again in ${retryAfterSeconds} s.`,
    { 'retry-after': String(retryAfterSeconds) },
  );

// Protocol errors, raised before a request reaches a route.

export const badRequest = () => new ApiError('BAD_REQUEST', 400, 'The request is not well-formed HTTP.');
export const requestTimeout = () => new ApiError('REQUEST_TIMEOUT', 408, 'The request took too long to arrive.');
export const uriTooLong = (limit: number) =>
  new ApiError('URI_TOO_LONG', 414, `The address is longer than the limit of ${limit} characters.`);
export const headersTooLarge = (limitBytes: number) =>
  new ApiError('HEADERS_TOO_LARGE', 431, `The request headers are larger than the limit of ${limitBytes} bytes.`);
