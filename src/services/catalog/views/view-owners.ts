import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import type { Visitor } from '../auth/visitor.ts';

export type ViewOwners = ReturnType<typeof createViewOwners>;

const COOKIE = 'assay_catalog_views';
const YEAR_SECONDS = 365 * 86_400;

/** The token or, with public access, the browser's cookie. */
export function createViewOwners(rules: CookieRules) {
  const options = cookieOptions(rules);
  const cookieOf = ({ cookies }: FastifyRequest) => {
    const cookie = cookies[COOKIE];
    return cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;
  };
  return {
    find(request: FastifyRequest, visitor: Visitor): string | undefined {
      if (visitor.by !== 'open') return visitor.principal;
      const cookie = cookieOf(request);
      return cookie && ownerOf(cookie);
    },

    /** Sets a cookie for a client without a token, whose views are limited per `address`. */
    create(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): { owner: string; address?: string } {
      if (visitor.by !== 'open') return { owner: visitor.principal };
      const cookie = cookieOf(request) ?? randomBytes(32).toString('base64url');
      void reply.setCookie(COOKIE, cookie, options(request, YEAR_SECONDS));
      return { owner: ownerOf(cookie), address: visitor.principal };
    },
  };
}

const ownerOf = (cookie: string) => `visitor:${hash('sha256', cookie, 'hex')}`;
