import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import { SESSION_LIFETIME_SECONDS } from './sessions.ts';

export type Cookies = ReturnType<typeof createCookies>;

const SESSION = 'bti_session_id';
const ACCESS = 'bti_access_token';

export function createCookies(rules: CookieRules) {
  const options = cookieOptions(rules);
  const handledReplies = new WeakSet<FastifyReply>();
  function setSession(request: FastifyRequest, reply: FastifyReply, value: string): void {
    handledReplies.add(reply);
    void reply.setCookie(SESSION, value, options(request, SESSION_LIFETIME_SECONDS));
  }
  return {
    read: ({ cookies }: FastifyRequest) => ({ session: cookies[SESSION], access: cookies[ACCESS] }),
    setSession,
    /** Renews the session cookie, unless this response already sets or clears it. */
    renewSession(request: FastifyRequest, reply: FastifyReply) {
      const session = request.cookies[SESSION];
      if (session !== undefined && !handledReplies.has(reply)) setSession(request, reply, session);
    },
    setAccess(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number) {
      void reply.setCookie(ACCESS, value, options(request, seconds));
    },
    clear(request: FastifyRequest, reply: FastifyReply) {
      handledReplies.add(reply);
      for (const name of [SESSION, ACCESS]) void reply.setCookie(name, '', options(request, 0));
    },
  };
}
