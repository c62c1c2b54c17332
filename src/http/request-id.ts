import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

// Ids must be unique, not unpredictable: a random prefix and a counter are faster than random bytes per request.
const prefix = randomBytes(6).toString('hex');
let count = 0;

/** The client's `X-Request-ID` if valid, otherwise a new id. */
export function requestId(raw: { headers: IncomingMessage['headers'] }): string {
  const header = raw.headers['x-request-id'];
  if (typeof header === 'string' && ACCEPTED.test(header)) return header;
  count++;
  return `${prefix}-${count.toString(36)}`;
}

/** The client's W3C trace context; undefined if absent or invalid. */
export function parseTraceparent(headers: IncomingMessage['headers']): string | undefined {
  const header = headers['traceparent'];
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
