import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, Timeout, Unauthorized } from './errors.ts';
import { type ApiResponse, type RequestOptions, type RequestTarget, sendRequest } from './request.ts';

export interface Credential {
  token(signal?: AbortSignal): Promise<string | undefined>;
  /** Discards a rejected token; returns whether a new one can be obtained. */
  invalidate(refused: string | undefined): boolean;
}

export interface Connection {
  readonly url: string;
  readonly clock: Clock;
  request(path: string, ask?: RequestOptions): Promise<ApiResponse>;
}

export interface ConnectionOptions extends RequestTarget {
  readonly credential?: Credential;
  readonly retries: number;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { credential, clock, retries } = options;
  const url = options.url.replace(/(?<!\/)\/+$/, '');

  async function ask(path: string, request: RequestOptions = {}): Promise<ApiResponse> {
    const { signal } = request;
    let renewed = false;
    for (let failures = 0; ; ) {
      signal?.throwIfAborted();
      const token = await credential?.token(signal);
      const response = await sendRequest({ ...options, url }, path, request, token);
      if (!(response instanceof AssayError)) return response;
      if (response instanceof Unauthorized && !renewed && credential?.invalidate(token)) {
        renewed = true;
        continue;
      }
      const pause = failures < (request.retries ?? retries) ? pauseSeconds(response, request, failures) : undefined;
      if (pause === undefined) throw response;
      failures++;
      await clock.sleep(pause * 1000, signal);
    }
  }

  return { url, clock, request: ask };
}

/** A longer `Retry-After` is left to the caller. */
const MAX_PAUSE_SECONDS = 60;
const GATEWAY_ERRORS = [502, 504];

/** Delay before a retry; undefined if a retry could repeat an effect or would not help. */
function pauseSeconds(error: AssayError, request: RequestOptions, failures: number): number | undefined {
  const repeatable = (request.method ?? 'GET') === 'GET' || request.repeatable || request.idempotencyKey !== undefined;
  const lost = error instanceof NetworkProblem || error instanceof Timeout || GATEWAY_ERRORS.includes(error.status);
  // The service did not process the request.
  const rejected = error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
  if (!rejected && !(lost && repeatable)) return undefined;
  const pause = Math.max(error.retryAfterSeconds ?? 0, 0.5 * 2 ** failures);
  return pause <= MAX_PAUSE_SECONDS ? pause : undefined;
}

export const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
