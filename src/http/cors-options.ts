/** Options of `@fastify/cors`: no credentials (cookies). The gateway responds to preflights with the methods of the path. */
export const CORS_OPTIONS = {
  exposedHeaders:
    'ETag, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID, Idempotency-Replayed, X-Service-Task-ID, X-Service-Warnings',
  allowedHeaders:
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-ID, traceparent, ' +
    // Of the clients of OpenAI.
    'X-Stainless-Arch, X-Stainless-Lang, X-Stainless-OS, X-Stainless-Package-Version, X-Stainless-Retry-Count, ' +
    'X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout',
  maxAge: 600,
  preflightContinue: true,
  strictPreflight: false,
};
