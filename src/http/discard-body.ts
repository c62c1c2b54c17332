import type { preParsingHookHandler } from 'fastify';
import { payloadTooLarge } from '../base/api-error.ts';

/** For routes without a body: reads and discards any body within the limit, regardless of its `Content-Type`. */
export const discardBody: preParsingHookHandler = (request, _reply, payload, done) => {
  const { headers } = request;
  const limit = request.routeOptions.bodyLimit;
  if (Number(headers['content-length'] ?? 0) > limit) return done(payloadTooLarge(limit));
  // Makes it a request without a body for Fastify.
  request.headers = {
    ...headers,
    'content-type': undefined,
    'content-length': undefined,
    'transfer-encoding': undefined,
  };
  let received = 0;
  let ended = false;
  const end = (error?: Error) => {
    if (ended) return;
    ended = true;
    if (error) done(error);
    else done(null, payload);
  };
  payload.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) end(payloadTooLarge(limit));
  });
  payload.once('end', () => end());
  payload.once('error', end);
};
