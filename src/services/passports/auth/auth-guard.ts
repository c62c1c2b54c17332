import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, unauthorized } from '../../../base/api-error.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import { bearerToken, type Guard } from '../../../http/bearer.ts';
import { CSRF_FIELD, type Csrf } from '../../../http/csrf.ts';
import { csrfFailed, rejectCrossSite } from '../../shared/same-site.ts';
import { databaseUnavailable, forbidden, tokenRejected } from '../api-errors.ts';
import type { Caller } from '../documents.ts';
import type { Cookies } from './cookies.ts';
import type { Sessions } from './sessions.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

export interface Visitor {
  readonly caller: Caller | undefined;
  readonly token: TokenClaims | undefined;
  /** Where the token was sent. */
  readonly tokenSource: 'header' | 'cookie' | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor | null;
  }
  interface FastifyContextConfig {
    /** For the route that reports an outage: accepts a token although its revocation cannot be checked. */
    reportsOutage?: boolean;
  }
}

export type AuthGuard = ReturnType<typeof createAuthGuard>;

const ANONYMOUS: Visitor = { caller: undefined, token: undefined, tokenSource: undefined };

/**
 * With a token and a session cookie, the cookie determines the session. An invalid `Authorization` header is rejected
 * even beside a valid cookie. Changes by cookie alone are accepted only from our own pages.
 */
export function createAuthGuard(deps: {
  tokens: Tokens;
  sessions: Sessions;
  cookies: Cookies;
  csrf: Csrf;
  /** False until the issued API keys have been loaded. */
  keysKnown: () => boolean;
  /** `all`: every endpoint requires a token. */
  bearerScope: 'documented' | 'all';
  publicOrigins: readonly string[];
}) {
  const { tokens, sessions, cookies, csrf, keysKnown, bearerScope, publicOrigins } = deps;

  const renewed = new WeakSet<FastifyRequest>();

  /** Fails if the database is unavailable, because the token may be revoked. */
  const isDenied = (claims: TokenClaims, request: FastifyRequest) =>
    sessions.isTokenRevoked(claims.jti).catch((error) => {
      if (!isUnavailable(error)) throw error;
      if (request.routeOptions.config.reportsOutage) return false;
      throw databaseUnavailable();
    });

  async function verify(token: string | undefined, request: FastifyRequest): Promise<TokenClaims | undefined> {
    const claims = token === undefined ? undefined : await tokens.verify(token);
    return claims !== undefined && !(await isDenied(claims, request)) ? claims : undefined;
  }

  async function identify(request: FastifyRequest): Promise<Visitor> {
    const header = request.headers.authorization;
    const sentCookies = cookies.read(request);
    const token = await verify(header === undefined ? sentCookies.access : bearerToken(header), request);
    if (header !== undefined && token === undefined) throw keysKnown() ? tokenRejected() : databaseUnavailable();
    const session = await sessions.find(sentCookies.session);
    if (session?.renewed) renewed.add(request);
    const tokenSource = token === undefined ? undefined : header === undefined ? 'cookie' : 'header';
    return { caller: callerFrom(token, session?.session), token, tokenSource };
  }

  const guard: Guard = async (request, access) => {
    const visitor = await identify(request);
    request.visitor = visitor;
    const { caller, tokenSource } = visitor;
    const needsToken = access === 'bearer' || access === 'task' || bearerScope === 'all';
    if (needsToken && tokenSource === undefined) throw unauthorized();
    if (access === 'session' && caller === undefined) throw unauthorized();
    if (tokenSource !== 'header') rejectCrossSite(request, publicOrigins);
    return caller && (caller.key === undefined ? `session:${caller.session.slice(0, 12)}` : `key:${caller.key}`);
  };

  return {
    guard,

    /** For public pages: ignores invalid tokens, and sessions if `bearerScope` is `all`. */
    async identify(request: FastifyRequest): Promise<Visitor> {
      const visitor = await identify(request).catch((error: unknown) => {
        if (error instanceof ApiError && error.status < 500) return ANONYMOUS;
        throw error;
      });
      return bearerScope === 'all' && visitor.token === undefined ? ANONYMOUS : visitor;
    },

    /** Returns the caller; creates a session with its cookie if there is none. */
    async ensureCaller(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
      const existing = request.visitor?.caller;
      if (existing !== undefined) return existing;
      const { cookie, session } = await sessions.create();
      cookies.setSession(request, reply, cookie);
      const caller: Caller = { session };
      request.visitor = { caller, token: undefined, tokenSource: undefined };
      return caller;
    },

    /** Renews the session cookie if it is due. */
    renewSession(request: FastifyRequest, reply: FastifyReply): void {
      if (renewed.has(request)) cookies.renewSession(request, reply);
    },

    /** Rejects a form with the CSRF token of another session. */
    checkForm(request: FastifyRequest, form: ReadonlyMap<string, string>): void {
      const csrfToken = form.get(CSRF_FIELD);
      const { caller, tokenSource } = request.visitor ?? {};
      if (csrfToken === undefined || tokenSource === 'header' || caller === undefined) return;
      if (!csrf.isValid(caller.session, csrfToken)) throw csrfFailed();
    },
  };
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = request.visitor?.caller;
  // A programming error: the route's `access` setting allows anonymous requests.
  if (caller === undefined)
    throw new Error(`${request.routeOptions.url} needs a caller but allows anonymous requests.`);
  return caller;
}

export function adminOf(request: FastifyRequest): Caller {
  const caller = callerOf(request);
  if (caller.role !== 'admin') throw forbidden();
  return caller;
}

function callerFrom(token: TokenClaims | undefined, session: string | undefined): Caller | undefined {
  if (token === undefined) return session === undefined ? undefined : { session };
  const { name, role } = token.key;
  return { session: session ?? `key:${name}`, key: name, role };
}
