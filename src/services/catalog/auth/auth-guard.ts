import type { FastifyRequest } from 'fastify';
import { ApiError, unauthorized } from '../../../base/api-error.ts';
import { bearerToken, type Guard } from '../../../http/bearer.ts';
import { CSRF_FIELD, type Csrf } from '../../../http/csrf.ts';
import type { Form } from '../../../http/forms.ts';
import { csrfFailed, rejectCrossSite } from '../../shared/same-site.ts';
import { databaseUnavailable, forbidden } from '../api-errors.ts';
import type { SessionCookie } from './cookies.ts';
import type { Tokens } from './tokens.ts';
import type { Visitor } from './visitor.ts';

export type AuthGuard = ReturnType<typeof createAuthGuard>;

/**
 * An invalid `Authorization` is rejected even with a valid cookie. Changes without the header are accepted from the
 * catalog's own pages only. With public access a client without a token is a reader identified by its address.
 */
export function createAuthGuard(deps: {
  tokens: Tokens;
  cookies: SessionCookie;
  csrf: Csrf;
  /** Public access: the pseudonymous principal of an address. */
  anonymousPrincipal: ((ip: string) => string) | undefined;
  publicOrigins: readonly string[];
}) {
  const { tokens, cookies, csrf, anonymousPrincipal, publicOrigins } = deps;

  function authenticate(request: FastifyRequest): Visitor | null {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = bearerToken(header);
      const holder = token === undefined ? undefined : tokens.find(token);
      if (holder === undefined) throw tokens.isComplete() ? unauthorized() : databaseUnavailable();
      return { ...holder, by: 'header' };
    }
    const cookie = cookies.read(request);
    const holder = cookie === undefined ? undefined : tokens.find(cookie);
    if (holder !== undefined) return { ...holder, by: 'cookie' };
    return anonymousPrincipal ? { role: 'reader', principal: anonymousPrincipal(request.ip), by: 'open' } : null;
  }

  const guard: Guard = (request, access) => {
    const visitor = authenticate(request);
    request.reader = visitor;
    const moderators = access === 'moderator';
    if (access !== 'visitor' && (visitor === null || (moderators && visitor.by === 'open'))) throw unauthorized();
    if (visitor?.by !== 'header') rejectCrossSite(request, publicOrigins);
    if (moderators && visitor?.role !== 'moderator') throw forbidden();
    return visitor?.principal;
  };

  /** For public routes; null also for an invalid token. */
  function identify(request: FastifyRequest): Visitor | null {
    try {
      return authenticate(request);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  /** Undefined unless the credential is a cookie. Browsers with the same token can share a CSRF token. */
  function csrfToken(request: FastifyRequest): string | undefined {
    const visitor = identify(request);
    return visitor?.by === 'cookie' ? csrf.token(visitor.principal) : undefined;
  }

  /** Throws for a wrong CSRF token when the credential is a cookie. */
  function checkForm(request: FastifyRequest, form: Form): void {
    const visitor = identify(request);
    if (visitor?.by === 'cookie' && !csrf.isValid(visitor.principal, form.get(CSRF_FIELD) ?? '')) throw csrfFailed();
  }

  return { guard, identify, csrfToken, checkForm };
}

export function requireVisitor(request: FastifyRequest): Visitor {
  // Not an ApiError: the route's access rule is too wide.
  if (request.reader === null)
    throw new Error(`${request.routeOptions.url} reads the client but requires no credential.`);
  return request.reader;
}

export const isModerator = ({ reader }: FastifyRequest) => reader?.role === 'moderator';
