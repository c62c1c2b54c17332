import type { FastifyReply, FastifyRequest } from 'fastify';
import { notModified } from '../../../http/envelope.ts';
import { matchesETag, weakETag } from '../../../http/etag.ts';

/** Responses of routes for images. */
export const imageResponses = {
  200: { description: 'The image.', content: { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } } },
  304: notModified,
};

/** Sets the headers of an image that `version` identifies. True if the client has it, so that 304 is the response. */
export function isImageCurrent(request: FastifyRequest, reply: FastifyReply, version: string): boolean {
  const etag = weakETag(version);
  void reply.headers({
    etag,
    // A stored image never changes, but access to it does.
    'cache-control': 'private, no-cache',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  });
  return matchesETag(request.headers['if-none-match'], etag);
}
