import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../../base/db.ts';
import { newId } from '../../../base/ids.ts';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import { tooManyViews, viewExists } from '../api-errors.ts';
import type { Visitor } from '../auth/visitor.ts';

export interface View {
  readonly id: string;
  readonly name: string;
  /** URL query string without `?`. */
  readonly query: string;
  readonly createdAt: Date;
}

/** Saved views by owner; see {@link createViewOwners}. */
export type Views = ReturnType<typeof createViews>;

export const MAX_VIEWS = 100;
/** A client can use a new cookie for each view. */
const MAX_PER_ADDRESS = 10 * MAX_VIEWS;

export function createViews(db: Db) {
  return {
    async list(owner: string): Promise<readonly View[]> {
      const { rows } = await db.query<View>(
        `select id, name, query, created_at as "createdAt" from catalog_views where owner = $1 order by lower(name), id`,
        [owner],
      );
      return rows;
    },

    /** Throws for a name in use, and above the limits per owner and address. */
    async create(
      of: { owner: string; address?: string },
      { name, query }: Pick<View, 'name' | 'query'>,
    ): Promise<View> {
      const { owner, address = null } = of;
      const { rows } = await db.query<View>(
        `insert into catalog_views (id, owner, name, query, address)
         select $1, $2, $3, $4, $6::text
          where (select count(*) from catalog_views where owner = $2) < $5
            and (select count(*) from catalog_views where address = $6::text) < $7
         on conflict (owner, name) do nothing
         returning id, name, query, created_at as "createdAt"`,
        [newId('view_'), owner, name, query, MAX_VIEWS, address, MAX_PER_ADDRESS],
      );
      if (rows[0] !== undefined) return rows[0];
      const { rowCount } = await db.query('select from catalog_views where owner = $1 and name = $2', [owner, name]);
      throw rowCount > 0 ? viewExists() : tooManyViews(MAX_VIEWS);
    },

    async remove(owner: string, id: string): Promise<boolean> {
      const { rowCount } = await db.query('delete from catalog_views where owner = $1 and id = $2', [owner, id]);
      return rowCount > 0;
    },
  };
}

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
