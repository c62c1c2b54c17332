import type { FastifyRequest } from 'fastify';

export interface CookieRules {
  /** The service's base path. */
  readonly path: string;
  /** `auto`: secure for requests over https. */
  readonly secure: 'auto' | 'always' | 'never';
}

/** Options of credential cookies: hidden from scripts, and sent by other sites only with links. */
export const cookieOptions =
  ({ path, secure }: CookieRules) =>
  (request: FastifyRequest, maxAge: number) => ({
    path,
    httpOnly: true,
    sameSite: 'lax' as const,
    secure: secure === 'always' || (secure === 'auto' && request.protocol === 'https'),
    maxAge,
  });
