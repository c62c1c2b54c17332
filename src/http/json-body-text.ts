import { errorCodes, type FastifyInstance } from 'fastify';
import type { ApiError } from '../base/api-error.ts';
import { createJsonLimiter, JSON_LIMITS } from './json-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The text of the JSON body; only in scopes with `keepBodyText`. */
    bodyText?: string;
  }
}

/**
 * Keeps the text of JSON bodies in `request.bodyText`, in addition to the parsed value. The parsed value must not be merged
 * into other objects: it may contain a member `__proto__`. Rejects bodies beyond `JSON_LIMITS`.
 */
export function keepBodyText(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      createJsonLimiter(JSON_LIMITS)(body as Buffer);
    } catch (error) {
      return done(error as ApiError);
    }
    const text = body.toString('utf8').replace(/^\uFEFF/, '');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return done(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY());
    }
    request.bodyText = text;
    done(null, value);
  });
}
