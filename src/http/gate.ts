import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Fault, rateLimitExceeded } from '../base/faults.ts';
import type { Access, Guard } from './bearer.ts';
import type { Limiter, Verdict } from './rate-limit.ts';

/** The principal's name where authorization is disabled. */
const ANONYMOUS = 'anonymous';

/**
 * What stands before one route: credentials, then the rate limit, both before a byte of the body is read. Made once per
 * route, so that a request meets no decision that was known when the route was registered.
 */
export function gate(options: {
  access: Access;
  guard: Guard;
  limiter: Limiter | undefined;
  onLimited: () => void;
}): onRequestHookHandler | undefined {
  const { access, guard, limiter, onLimited } = options;
  if (access === 'public' && limiter === undefined) return undefined;

  /** Lets the request through, or says why not: at once, wherever no other gateway has to be asked. */
  function spend(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (refused?: Error) => void,
    principal?: string,
  ): void {
    if (access !== 'public') request.principal = principal ?? ANONYMOUS;
    if (limiter === undefined) {
      done();
      return;
    }
    const verdict = limiter.take(principal ?? clientKey(request.ip));
    if (verdict instanceof Promise) void verdict.then((late) => done(judge(reply, late)));
    else done(judge(reply, verdict));
  }

  function judge(reply: FastifyReply, verdict: Verdict): Fault | undefined {
    void reply.header('ratelimit', `"default";r=${verdict.remaining};t=${verdict.resetSeconds}`);
    if (verdict.allowed) return undefined;
    onLimited();
    return rateLimitExceeded(verdict.resetSeconds);
  }

  return (request, reply, done) => {
    if (limiter !== undefined) void reply.header('ratelimit-policy', limiter.policy);
    if (access === 'public') return spend(request, reply, done);
    void reply.header('cache-control', 'no-store');
    let principal: ReturnType<Guard>;
    try {
      principal = guard(request, access);
    } catch (refused) {
      return done(refused as Error);
    }
    if (principal instanceof Promise) principal.then((name) => spend(request, reply, done, name), done);
    else spend(request, reply, done, principal);
  };
}

/**
 * The 429 for an address that goes on sending wrong bearer tokens; undefined while it may. Only refused requests are
 * counted, in the memory of this gateway, so a valid token from the same address is neither delayed nor charged.
 */
export function limitWrongToken(
  limiter: Limiter,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Fault | undefined {
  const isWrongToken = error instanceof Fault && error.status === 401 && request.headers.authorization !== undefined;
  if (!isWrongToken) return undefined;
  const verdict = limiter.take(clientKey(request.ip));
  if (verdict instanceof Promise || verdict.allowed) return undefined;
  void reply.headers({ 'ratelimit-policy': limiter.policy, ratelimit: `"default";r=0;t=${verdict.resetSeconds}` });
  return rateLimitExceeded(verdict.resetSeconds);
}

/** One customer of an IPv6 network holds a whole /64: counting its addresses one by one would be no limit at all. */
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
