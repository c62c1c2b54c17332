import { errorCodes, type FastifyInstance } from 'fastify';
import { limitJsonBodies } from './json-limits.ts';

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
  limitJsonBodies(scope, (request, body, done) => {
    const text = body.replace(/^\uFEFF/, '');
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
