import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

export const LAST_SEARCH_COOKIE = 'search_filters';

/** Browsers store 4096 bytes per cookie with its name and attributes (RFC 6265, section 6.1). */
const MAX_BYTES = 3_800;

/** A session cookie with the last query string of a search, or the last path and query of a search by a photo. */
export function createLastSearch(rules: CookieRules) {
  const options = cookieOptions(rules);
  const clear = (request: FastifyRequest, reply: FastifyReply) => {
    if (request.cookies[LAST_SEARCH_COOKIE] !== undefined)
      void reply.setCookie(LAST_SEARCH_COOKIE, '', options(request, 0));
  };
  return {
    save(request: FastifyRequest, reply: FastifyReply, query: string) {
      if (query === (request.cookies[LAST_SEARCH_COOKIE] ?? '')) return;
      if (query === '' || encodeURIComponent(query).length > MAX_BYTES) return clear(request, reply);
      const { maxAge: _, ...sessionOptions } = options(request, 0);
      void reply.setCookie(LAST_SEARCH_COOKIE, query, sessionOptions);
    },
    clear,
  };
}
