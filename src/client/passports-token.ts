import type { Clock } from './clock.ts';
import type { Connection, Credential } from './connection.ts';
import type { PassportsToken } from './wire/passports.ts';

/** Renewed this long before it expires. */
const EXPIRY_MARGIN_MS = 60_000;

/**
 * Exchanges an API key for a token on first use, before it expires, and when it is rejected. Concurrent callers share
 * one exchange.
 */
export function exchangeApiKey(apiKey: string, { line, clock }: { line: Connection; clock: Clock }): Credential {
  let current: { token: string; validUntilMs: number } | undefined;
  let exchanging: Promise<string> | undefined;

  async function exchange(): Promise<string> {
    const requestedAtMs = clock.now();
    // Without a signal: an aborted caller must not cancel the exchange of the others.
    const request = { method: 'POST', json: { api_key: apiKey }, repeatable: true } as const;
    const { token, expires_in } = await line.json<PassportsToken>('/auth/token', request);
    const lifetimeMs = expires_in * 1000;
    current = { token, validUntilMs: requestedAtMs + lifetimeMs - Math.min(EXPIRY_MARGIN_MS, lifetimeMs / 10) };
    return token;
  }

  return {
    async token(signal) {
      if (current && clock.now() < current.validUntilMs) return current.token;
      exchanging ??= exchange().finally(() => {
        exchanging = undefined;
      });
      return signal ? unlessAborted(exchanging, signal) : exchanging;
    },
    invalidate(rejected) {
      // Another caller may have renewed it already.
      if (current?.token === rejected) current = undefined;
      return true;
    },
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
