import type { Clock } from './clock.ts';
import type { Credential, Line } from './line.ts';
import type { PassportsToken } from './wire/passports.ts';

/** A token is not used in its last seconds: it must still be good when the request arrives. */
const MARGIN_MS = 60_000;

/**
 * An API key, exchanged for a token when one is first needed, again when it grows old, and once more where the service
 * refuses it all the same. Callers that come at once share one exchange.
 */
export function exchangedFor(apiKey: string, { line, clock }: { line: Line; clock: Clock }): Credential {
  let held: { token: string; goodUntilMs: number } | undefined;
  let exchanging: Promise<string> | undefined;

  async function exchange(): Promise<string> {
    const asked = clock.now();
    // Of nobody's signal: one caller that gives up must not take the token from the others.
    const answer = await line.ask('/auth/token', { method: 'POST', json: { api_key: apiKey }, repeatable: true });
    const { token, expires_in } = answer.json<PassportsToken>();
    const lifetimeMs = expires_in * 1000;
    held = { token, goodUntilMs: asked + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 10) };
    return token;
  }

  return {
    async token(signal) {
      if (held && clock.now() < held.goodUntilMs) return held.token;
      exchanging ??= exchange().finally(() => {
        exchanging = undefined;
      });
      return signal ? whileWanted(exchanging, signal) : exchanging;
    },
    renews(refused) {
      // Another caller may have a new one already.
      if (held?.token === refused) held = undefined;
      return true;
    },
  };
}

/** What a promise comes to, for who does not give up before: then the signal's reason is thrown, and the promise goes on. */
function whileWanted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
