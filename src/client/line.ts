import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, Timeout, Unauthorized } from './errors.ts';
import { type Answer, type Ask, type Ends, send } from './request.ts';

/** What opens a service. */
export interface Credential {
  token(signal?: AbortSignal): Promise<string | undefined>;
  /** Told of a token that was refused, says whether another one can be had. */
  renews(refused: string | undefined): boolean;
}

/** The way to one service: every call goes through it, is bounded in time, and is tried again where that is safe. */
export interface Line {
  readonly url: string;
  readonly clock: Clock;
  ask(path: string, ask?: Ask): Promise<Answer>;
}

export interface LineOptions extends Ends {
  readonly credential?: Credential;
  readonly retries: number;
}

export function openLine(options: LineOptions): Line {
  const { credential, clock, retries } = options;
  const url = options.url.replace(/(?<!\/)\/+$/, '');

  async function ask(path: string, asked: Ask = {}): Promise<Answer> {
    const { signal } = asked;
    let renewed = false;
    for (let failures = 0; ; ) {
      signal?.throwIfAborted();
      const token = await credential?.token(signal);
      const answer = await send({ ...options, url }, path, asked, token);
      if (!(answer instanceof AssayError)) return answer;
      if (answer instanceof Unauthorized && !renewed && credential?.renews(token)) {
        renewed = true;
        continue;
      }
      const pause = failures < (asked.retries ?? retries) ? pauseSeconds(answer, asked, failures) : undefined;
      if (pause === undefined) throw answer;
      failures++;
      await clock.sleep(pause * 1000, signal);
    }
  }

  return { url, clock, ask };
}

/** After this a `Retry-After` is the caller's to wait out. */
const LONGEST_PAUSE_SECONDS = 60;
const GATEWAY_LOST = [502, 504];

/** How long to wait before the same again; undefined where that could do something twice, or would be no use. */
function pauseSeconds(error: AssayError, asked: Ask, failures: number): number | undefined {
  const repeatable = (asked.method ?? 'GET') === 'GET' || asked.repeatable || asked.idempotencyKey !== undefined;
  const lost = error instanceof NetworkProblem || error instanceof Timeout || GATEWAY_LOST.includes(error.status);
  // Nothing was done: the service says so itself.
  const refused = error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
  if (!refused && !(lost && repeatable)) return undefined;
  const pause = Math.max(error.retryAfterSeconds ?? 0, 0.5 * 2 ** failures);
  return pause <= LONGEST_PAUSE_SECONDS ? pause : undefined;
}

/** A key that no other request has: 128 random bits. */
export const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
