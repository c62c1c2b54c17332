import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, Timeout } from './errors.ts';
import { refusalOf } from './refusal.ts';

/** What every call can be told. */
export interface CallOptions {
  /** Ends the call; its reason is what is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** A request in words of HTTP. */
export interface Ask extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly json?: unknown;
  readonly body?: Blob | FormData | URLSearchParams;
  /** Makes a POST one that may be sent again when nobody knows whether it has arrived. */
  readonly idempotencyKey?: string | undefined;
  /** The same for what has no key and does no harm twice. */
  readonly repeatable?: boolean;
  /** How often it is tried again at most; absent: as the line was opened. */
  readonly retries?: number;
  /** How long the service was asked to hold the answer. */
  readonly holdSeconds?: number | undefined;
  /** A redirect is the answer; it is not followed. */
  readonly redirects?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  /** The body, an object, which is what the service's description says it is. */
  json<T extends object>(): T;
  /** What stands in the success envelope. */
  data<T extends object>(): T;
}

/** A slow uplink. */
const BYTES_A_SECOND = 50_000;

/** Where a request goes, and by what. */
export interface Ends {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** For one request, but for what it uploads and what it lets the service hold. */
  readonly timeoutSeconds: number;
}

/** One request; a refusal, and what never became an answer, are returned. */
export async function send(
  { url, fetch, timeoutSeconds, clock }: Ends,
  path: string,
  asked: Ask,
  token: string | undefined,
): Promise<Answer | AssayError> {
  const { method = 'GET', signal, json, idempotencyKey, holdSeconds = 0 } = asked;
  const size = asked.body instanceof Blob ? asked.body.size : asked.body instanceof FormData ? bytesIn(asked.body) : 0;
  const limitSeconds = timeoutSeconds + holdSeconds + size / BYTES_A_SECOND;
  const inTime = AbortSignal.timeout(Math.ceil(limitSeconds * 1000));
  const body = json === undefined ? asked.body : JSON.stringify(json);
  // Not within the `try`: what no header can carry is the caller's mistake, and no network problem to be tried again.
  const headers = new Headers(
    present({
      accept: 'application/json',
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      'content-type': json === undefined ? undefined : 'application/json',
      'idempotency-key': idempotencyKey,
      prefer: holdSeconds > 0 ? `wait=${Math.ceil(holdSeconds)}` : undefined,
      ...asked.headers,
    }),
  );
  try {
    const response = await fetch(url + path + queryOf(asked.query), {
      method,
      // No cookie: it would decide whose documents these are.
      credentials: 'omit',
      redirect: 'manual',
      headers,
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = () => new TextDecoder().decode(bytes);
    const object = <T extends object>() => objectIn<T>(() => JSON.parse(text()), url);
    const { status } = response;
    const redirected = response.type === 'opaqueredirect' || status === 303;
    if (!response.ok && !(asked.redirects && redirected)) {
      return refusalOf({ status, headers: response.headers, text: text() }, clock.now());
    }
    return {
      ...{ status, headers: response.headers, bytes },
      get text() {
        return text();
      },
      json: object,
      data: () => objectIn(() => object<{ data?: unknown }>().data, url),
    };
  } catch (error) {
    if (error instanceof AssayError) return error;
    if (signal?.aborted) throw signal.reason;
    return unanswered(error, url, limitSeconds);
  }
}

/** Whatever stands at this address answers something; a service of ours, always an object. */
function objectIn<T extends object>(look: () => unknown, url: string): T {
  let cause: unknown;
  try {
    const found = look();
    if (typeof found === 'object' && found !== null) return found as T;
  } catch (error) {
    cause = error;
  }
  throw new AssayError({ code: 'UNEXPECTED_ANSWER', message: `${url} is no service of Assay's.`, cause });
}

function unanswered(cause: unknown, url: string, limitSeconds: number): AssayError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const message = `${url} has not answered within ${Math.round(limitSeconds)} seconds.`;
    return new Timeout({ code: 'TIMEOUT', message, cause });
  }
  // Node says why one floor down.
  const reason = ((cause as Error | undefined)?.cause as { code?: string } | undefined)?.code;
  return new NetworkProblem({
    code: 'NETWORK_PROBLEM',
    message: `${url} cannot be reached${reason === undefined ? '' : ` (${reason})`}.`,
    cause,
  });
}

function bytesIn(form: FormData): number {
  let bytes = 0;
  form.forEach((part) => {
    bytes += typeof part === 'string' ? part.length : part.size;
  });
  return bytes;
}

function queryOf(query: Ask['query'] = {}): string {
  const text = new URLSearchParams(present(query)).toString();
  return text === '' ? '' : `?${text}`;
}

/** Those that were given, as text. */
const present = (values: Readonly<Record<string, string | number | boolean | undefined>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
