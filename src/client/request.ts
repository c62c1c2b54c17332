import type { Clock } from './clock.ts';
import { AssayError, NetworkProblem, Timeout } from './errors.ts';
import { toAssayError } from './response-error.ts';
import { withTimeLimit } from './time-limit.ts';

export interface CallOptions {
  /** Aborts the call, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A list repeats its parameter. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly json?: unknown;
  readonly body?: Blob | FormData | URLSearchParams;
  /** Sent as `If-Match`. */
  readonly ifVersion?: number | string | undefined;
  /** Makes a POST safe to retry. */
  readonly idempotencyKey?: string | undefined;
  /** Marks a request without a key as safe to retry. */
  readonly repeatable?: boolean;
  readonly retries?: number;
  /** Requested long polling time. */
  readonly longPollSeconds?: number | undefined;
  /** A redirect is the expected response and is not followed. */
  readonly redirects?: boolean;
}

export interface ApiResponse {
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  text(): string;
  /** The body as a JSON object; throws UNEXPECTED_ANSWER otherwise. */
  json<T extends object>(): T;
  /** The content of the success envelope. */
  data<T extends object>(): T;
}

/** Assumed upload speed for time limits. */
const UPLOAD_BYTES_PER_SECOND = 50_000;

export interface RequestTarget {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
}

export async function sendRequest(
  { url, fetch, timeoutSeconds, clock }: RequestTarget,
  path: string,
  request: RequestOptions,
  token: string | undefined,
): Promise<ApiResponse | AssayError> {
  const { method = 'GET', signal, json, ifVersion, idempotencyKey, longPollSeconds = 0 } = request;
  const size =
    request.body instanceof Blob ? request.body.size : request.body instanceof FormData ? bytesIn(request.body) : 0;
  const limitSeconds = timeoutSeconds + longPollSeconds + size / UPLOAD_BYTES_PER_SECOND;
  const body = json === undefined ? request.body : JSON.stringify(json);
  // Outside the `try`: an invalid header is the caller's error, not a network problem.
  const headers = new Headers(
    definedValues({
      accept: 'application/json',
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      'content-type': json === undefined ? undefined : 'application/json',
      'idempotency-key': idempotencyKey,
      'if-match': ifVersion === undefined ? undefined : `"${ifVersion}"`,
      prefer: longPollSeconds > 0 ? `wait=${Math.ceil(longPollSeconds)}` : undefined,
      ...request.headers,
    }),
  );
  try {
    const { response, bytes } = await withTimeLimit(Math.ceil(limitSeconds * 1000), signal, async (limited) => {
      const response = await fetch(url + path + queryOf(request.query), {
        method,
        // No cookies: they would identify another user.
        credentials: 'omit',
        redirect: 'manual',
        headers,
        ...(body !== undefined && { body }),
        signal: limited,
      });
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    });
    const text = () => new TextDecoder().decode(bytes);
    const json = <T extends object>() => parseObject<T>(() => JSON.parse(text()), url);
    const { status, headers: received } = response;
    const redirected = response.type === 'opaqueredirect' || status === 303;
    if (!response.ok && !(request.redirects && redirected)) {
      return toAssayError({ status, headers: received, text: text() }, clock.now());
    }
    const data = <T extends object>() => parseObject<T>(() => json<{ data?: unknown }>().data, url);
    return { headers: received, bytes, text, json, data };
  } catch (error) {
    if (error instanceof AssayError) return error;
    if (signal?.aborted) throw signal.reason;
    return networkError(error, url, limitSeconds);
  }
}

function parseObject<T extends object>(parse: () => unknown, url: string): T {
  let cause: unknown;
  try {
    const found = parse();
    if (typeof found === 'object' && found !== null) return found as T;
  } catch (error) {
    cause = error;
  }
  throw new AssayError({ code: 'UNEXPECTED_ANSWER', message: `${url} is not an Assay service.`, cause });
}

function networkError(cause: unknown, url: string, limitSeconds: number): AssayError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const message = `${url} did not respond within ${Math.round(limitSeconds)} seconds.`;
    return new Timeout({ code: 'TIMEOUT', message, cause });
  }
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

type QueryValue = string | number | boolean;

function queryOf(query: RequestOptions['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

const definedValues = (values: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
