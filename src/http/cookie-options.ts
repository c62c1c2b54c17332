import type { FastifyRequest } from 'fastify';

export interface CookieRules {
  /** The part of the host that is ours. */
  readonly path: string;
  /** `auto` marks cookies so that come over https. */
  readonly secure: 'auto' | 'always' | 'never';
}

/** How a cookie that is a credential is sent: to no script, and with nothing that another site begins but a link. */
export const cookieOptions =
  ({ path, secure }: CookieRules) =>
  (request: FastifyRequest, maxAge: number) => ({
    path,
    httpOnly: true,
    sameSite: 'lax' as const,
    secure: secure === 'always' || (secure === 'auto' && request.protocol === 'https'),
    maxAge,
  });
