import { errorCodes, type FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came; only in a scope that keeps it. */
    bodyText?: string;
  }
}

/**
 * Makes the routes of this scope keep the text of their JSON bodies in `request.bodyText`, beside the parsed value. What
 * is parsed is only ever read: a member named `__proto__` is a member like any other.
 */
export function keepBodyText(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, given, done) => {
    const text = String(given).replace(/^\uFEFF/, '');
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
