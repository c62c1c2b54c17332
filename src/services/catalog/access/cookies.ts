import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';

/** The session cookie: the token itself, HttpOnly. */
export interface Cookies {
  read(request: FastifyRequest): string | undefined;
  set(request: FastifyRequest, reply: FastifyReply, token: string): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

export const COOKIE = 'assay_catalog';
const MAX_AGE_SECONDS = 30 * 86_400;

export function openCookies(rules: CookieRules): Cookies {
  const options = cookieOptions(rules);
  return {
    read: ({ cookies }) => cookies[COOKIE] || undefined,
    set: (request, reply, token) => void reply.setCookie(COOKIE, token, options(request, MAX_AGE_SECONDS)),
    clear: (request, reply) => void reply.setCookie(COOKIE, '', options(request, 0)),
  };
}
