import { requireAccess, unknownTaskId, withToken } from './access.ts';
import { skip } from './assertion-failure.ts';
import type { RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { type Expectation, error, expecting, status } from './expect.ts';

// Three times the default limit of the specification (1000 per minute).
const MAX_REQUESTS = 3_000;
const CONCURRENCY = 50;
const TIME_LIMIT_MS = 50_000;

/** The first request above the rate limit is rejected as specified. */
export const rateLimited = (...expected: readonly Expectation[]) =>
  expecting(exhaustRateLimit, status(429), error('RATE_LIMIT_EXCEEDED'), ...expected);

/** Sends requests until one is rejected, and returns that response. Throws `Skip` if not allowed or never rejected. */
async function exhaustRateLimit(context: RunContext): Promise<Exchange> {
  if (!context.mayFlood) skip('requires --check-rate-limit, which sends more than a thousand requests');
  await requireAccess(context);
  const end = Date.now() + TIME_LIMIT_MS;
  let sent = 0;
  while (sent < MAX_REQUESTS && Date.now() < end) {
    const request = () => context.probe.get(`/result/${unknownTaskId(context)}`, withToken(context));
    const answers = await Promise.all(Array.from({ length: CONCURRENCY }, request));
    const rejection = answers.find(({ status: code }) => code !== 404 && code !== 200);
    if (rejection) return rejection;
    sent += CONCURRENCY;
  }
  return skip(`${sent} requests were accepted: the limit is configurable`);
}
