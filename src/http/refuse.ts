import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  badRequest,
  Fault,
  internalError,
  notFound,
  payloadTooLarge,
  queueUnavailable,
  requestTimeout,
  unsupportedMediaType,
} from '../base/faults.ts';
import { wantsPage } from './accept.ts';
import { InvalidInput } from './details.ts';
import { failure } from './envelope.ts';
import type { Part, ValidationFailure, ValidationFormat } from './validation.ts';

/** A refusal as a page: its status and the body that a program would get. */
export type RefusalPage = (
  status: number,
  body: object,
  request: FastifyRequest,
) => Promise<{ readonly html: string; readonly policy: string }>;

/**
 * The one place where an error becomes an answer. A `Fault` says itself what it is; a store that cannot be reached is
 * 503; everything else is a bug: it is logged whole and answered with nothing but the request id.
 */
export function refusals(options: {
  validation: ValidationFormat;
  isUnavailable: (error: unknown) => boolean;
  /** What is answered then. */
  unavailable?: (() => Fault) | undefined;
  /** For routes that browsers open or send forms to, and addresses that are none: the refusal as a page. */
  page?: RefusalPage | undefined;
  lingerMs: number;
}) {
  const { validation, isUnavailable, unavailable = queueUnavailable, page, lingerMs } = options;

  /** The same refusal for a program and for a person. */
  function send(status: number, body: object, request: FastifyRequest, reply: FastifyReply): void {
    void reply.code(status);
    const config = request.routeOptions?.config as { page?: boolean } | undefined;
    const forPeople = config?.page === true || (request.is404 && status === 404);
    if (page === undefined || !forPeople || !wantsPage(request.headers.accept)) {
      void reply.send(body);
      return;
    }
    void page(status, body, request).then(
      ({ html, policy }) =>
        reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).send(html),
      (error: unknown) => {
        request.log.error({ err: error }, 'a refusal could not be shown as a page');
        return reply.send(body);
      },
    );
  }

  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    linger(request, reply, lingerMs);
    // Whatever the route had begun to say, a page or a file to keep for ever, this is neither.
    void reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    const problem = validationFailure(error);
    if (problem !== undefined) {
      send(422, validation.body(problem, request.id) as object, request, reply);
      return;
    }
    const fault = asFault(error, request) ?? (isUnavailable(error) ? unavailable() : internalError());
    if (fault !== error && fault.status >= 500) request.log.error({ err: error }, fault.message);
    void reply.headers(fault.headers);
    send(fault.status, { ...failure(fault, request.id), ...fault.more }, request, reply);
  };
}

/** Fastify's own refusals, by their codes, in our words. */
function asFault(error: FastifyError | Error, request: FastifyRequest): Fault | undefined {
  if (error instanceof Fault) return error;
  // The client broke off. Only the request's own error says so: a database's ECONNRESET has the same code.
  if (error === request.raw.errored) return badRequest();
  switch ('code' in error ? error.code : '') {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request.routeOptions.config.takes ?? 'application/json');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(request.routeOptions.bodyLimit);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest();
    case 'FST_ERR_BAD_URL':
      return notFound();
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
 * A client that is refused before its body was read may still be sending. Closing at once would throw its unread bytes
 * back at it and often our answer with them, so the socket lives a little longer; Node discards what comes meanwhile.
 */
function linger(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  // Fastify asks to close after every body it could not parse; where the body was read to its end there is no reason.
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
