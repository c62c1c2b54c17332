import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

/** A session cookie with the last query string. */
export interface Remembered {
  keep(request: FastifyRequest, reply: FastifyReply, query: string): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

export const REMEMBERED = 'search_filters';

/** Browsers store 4096 bytes per cookie with its name and attributes (RFC 6265, section 6.1). */
const MAX_BYTES = 3_800;

export function openRemembered(rules: CookieRules): Remembered {
  const options = cookieOptions(rules);
  const clear: Remembered['clear'] = (request, reply) => {
    if (request.cookies[REMEMBERED] !== undefined) void reply.setCookie(REMEMBERED, '', options(request, 0));
  };
  return {
    keep(request, reply, query) {
      if (query === (request.cookies[REMEMBERED] ?? '')) return;
      if (query === '' || encodeURIComponent(query).length > MAX_BYTES) return clear(request, reply);
      const { maxAge: _, ...sessionOptions } = options(request, 0);
      void reply.setCookie(REMEMBERED, query, sessionOptions);
    },
    clear,
  };
}
