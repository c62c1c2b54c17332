import { AssertionFailure } from './assertion-failure.ts';
import { type Exchange, truncate } from './exchange.ts';

type Send = (path: string, request?: ProbeRequest) => Promise<Exchange>;

/** HTTP client for the deployment; limits time and size and records exchanges. */
export type Probe = { readonly base: string } & Readonly<Record<'get' | 'post' | 'patch' | 'delete', Send>>;

export interface ProbeRequest {
  readonly token?: string | undefined;
  readonly as?: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly files?: readonly Upload[];
  /** Raw body; `headers` has its type. */
  readonly body?: string | Uint8Array;
}

export interface Upload {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** A JSON body that ends too early. */
export const brokenJson = (body: string): ProbeRequest => ({ headers: { 'content-type': 'application/json' }, body });

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 2 ** 20;

/** Creates a probe. Requests throw `NoResponse`, or `AssertionFailure` for an oversized response. */
export function createProbe(base: string, signal: AbortSignal): Probe {
  const sender =
    (method: string): Send =>
    async (path, request = {}) => {
      const { headers, body, summary } = encode(request);
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const response = await fetch(base + path, {
          ...{ method, headers, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) },
          ...(body !== undefined && { body }),
        });
        const bytes = await readBody(response);
        const exchange: Exchange = {
          request: { method, path, body: summary, as: request.as ?? '' },
          ...{ status: response.status, headers: response.headers },
          ...{ bytes: bytes ?? Buffer.alloc(0), json: jsonOf(bytes) },
        };
        if (!bytes) throw new AssertionFailure(`a response of at most ${MAX_BYTES} bytes`, exchange);
        return exchange;
      } catch (error) {
        if (error instanceof AssertionFailure) throw error;
        signal.throwIfAborted();
        const why = timeout.aborted ? `no response within ${TIMEOUT_MS / 1000} s` : reason(error);
        throw new NoResponse(`${method} ${path}: ${why}`);
      }
    };
  return { base, get: sender('GET'), post: sender('POST'), patch: sender('PATCH'), delete: sender('DELETE') };
}

function encode({ token, cookie, headers = {}, json, form, files, body }: ProbeRequest) {
  const all: Record<string, string> = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(cookie !== undefined && { cookie }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  if (json !== undefined) return { headers: all, body: JSON.stringify(json), summary: masked(json) };
  if (form !== undefined) {
    const text = new URLSearchParams(form);
    return { headers: all, body: text, summary: truncate(decodeURIComponent(text.toString()), 200) };
  }
  if (files !== undefined) {
    const data = new FormData();
    for (const { field, name, type, bytes } of files)
      data.append(field, new Blob([Buffer.from(bytes)], { type }), name);
    return { headers: all, body: data, summary: files.map(({ field, name }) => `${field}=@${name}`).join(' ') };
  }
  const summary = typeof body === 'string' ? truncate(body, 200) : body ? `${body.length} bytes` : '';
  return { headers: all, body, summary };
}

/** Masks secrets, since reports are shared. */
const masked = (json: unknown) =>
  truncate(
    JSON.stringify(json, (key, value: unknown) => (key === 'api_key' || key === 'secret' ? '…' : value)),
    200,
  );

/** Undefined for an oversized body. */
async function readBody(response: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Prefers the cause; the message of fetch is only `fetch failed`. */
function reason(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.message || cause?.code || (error as Error).message;
}
