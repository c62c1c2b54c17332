import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

export type SessionCookie = ReturnType<typeof createSessionCookie>;

export const SESSION_COOKIE = 'assay_catalog';
const MAX_AGE_SECONDS = 30 * 86_400;

/** The session cookie: the token itself, HttpOnly. */
export function createSessionCookie(rules: CookieRules) {
  const options = cookieOptions(rules);
  return {
    read({ cookies, headers, server }: FastifyRequest) {
      // Not parsed yet for a request that the gateway rejects first, such as one while it is out of service.
      const parsed = (cookies as typeof cookies | null) ?? server.parseCookie(headers.cookie ?? '');
      return parsed[SESSION_COOKIE] || undefined;
    },
    set: (request: FastifyRequest, reply: FastifyReply, token: string) =>
      void reply.setCookie(SESSION_COOKIE, token, options(request, MAX_AGE_SECONDS)),
    clear: (request: FastifyRequest, reply: FastifyReply) =>
      void reply.setCookie(SESSION_COOKIE, '', options(request, 0)),
  };
}
