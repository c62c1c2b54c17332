import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cors {
  /** Adds the CORS headers if the request's origin is allowed. */
  allow(request: FastifyRequest, reply: FastifyReply): void;
  /** Adds the headers of a preflight response. */
  allowPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): void;
}

const EXPOSED = [
  'ETag, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate',
  'X-Request-ID, Idempotency-Replayed',
].join(', ');

/** Undefined without configured origins. Never allows credentials (cookies). */
export function createCors(allowOrigins: readonly string[]): Cors | undefined {
  if (allowOrigins.length === 0) return undefined;
  const anyone = allowOrigins.includes('*');
  const allowed = new Set(allowOrigins);

  function allow(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    // Also for disallowed origins, because of caches.
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
