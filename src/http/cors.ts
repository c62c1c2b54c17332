import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cors {
  /** Adds what a browser needs to read this answer; nothing for an origin that is not allowed. */
  allow(request: FastifyRequest, reply: FastifyReply): void;
  /** The same for a preflight: what the browser may send. */
  allowPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): void;
}

const EXPOSED = [
  'ETag, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate',
  'X-Request-ID, Idempotency-Replayed',
].join(', ');

/** The origins named by the operator, or `undefined` for none. Credentials are never allowed: no cookie counts here. */
export function cors(allowOrigins: readonly string[]): Cors | undefined {
  if (allowOrigins.length === 0) return undefined;
  const anyone = allowOrigins.includes('*');
  const allowed = new Set(allowOrigins);

  function allow(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    // Caches must not hand one origin's answer to another, so the refusal to allow varies too.
    if (!anyone) void reply.header('vary', 'Origin');
    if (origin === undefined || !(anyone || allowed.has(origin))) return false;
    void reply.header('access-control-allow-origin', anyone ? '*' : origin);
    return true;
  }

  return {
    allow(request, reply) {
      if (allow(request, reply)) void reply.header('access-control-expose-headers', EXPOSED);
    },
    allowPreflight(request, reply, methods) {
      if (!allow(request, reply)) return;
      void reply
        .header('access-control-allow-methods', methods)
        .header(
          'access-control-allow-headers',
          'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-ID, traceparent',
        )
        .header('access-control-max-age', '600');
    },
  };
}
