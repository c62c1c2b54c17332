import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import type { Fault } from '../base/faults.ts';
import { badRequest, headersTooLarge, requestTimeout } from '../base/faults.ts';
import { failure } from './envelope.ts';

export const URL_LIMIT = 8 * 1024;
const HEADERS_LIMIT_BYTES = 16 * 1024;

/** How long a client may take. An upload of a large file over a thin line is slow as a whole but never idle for long. */
export interface Patience {
  headersMs: number;
  bodyIdleMs: number;
  requestMs: number;
  /** How long we go on reading, and throwing away, what a refused client is still sending. */
  lingerMs: number;
}
export const PATIENCE: Patience = { headersMs: 10_000, bodyIdleMs: 60_000, requestMs: 3_600_000, lingerMs: 2000 };

/** The part of Fastify's options that bounds what a connection may cost before any route is known. */
export function serverLimits(patience: Patience) {
  return {
    connectionTimeout: patience.bodyIdleMs,
    requestTimeout: patience.requestMs,
    http: {
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      // Node looks at the clock only this often, and every 30 s would make 10 s mean 40 s.
      connectionsCheckingInterval: Math.min(1000, Math.ceil(patience.headersMs / 4)),
      maxHeaderSize: HEADERS_LIMIT_BYTES,
      // A second Authorization must not be dropped silently: joined, it fits no grammar and is refused.
      joinDuplicateHeaders: true,
      // Where it is missing, plain-request.ts says so: Node would, yet go on with what follows.
      requireHostHeader: false,
    },
    clientErrorHandler,
  };
}

/** A body that stopped half-way is answered; any other silent connection is closed, as it would be without us. */
export function answerIdleBodies(server: Server): void {
  server.on('timeout', (socket) => {
    const answer = answerOn(socket);
    if (answer === undefined || answer.headersSent || answer.req.complete) socket.destroy();
    else refuseOn(socket, requestTimeout());
  });
}

/** Answers what never became a request. */
function clientErrorHandler(error: Partial<ConnectionError>, socket: Socket): void {
  // Nobody is listening, or an answer is already on its way and a second one would be read as part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || answerOn(socket)?.headersSent) socket.destroy();
  else refuseOn(socket, faultOf(error.code), methodIn(error));
}

/** The method of what never became a request, where its first line came with the bytes that were not understood. */
function methodIn({ rawPacket, bytesParsed }: Partial<ConnectionError>): string | undefined {
  // Bytes, whatever its type says.
  const packet = rawPacket as Buffer | undefined;
  const lines = packet?.toString('latin1', 0, bytesParsed).matchAll(REQUEST_LINE);
  return [...(lines ?? [])].at(-1)?.[1];
}

/** With an end to each part: without, thousands of capitals would be looked through anew from each of them on. */
const REQUEST_LINE = /([A-Z]{1,16}) \S{1,8192} HTTP\/1\.\d\r\n/g;

/** The answer that a socket is waiting for. Node's own handler of client errors asks by the same private name. */
export function answerOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

function faultOf(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(HEADERS_LIMIT_BYTES);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  return badRequest();
}

/** On the bare socket, in the form of every other refusal; what answers HEAD has no body, whatever it says. */
function refuseOn(socket: Socket, fault: Fault, method?: string): void {
  const body = JSON.stringify(failure(fault));
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
  socket.destroySoon();
}
