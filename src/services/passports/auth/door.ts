import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../../base/db-errors.ts';
import { Fault, unauthorized } from '../../../base/faults.ts';
import { bearerToken, type Guard } from '../../../http/bearer.ts';
import { CSRF_FIELD, type Csrf } from '../../../http/csrf.ts';
import { fromOwnPage } from '../../../http/same-origin.ts';
import type { Caller } from '../documents.ts';
import { csrfFailed, databaseUnavailable, forbidden, tokenRefused } from '../refusals.ts';
import type { Cookies } from './cookies.ts';
import type { Holder, Tokens } from './tokens.ts';
import type { Visits } from './visits.ts';

/** Who stands before the door, as far as can be told. */
export interface Visitor {
  /** Undefined for somebody who has shown nothing. */
  readonly caller: Caller | undefined;
  /** The token, and whether a program sent it or a browser's cookie carried it. */
  readonly token: Holder | undefined;
  readonly by: 'header' | 'cookie' | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor | null;
  }
  interface FastifyContextConfig {
    /** For the route that reports an outage: a token is accepted there although its revocation cannot be checked. */
    reportsOutage?: boolean;
  }
}

/** Whoever asks: by token, by session, or as nobody yet. */
export interface Door {
  readonly guard: Guard;
  /** Who asks where nobody has to say; a token that is not good counts as none, as does a session where it opens nothing. */
  look(request: FastifyRequest): Promise<Visitor>;
  /** The caller; somebody who has shown nothing is given a session, and its cookie goes with the answer. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** Before an answer goes out: where its session was known by a cookie that grows old, the cookie goes with it anew. */
  renew(request: FastifyRequest, reply: FastifyReply): void;
  /** Refuses a form of ours that carries another session's word. */
  checkForm(request: FastifyRequest, form: ReadonlyMap<string, string>): void;
}

const NOBODY: Visitor = { caller: undefined, token: undefined, by: undefined };
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The rules of who may do what. A token proves a key, a session cookie a session; sent together they prove both, and the
 * cookie decides the session. `Authorization` that is not good is refused even beside a good cookie. Whatever a cookie
 * alone would allow to change is allowed to our own pages only.
 */
export function openDoor(needs: {
  tokens: Tokens;
  visits: Visits;
  cookies: Cookies;
  csrf: Csrf;
  /** False while nobody can say yet whether a token's key is there. */
  keysKnown: () => boolean;
  /** `all`: a session alone opens nothing. */
  bearerScope: 'documented' | 'all';
  publicOrigins: readonly string[];
}): Door {
  const { tokens, visits, cookies, csrf, keysKnown, bearerScope, publicOrigins } = needs;

  const renewed = new WeakSet<FastifyRequest>();

  /** Without the database nobody can tell whether a token was revoked, so it is neither accepted nor refused. */
  const denied = (holder: Holder, request: FastifyRequest) =>
    visits.denied(holder.jti).catch((error) => {
      if (!isUnavailable(error)) throw error;
      if (request.routeOptions.config.reportsOutage) return false;
      throw databaseUnavailable();
    });

  async function good(token: string | undefined, request: FastifyRequest): Promise<Holder | undefined> {
    const holder = token === undefined ? undefined : await tokens.verify(token);
    return holder !== undefined && !(await denied(holder, request)) ? holder : undefined;
  }

  async function recognise(request: FastifyRequest): Promise<Visitor> {
    const header = request.headers.authorization;
    const sent = cookies.read(request);
    const token = await good(header === undefined ? sent.access : bearerToken(header), request);
    if (header !== undefined && token === undefined) throw keysKnown() ? tokenRefused() : databaseUnavailable();
    const visit = await visits.session(sent.session);
    if (visit?.renewed) renewed.add(request);
    const by = token === undefined ? undefined : header === undefined ? 'cookie' : 'header';
    return { caller: callerFrom(token, visit?.session), token, by };
  }

  return {
    async guard(request, access) {
      const visitor = await recognise(request);
      request.visitor = visitor;
      const { caller, by } = visitor;
      const needsToken = access === 'bearer' || access === 'task' || bearerScope === 'all';
      if (needsToken && by === undefined) throw unauthorized();
      if (access === 'session' && caller === undefined) throw unauthorized();
      if (by !== 'header' && !SAFE.has(request.method) && !fromOwnPage(request, publicOrigins)) {
        throw csrfFailed();
      }
      return caller && (caller.key === undefined ? `session:${caller.session.slice(0, 12)}` : `key:${caller.key}`);
    },

    async look(request) {
      const visitor = await recognise(request).catch((error: unknown) => {
        if (error instanceof Fault && error.status < 500) return NOBODY;
        throw error;
      });
      return bearerScope === 'all' && visitor.token === undefined ? NOBODY : visitor;
    },

    async admit(request, reply) {
      const known = request.visitor?.caller;
      if (known !== undefined) return known;
      const { cookie, session } = await visits.begin();
      cookies.setSession(request, reply, cookie);
      const caller: Caller = { session };
      request.visitor = { caller, token: undefined, by: undefined };
      return caller;
    },

    renew(request, reply) {
      if (renewed.has(request)) cookies.renewSession(request, reply);
    },

    checkForm(request, form) {
      const word = form.get(CSRF_FIELD);
      const { caller, by } = request.visitor ?? {};
      if (word === undefined || by === 'header' || caller === undefined) return;
      if (!csrf.holds(caller.session, word)) throw csrfFailed();
    },
  };
}

/** The caller behind a guarded route. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = request.visitor?.caller;
  // Not a refusal: the route's access has let somebody in whom it should not have.
  if (caller === undefined)
    throw new Error(`${request.routeOptions.url} asks for its caller, yet anybody may call it.`);
  return caller;
}

/** The caller, who must be an administrator. */
export function adminOf(request: FastifyRequest): Caller {
  const caller = callerOf(request);
  if (caller.role !== 'admin') throw forbidden();
  return caller;
}

function callerFrom(token: Holder | undefined, session: string | undefined): Caller | undefined {
  if (token === undefined) return session === undefined ? undefined : { session };
  const { name, role } = token.key;
  return { session: session ?? `key:${name}`, key: name, role };
}
