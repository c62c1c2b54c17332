import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import { SESSION_SECONDS } from './visits.ts';

/** The two cookies of this service: a browser's session, and the token that signing in gave it. */
export interface Cookies {
  read(request: FastifyRequest): { session: string | undefined; access: string | undefined };
  setSession(request: FastifyRequest, reply: FastifyReply, value: string): void;
  /** Gives the session that was sent its whole time again, unless this answer has another for it, or takes it back. */
  renewSession(request: FastifyRequest, reply: FastifyReply): void;
  setAccess(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void;
  /** Signing out takes both back. */
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

const SESSION = 'bti_session_id';
const ACCESS = 'bti_access_token';

export function openCookies(rules: CookieRules): Cookies {
  const options = cookieOptions(rules);
  const decided = new WeakSet<FastifyReply>();
  function setSession(request: FastifyRequest, reply: FastifyReply, value: string): void {
    decided.add(reply);
    void reply.setCookie(SESSION, value, options(request, SESSION_SECONDS));
  }
  return {
    read: ({ cookies }) => ({ session: cookies[SESSION], access: cookies[ACCESS] }),
    setSession,
    renewSession(request, reply) {
      const sent = request.cookies[SESSION];
      if (sent !== undefined && !decided.has(reply)) setSession(request, reply, sent);
    },
    setAccess: (request, reply, value, seconds) => void reply.setCookie(ACCESS, value, options(request, seconds)),
    clear(request, reply) {
      decided.add(reply);
      for (const name of [SESSION, ACCESS]) void reply.setCookie(name, '', options(request, 0));
    },
  };
}
