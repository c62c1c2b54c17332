import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { type ApiError, badRequest, headersTooLarge, requestTimeout } from '../base/api-error.ts';
import { failure } from './envelope.ts';

export const MAX_URL_LENGTH = 8 * 1024;
const HEADERS_LIMIT_BYTES = 16 * 1024;

/** Time limits of a request. A large upload may be slow but is never idle for long. */
export interface Timeouts {
  headersMs: number;
  bodyIdleMs: number;
  requestMs: number;
  /** Time to read and discard the body of a rejected request. */
  lingerMs: number;
}
export const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  bodyIdleMs: 60_000,
  requestMs: 3_600_000,
  lingerMs: 2000,
};

/** Fastify options that limit a connection before routing. */
export function serverLimits(timeouts: Timeouts) {
  return {
    connectionTimeout: timeouts.bodyIdleMs,
    requestTimeout: timeouts.requestMs,
    http: {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      // Node checks timeouts at this interval; its default is 30 s.
      connectionsCheckingInterval: Math.min(1000, Math.ceil(timeouts.headersMs / 4)),
      maxHeaderSize: HEADERS_LIMIT_BYTES,
      // A joined `Authorization` header is invalid; otherwise Node would silently drop the second one.
      joinDuplicateHeaders: true,
      // Checked in reject-smuggling.ts: Node would respond but continue to read the connection.
      requireHostHeader: false,
    },
    clientErrorHandler: clientErrorHandler(timeouts.lingerMs),
  };
}

/** Responds 408 to incomplete bodies; closes other idle connections, except while a complete request is handled. */
export function rejectIdleBodies(server: Server): void {
  server.on('timeout', (socket) => {
    const response = pendingResponse(socket);
    if (response === undefined || response.headersSent) socket.destroy();
    // The response restarts the limit.
    else if (response.req.complete) return;
    else {
      sendError(socket, requestTimeout());
      socket.destroySoon();
    }
  });
}

/**
 * Responds to invalid HTTP, and then discards what the client still sends for up to `lingerMs`: closing at once would reset the
 * connection, and the client could lose the response.
 */
function clientErrorHandler(lingerMs: number) {
  const rejected = new WeakSet<Socket>();
  return (error: Partial<ConnectionError>, socket: Socket): void => {
    // Node reports each further packet.
    if (rejected.has(socket) && error.code !== 'ECONNRESET') return;
    // The connection is closed, or a response was started.
    if (error.code === 'ECONNRESET' || !socket.writable || pendingResponse(socket)?.headersSent) {
      socket.destroy();
      return;
    }
    rejected.add(socket);
    sendError(socket, toApiError(error.code), methodIn(error));
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

/** The method of an invalid request, if its request line is in the received packet. */
function methodIn({ rawPacket, bytesParsed }: Partial<ConnectionError>): string | undefined {
  // A Buffer, contrary to its type.
  const packet = rawPacket as Buffer | undefined;
  const lines = packet?.toString('latin1', 0, bytesParsed).matchAll(REQUEST_LINE);
  return [...(lines ?? [])].at(-1)?.[1];
}

/** Bounded repetitions prevent quadratic backtracking. */
const REQUEST_LINE = /([A-Z]{1,16}) \S{1,8192} HTTP\/1\.\d\r\n/g;

/** The pending response of a socket. Node's client error handler uses the same private property. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

function toApiError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(HEADERS_LIMIT_BYTES);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  return badRequest();
}

/** Writes an error response to the socket; without a body for HEAD. */
function sendError(socket: Socket, fault: ApiError, method?: string): void {
  const body = JSON.stringify(failure(fault));
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
}
