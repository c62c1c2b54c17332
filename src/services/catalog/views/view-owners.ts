import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import type { Visitor } from '../access/visitor.ts';

/** Whose saved views a request means: a token's, or without a token (in an open catalog) those of the browser's cookie. */
export interface ViewOwners {
  /** Undefined for a visitor without a token and without the cookie, who has no views. */
  find(request: FastifyRequest, visitor: Visitor): string | undefined;
  /** The same, and gives a visitor without a token a cookie. `address`: what such a visitor's views are counted by too. */
  create(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): { owner: string; address?: string };
}

const COOKIE = 'assay_catalog_views';
const YEAR_SECONDS = 365 * 86_400;

export function openViewOwners(rules: CookieRules): ViewOwners {
  const options = cookieOptions(rules);
  const cookieOf = ({ cookies }: FastifyRequest) => {
    const cookie = cookies[COOKIE];
    return cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;
  };
  return {
    find(request, visitor) {
      if (visitor.by !== 'open') return visitor.principal;
      const cookie = cookieOf(request);
      return cookie && ownerOf(cookie);
    },

    create(request, reply, visitor) {
      if (visitor.by !== 'open') return { owner: visitor.principal };
      const cookie = cookieOf(request) ?? randomBytes(32).toString('base64url');
      void reply.setCookie(COOKIE, cookie, options(request, YEAR_SECONDS));
      return { owner: ownerOf(cookie), address: visitor.principal };
    },
  };
}

const ownerOf = (cookie: string) => `visitor:${hash('sha256', cookie, 'hex')}`;
