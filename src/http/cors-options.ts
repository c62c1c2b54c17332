/** Options of `@fastify/cors`: no credentials (cookies). The gateway responds to preflights with the methods of the path. */
export const CORS_OPTIONS = {
  exposedHeaders:
    'ETag, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID, Idempotency-Replayed',
  allowedHeaders:
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-ID, traceparent',
  maxAge: 600,
  preflightContinue: true,
  strictPreflight: false,
};
