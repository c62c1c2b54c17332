import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

// Unique is enough, an id of a request opens no door: so a random start and a count, and no random bytes per request.
const prefix = randomBytes(6).toString('hex');
let count = 0;

/** The client's `X-Request-ID` where it is a plain word, else a new one. */
export function requestId(raw: { headers: IncomingMessage['headers'] }): string {
  const given = raw.headers['x-request-id'];
  if (typeof given === 'string' && ACCEPTED.test(given)) return given;
  count++;
  return `${prefix}-${count.toString(36)}`;
}

/** The caller's W3C trace, or `undefined` where none, or none that is well-formed, was sent. */
export function traceparent(headers: IncomingMessage['headers']): string | undefined {
  const header = headers['traceparent'];
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
