import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import { SESSION_LIFETIME_SECONDS } from './sessions.ts';

export interface Cookies {
  read(request: FastifyRequest): { session: string | undefined; access: string | undefined };
  setSession(request: FastifyRequest, reply: FastifyReply, value: string): void;
  /** Renews the session cookie, unless this response already sets or clears it. */
  renewSession(request: FastifyRequest, reply: FastifyReply): void;
  setAccess(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

const SESSION = 'bti_session_id';
const ACCESS = 'bti_access_token';

export function createCookies(rules: CookieRules): Cookies {
  const options = cookieOptions(rules);
  const handledReplies = new WeakSet<FastifyReply>();
  function setSession(request: FastifyRequest, reply: FastifyReply, value: string): void {
    handledReplies.add(reply);
    void reply.setCookie(SESSION, value, options(request, SESSION_LIFETIME_SECONDS));
  }
  return {
    read: ({ cookies }) => ({ session: cookies[SESSION], access: cookies[ACCESS] }),
    setSession,
    renewSession(request, reply) {
      const session = request.cookies[SESSION];
      if (session !== undefined && !handledReplies.has(reply)) setSession(request, reply, session);
    },
    setAccess: (request, reply, value, seconds) => void reply.setCookie(ACCESS, value, options(request, seconds)),
    clear(request, reply) {
      handledReplies.add(reply);
      for (const name of [SESSION, ACCESS]) void reply.setCookie(name, '', options(request, 0));
    },
  };
}
