import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import ipaddr from 'ipaddr.js';
import { ApiError, rateLimitExceeded } from '../base/api-error.ts';
import type { Access, Guard } from './bearer.ts';
import type { Limiter, LimitResult } from './rate-limit.ts';

/** The principal if authorization is disabled. */
const ANONYMOUS = 'anonymous';

/** The hook of one route that checks credentials and then the rate limit, before the body is read. */
export function createAuthHook(options: {
  access: Access;
  guard: Guard;
  limiter: Limiter | undefined;
  onLimited: () => void;
}): onRequestHookHandler | undefined {
  const { access, guard, limiter, onLimited } = options;
  if (access === 'public' && limiter === undefined) return undefined;

  /** Applies the rate limit; synchronous unless the limiter needs the database. */
  function limitRate(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
    principal?: string,
  ): void {
    if (access !== 'public') request.principal = principal ?? ANONYMOUS;
    if (limiter === undefined) {
      done();
      return;
    }
    const result = limiter.take(principal ?? clientKey(request.ip));
    if (result instanceof Promise) void result.then((settled) => done(toError(reply, settled)));
    else done(toError(reply, result));
  }

  function toError(reply: FastifyReply, result: LimitResult): ApiError | undefined {
    void reply.header('ratelimit', `"default";r=${result.remaining};t=${result.resetSeconds}`);
    if (result.allowed) return undefined;
    onLimited();
    return rateLimitExceeded(result.resetSeconds);
  }

  return (request, reply, done) => {
    if (limiter !== undefined) void reply.header('ratelimit-policy', limiter.policy);
    if (access === 'public') return limitRate(request, reply, done);
    void reply.header('cache-control', 'no-store');
    let principal: ReturnType<Guard>;
    try {
      principal = guard(request, access);
    } catch (error) {
      return done(error as Error);
    }
    if (principal instanceof Promise) principal.then((name) => limitRate(request, reply, done, name), done);
    else limitRate(request, reply, done, principal);
  };
}

/**
 * Counts requests with wrong tokens per address, in memory; returns a 429 error above the limit. Requests with valid tokens
 * from the same address are not affected.
 */
export function limitWrongTokens(
  { limiter, hasTokenCookie }: { limiter: Limiter; hasTokenCookie: (request: FastifyRequest) => boolean },
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError | undefined {
  if (!(error instanceof ApiError) || error.status !== 401) return undefined;
  // Sign-in forms have a limit of their own; a browser with an old cookie must reach them.
  const isSignIn = request.routeOptions.config.access === 'public';
  const hasWrongToken = request.headers.authorization !== undefined || (!isSignIn && hasTokenCookie(request));
  if (!hasWrongToken) return undefined;
  const result = limiter.take(clientKey(request.ip));
  if (result instanceof Promise || result.allowed) return undefined;
  void reply.headers({ 'ratelimit-policy': limiter.policy, ratelimit: `"default";r=0;t=${result.resetSeconds}` });
  return rateLimitExceeded(result.resetSeconds);
}

/** Counts an IPv6 /64 as one client, because one customer usually has a whole /64. */
export function clientKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString();
}
