import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

/** The cookie that remembers what a browser searched for last, as a query string; until the browser is closed. */
export interface Remembered {
  keep(request: FastifyRequest, reply: FastifyReply, query: string): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

export const REMEMBERED = 'search_filters';

/** A browser keeps 4096 bytes of a cookie with its name and attributes (RFC 6265, section 6.1). */
const MOST_BYTES = 3_800;

export function openRemembered(rules: CookieRules): Remembered {
  const options = cookieOptions(rules);
  const clear: Remembered['clear'] = (request, reply) => {
    if (request.cookies[REMEMBERED] !== undefined) void reply.setCookie(REMEMBERED, '', options(request, 0));
  };
  return {
    keep(request, reply, query) {
      if (query === (request.cookies[REMEMBERED] ?? '')) return;
      if (query === '' || encodeURIComponent(query).length > MOST_BYTES) return clear(request, reply);
      const { maxAge: _, ...whileOpen } = options(request, 0);
      void reply.setCookie(REMEMBERED, query, whileOpen);
    },
    clear,
  };
}
