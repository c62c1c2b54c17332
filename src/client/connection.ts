import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, RateLimited, Timeout, Unauthorized } from './errors.ts';
import { type ApiResponse, type RequestOptions, type RequestTarget, sendRequest } from './request.ts';
import { isTransient } from './response-error.ts';

export interface Credential {
  token(signal?: AbortSignal): Promise<string | undefined>;
  /** Discards a rejected token; returns whether a new one can be obtained. */
  invalidate(refused: string | undefined): boolean;
}

export interface ConnectionOptions extends RequestTarget {
  readonly credential?: Credential | undefined;
  readonly retries: number;
  readonly onRateLimit?: RateLimitListener | undefined;
  readonly onOutage?: OutageListener | undefined;
}

/** Called with the seconds before a request that the rate limit rejected is repeated. */
export type RateLimitListener = (seconds: number) => void;

/**
 * Called with the error when requests fail that are repeated, and at the end of these repetitions with `hasEnded`: with the last
 * error if they were given up, and without one if the service responds again.
 */
export type OutageListener = (error: AssayError | undefined, hasEnded?: boolean) => void;

/** Reports the beginning and the end of one outage. */
export class OutageReport {
  #isLost = false;
  readonly #listener: OutageListener | undefined;

  constructor(listener: OutageListener | undefined) {
    this.#listener = listener;
  }

  begin(error: AssayError): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#listener?.(error, false);
  }

  /** `error`: the requests were given up. */
  end(error?: AssayError): void {
    if (this.#isLost) this.#listener?.(error, true);
    this.#isLost = false;
  }
}

/** Requests to one service, with its credential and retries. */
export class Connection {
  readonly clock: Clock;
  readonly onRateLimit: RateLimitListener | undefined;
  readonly onOutage: OutageListener | undefined;
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.clock = options.clock;
    this.onRateLimit = options.onRateLimit;
    this.onOutage = options.onOutage;
    this.#options = { ...options, url: options.url.replace(/(?<!\/)\/+$/, '') };
  }

  async request(path: string, request: RequestOptions = {}): Promise<ApiResponse> {
    const { credential, clock, retries } = this.#options;
    const { signal } = request;
    let renewed = false;
    const outage = new OutageReport(this.onOutage);
    for (let failures = 0; ; ) {
      signal?.throwIfAborted();
      const token = await credential?.token(signal);
      const response = await sendRequest(this.#options, path, request, token);
      if (!isTransient(response)) outage.end();
      if (!(response instanceof AssayError)) return response;
      if (response instanceof Unauthorized && !renewed && credential?.invalidate(token)) {
        renewed = true;
        continue;
      }
      // With `retries` of its own, the caller repeats the request.
      const waits = this.onRateLimit && response instanceof RateLimited && request.retries === undefined;
      const isLast = failures >= (request.retries ?? retries);
      const pause = waits ? limitPause(response) : isLast ? undefined : pauseSeconds(response, request, failures);
      if (pause === undefined) {
        outage.end(response);
        throw response;
      }
      if (waits) this.onRateLimit(pause);
      else failures++;
      if (!waits && isTransient(response)) outage.begin(response);
      await clock.sleep(pause * 1000, signal);
    }
  }

  /** The body as a JSON object; throws UNEXPECTED_ANSWER otherwise. */
  async json<T extends object>(path: string, request?: RequestOptions): Promise<T> {
    return (await this.request(path, request)).json();
  }

  /** The content of the success envelope. */
  async data<T extends object>(path: string, request?: RequestOptions): Promise<T> {
    return (await this.request(path, request)).data();
  }

  /** The body as a file. */
  async bytes(path: string, request: RequestOptions): Promise<Uint8Array<ArrayBuffer>> {
    const headers = { accept: '*/*', ...request.headers };
    return (await this.request(path, { ...request, headers })).bytes;
  }
}

/** A longer `Retry-After` is left to the caller. */
const MAX_PAUSE_SECONDS = 60;
const GATEWAY_ERRORS = [502, 504];
/** A setting of the server, despite the status 503. */
const UNCONFIGURED = 'AUTH_UNCONFIGURED';

/** Not 0, so that a clock that differs causes no flood of requests. */
const limitPause = ({ retryAfterSeconds = 1 }: RateLimited) => Math.max(1, retryAfterSeconds);

/** Delay before a retry; undefined if a retry could repeat an effect or would not help. */
function pauseSeconds(error: AssayError, request: RequestOptions, failures: number): number | undefined {
  const repeatable = (request.method ?? 'GET') === 'GET' || request.repeatable || request.idempotencyKey !== undefined;
  const lost = error instanceof NetworkProblem || error instanceof Timeout || GATEWAY_ERRORS.includes(error.status);
  // The service did not process the request.
  const rejected = error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
  if ((!rejected && !(lost && repeatable)) || error.code === UNCONFIGURED) return undefined;
  const pause = Math.max(error.retryAfterSeconds ?? 0, 0.5 * 2 ** failures);
  return pause <= MAX_PAUSE_SECONDS ? pause : undefined;
}

export const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
