import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  badRequest,
  internalError,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
  validationError,
} from '../base/api-error.ts';
import { wantsPage } from './accept-header.ts';
import { type ErrorFormat, envelopeErrors } from './envelope.ts';
import { messageOf, type Part, type ValidationFailure, type ValidationFormat } from './validation.ts';
import { InvalidInput } from './validation-details.ts';

/** Renders an error page from the status, the JSON body and the header `Retry-After`. */
export type ErrorPage = (
  status: number,
  body: object,
  request: FastifyRequest,
  retryAfter: string | undefined,
) => Promise<{ readonly html: string; readonly policy: string }>;

/**
 * Turns errors into responses: an `ApiError` as it is, an unavailable database as 503, and any other error (a bug) as 500
 * with only the request id; the error itself is logged.
 */
export function createErrorHandler(options: {
  validation: ValidationFormat;
  isUnavailable: (error: unknown) => boolean;
  unavailable: () => ApiError;
  /** Error page for routes with `page` and for unknown paths. */
  page?: ErrorPage | undefined;
  /** The format of a path that follows another API. */
  formatFor?: (path: string) => ErrorFormat | undefined;
  lingerMs: number;
}) {
  const { validation, isUnavailable, unavailable, page, formatFor, lingerMs } = options;

  function send(status: number, body: object, request: FastifyRequest, reply: FastifyReply): void {
    void reply.code(status);
    const config = request.routeOptions?.config as { page?: boolean } | undefined;
    const isPage = config?.page === true || (request.is404 && status === 404);
    if (page === undefined || !isPage || !wantsPage(request.headers.accept)) {
      void reply.send(body);
      return;
    }
    const retryAfter = reply.getHeader('retry-after');
    void page(status, body, request, retryAfter === undefined ? undefined : String(retryAfter)).then(
      ({ html, policy }) =>
        reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).send(html),
      (error: unknown) => {
        request.log.error({ err: error }, 'rendering an error page failed');
        return reply.send(body);
      },
    );
  }

  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    discardBody(request, reply, lingerMs);
    // Overrides headers that the route has already set.
    void reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    const problem = validationFailure(error);
    const format = formatFor?.(request.url);
    if (problem !== undefined && format === undefined) {
      send(422, validation.body(problem, request.id) as object, request, reply);
      return;
    }
    const fault =
      problem !== undefined
        ? validationError(messageOf(problem))
        : (toApiError(error, request) ?? (isUnavailable(error) ? unavailable() : internalError()));
    if (fault !== error && fault.status >= 500)
      request.log[isUnavailable(error) ? 'warn' : 'error']({ err: error }, fault.message);
    void reply.headers(fault.headers);
    if (format === undefined) send(fault.status, envelopeErrors.body(fault, request.id), request, reply);
    else void reply.code(format.status(fault)).send(format.body(fault, request.id));
  };
}

/** Maps Fastify's errors by code. */
function toApiError(error: FastifyError | Error, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error;
  // The client disconnected. Compares the error itself, because a database's ECONNRESET has the same code.
  if (error === request.raw.errored) return badRequest();
  switch ('code' in error ? error.code : '') {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request.routeOptions.config.takes ?? 'application/json');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(request.routeOptions.bodyLimit);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest();
    case 'FST_ERR_HANDLER_TIMEOUT':
      return requestTimeout();
    default:
      return undefined;
  }
}

const PARTS: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' };

function validationFailure(error: FastifyError | Error): ValidationFailure | undefined {
  if (error instanceof InvalidInput) return { kind: 'details', details: error.details };
  if (!('code' in error)) return undefined;
  if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return { kind: 'not_json' };
  }
  if (!error.validation) return undefined;
  const problems = error.validation as Extract<ValidationFailure, { kind: 'schema' }>['problems'];
  return { kind: 'schema', where: PARTS[error.validationContext ?? 'body'] ?? 'body', problems };
}

/**
 * Reads and discards the rest of a request body for up to `lingerMs`. Closing at once would reset the connection, and the
 * client could lose the response.
 */
function discardBody(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  // Fastify closes the connection after an unparsable body, which is unnecessary if the body was read completely.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  const { raw } = request;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  if (raw.complete || (coding === undefined && length === '0')) return;
  raw.unpipe();
  raw.resume();
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy();
  }, lingerMs);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}
