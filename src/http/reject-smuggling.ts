import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { onRequestHookHandler } from 'fastify';
import { badRequest } from '../base/api-error.ts';

/**
 * Prevents request smuggling: rejects requests that a proxy could parse differently than Node (RFC 9112 §3.2, §6.1) and
 * ignores all further data on that connection. Protocol upgrades are not accepted and end the connection too, because Node
 * drops the data after them.
 */
export function rejectSmuggling(): onRequestHookHandler {
  const closing = new WeakSet<Socket>();
  return (request, reply, done) => {
    const { raw } = request;
    if (closing.has(raw.socket)) {
      // No response: the connection ends with the previous one.
      reply.hijack();
      return;
    }
    const plain = isPlain(raw);
    if (plain && raw.headers.upgrade === undefined) return done();
    closing.add(raw.socket);
    reply.raw.shouldKeepAlive = false;
    if (plain) return done();
    // The hook that sets these headers runs later.
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done(badRequest());
  };
}

function isPlain({ headers, httpVersion }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': coding } = headers;
  // Node reads an empty coding with a length by its length; a proxy may read chunks.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return false;
  if (httpVersion === '1.0') return host === undefined || HOST.test(host);
  return httpVersion === '1.1' && host !== undefined && HOST.test(host);
}

/** One host with an optional port; rejects joined headers and URLs. */
const HOST = /^[^\s,/?#@\\]*$/;
