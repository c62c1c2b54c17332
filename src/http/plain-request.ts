import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { onRequestHookHandler } from 'fastify';
import { badRequest } from '../base/faults.ts';

/**
 * Refuses what Node takes but another reader in front of us could understand differently (RFC 9112 §3.2, §6.1), and
 * hears nothing more on that connection: what follows may be part of the same request to the other one. An offer to
 * change the protocol is not taken up, and ends the connection with its answer: Node drops what was sent behind it.
 */
export function plainRequests(): onRequestHookHandler {
  const deaf = new WeakSet<Socket>();
  return (request, reply, done) => {
    const { raw } = request;
    if (deaf.has(raw.socket)) {
      // Never answered: the connection ends with the answer before it.
      reply.hijack();
      return;
    }
    const plain = isPlain(raw);
    if (plain && raw.headers.upgrade === undefined) return done();
    deaf.add(raw.socket);
    reply.raw.shouldKeepAlive = false;
    if (plain) return done();
    // The hook that says this of every answer comes after this one.
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done(badRequest());
  };
}

function isPlain({ headers, httpVersion }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': coding } = headers;
  // An empty coding beside a length is read by its length here, and perhaps in chunks elsewhere.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return false;
  if (httpVersion === '1.0') return host === undefined || HOST.test(host);
  return httpVersion === '1.1' && host !== undefined && HOST.test(host);
}

/** One host, with a port or without. Several were joined by commas; an address is longer than a host. */
const HOST = /^[^\s,/?#@\\]*$/;
