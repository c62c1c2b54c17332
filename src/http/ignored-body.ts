import type { preParsingHookHandler } from 'fastify';
import { payloadTooLarge } from '../base/faults.ts';

/**
 * For a route that takes no body: whatever comes, of whatever type, is read within the limit and thrown away. Many
 * clients put a `Content-Type` on everything they post, and nothing about it can be wrong where nothing is read.
 */
export const ignoreBody: preParsingHookHandler = (request, _reply, payload, done) => {
  const { headers } = request;
  const limit = request.routeOptions.bodyLimit;
  if (Number(headers['content-length'] ?? 0) > limit) return done(payloadTooLarge(limit));
  // To the rest of the way it is a request without a body.
  request.headers = {
    ...headers,
    'content-type': undefined,
    'content-length': undefined,
    'transfer-encoding': undefined,
  };
  let received = 0;
  let over = false;
  const end = (error?: Error) => {
    if (over) return;
    over = true;
    if (error) done(error);
    else done(null, payload);
  };
  payload.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received > limit) end(payloadTooLarge(limit));
  });
  payload.once('end', () => end());
  payload.once('error', end);
};
