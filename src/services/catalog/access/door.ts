import type { FastifyRequest } from 'fastify';
import { Fault, unauthorized } from '../../../base/faults.ts';
import { bearerToken, type Guard } from '../../../http/bearer.ts';
import { CSRF_FIELD, type Csrf } from '../../../http/csrf.ts';
import { fromOwnPage } from '../../../http/same-origin.ts';
import { csrfFailed, databaseUnavailable, forbidden } from '../refusals.ts';
import type { Cookies } from './cookies.ts';
import type { Tokens } from './tokens.ts';
import type { Visitor } from './visitor.ts';

/** Whoever asks: a moderator, a reader, or nobody who may. */
export interface Door {
  readonly guard: Guard;
  /** Who asks where nobody has to say; a token that is not good counts as none. */
  look(request: FastifyRequest): Promise<Visitor | null>;
  /** What the word of this visitor's forms is made from; undefined where no cookie is the credential. */
  sessionOf(request: FastifyRequest): string | undefined;
  /** Refuses a form of ours that carries no word, or somebody else's, where a cookie is the credential. */
  checkForm(request: FastifyRequest, form: ReadonlyMap<string, string>): void;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The rules of who may do what. A token comes in a header or, from a browser that has signed in, in a cookie;
 * `Authorization` that is not good is refused even beside a good cookie. Whatever needs no header would allow to change
 * is allowed to our own pages only. Where everybody may read, whoever shows nothing is a reader by his address.
 */
export function openDoor(needs: {
  tokens: Tokens;
  cookies: Cookies;
  csrf: Csrf;
  /** Where everybody may read and report: the name of whoever comes from an address, which does not tell the address. */
  visitorAt: ((ip: string) => string) | undefined;
  publicOrigins: readonly string[];
}): Door {
  const { tokens, cookies, csrf, visitorAt, publicOrigins } = needs;

  function recognise(request: FastifyRequest): Visitor | null {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = bearerToken(header);
      const holder = token === undefined ? undefined : tokens.holder(token);
      if (holder === undefined) throw tokens.complete() ? unauthorized() : databaseUnavailable();
      return { ...holder, by: 'header' };
    }
    const kept = cookies.read(request);
    const holder = kept === undefined ? undefined : tokens.holder(kept);
    if (holder !== undefined) return { ...holder, by: 'cookie' };
    return visitorAt ? { role: 'reader', principal: visitorAt(request.ip), by: 'open' } : null;
  }

  function recogniseAnybody(request: FastifyRequest): Visitor | null {
    try {
      return recognise(request);
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  /** The cookie may be shared by people, who then share what it opens: the word need not tell them apart. */
  function sessionOf(request: FastifyRequest): string | undefined {
    const visitor = recogniseAnybody(request);
    return visitor?.by === 'cookie' ? visitor.principal : undefined;
  }

  return {
    guard(request, access) {
      const visitor = recognise(request);
      request.reader = visitor;
      const moderators = access === 'moderator';
      if (access !== 'visitor' && (visitor === null || (moderators && visitor.by === 'open'))) throw unauthorized();
      if (visitor?.by !== 'header' && !SAFE.has(request.method) && !fromOwnPage(request, publicOrigins)) {
        throw csrfFailed();
      }
      if (moderators && visitor?.role !== 'moderator') throw forbidden();
      return visitor?.principal;
    },

    look: async (request) => recogniseAnybody(request),
    sessionOf,

    checkForm(request, form) {
      const session = sessionOf(request);
      if (session !== undefined && !csrf.holds(session, form.get(CSRF_FIELD) ?? '')) throw csrfFailed();
    },
  };
}

/** Who stands behind a route that lets nobody else in. */
export function readerOf(request: FastifyRequest): Visitor {
  // Not a refusal: the route's access has let somebody in whom it should not have.
  if (request.reader === null) throw new Error(`${request.routeOptions.url} asks who reads, yet anybody may call it.`);
  return request.reader;
}

export const isModerator = ({ reader }: FastifyRequest) => reader?.role === 'moderator';
