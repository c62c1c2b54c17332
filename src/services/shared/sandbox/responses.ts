import {
  badRequest,
  deliveryInProgress,
  deliveryNotFound,
  eventsExpired,
  feedsExhausted,
  headersTooLarge,
  idempotencyInProgress,
  idempotencyKeyReused,
  internalError,
  methodNotAllowed,
  modelNotReady,
  notFound,
  payloadTooLarge,
  queueFull,
  rateLimitExceeded,
  requestTimeout,
  taskAlreadyFinished,
  taskNotFound,
  taskNotReady,
  unauthorized,
  unsupportedMediaType,
  uriTooLong,
} from '../../../base/api-error.ts';
import { StorageUnavailable } from '../../../base/files/storage-unavailable.ts';
import { CURSOR_EXAMPLE } from '../event-schema.ts';

/** Rejections that clients repeat, with the shortest `Retry-After`. */
export const REPEATABLE = [() => rateLimitExceeded(1), () => queueFull(1)];

/** One error response for each code of the API that all services with tasks share. */
export const RESPONSES = [
  ...REPEATABLE,
  badRequest,
  unauthorized,
  notFound,
  taskNotFound,
  () => methodNotAllowed('POST'),
  requestTimeout,
  idempotencyInProgress,
  taskNotReady,
  () => payloadTooLarge(64 * 1024),
  () => uriTooLong(8192),
  () => unsupportedMediaType('application/json'),
  idempotencyKeyReused,
  () => headersTooLarge(16 * 1024),
  internalError,
  feedsExhausted,
  () => new StorageUnavailable('this is the sandbox'),
];

/** Further codes of the services whose clients read `GET /result/{task_id}`. */
export const RESULT_RESPONSES = [
  taskAlreadyFinished,
  deliveryNotFound,
  deliveryInProgress,
  () => eventsExpired(CURSOR_EXAMPLE),
  modelNotReady,
];
