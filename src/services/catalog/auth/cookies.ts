import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

/** The session cookie: the token itself, HttpOnly. */
export interface SessionCookie {
  read(request: FastifyRequest): string | undefined;
  set(request: FastifyRequest, reply: FastifyReply, token: string): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

export const SESSION_COOKIE = 'assay_catalog';
const MAX_AGE_SECONDS = 30 * 86_400;

export function createSessionCookie(rules: CookieRules): SessionCookie {
  const options = cookieOptions(rules);
  return {
    read: ({ cookies }) => cookies[SESSION_COOKIE] || undefined,
    set: (request, reply, token) => void reply.setCookie(SESSION_COOKIE, token, options(request, MAX_AGE_SECONDS)),
    clear: (request, reply) => void reply.setCookie(SESSION_COOKIE, '', options(request, 0)),
  };
}
