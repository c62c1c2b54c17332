import { Breach } from './breach.ts';
import { type Exchange, shortened } from './exchange.ts';

/** The one place where a deployment is asked: every request is bounded in time and size, and remembered. */
export interface Probe {
  /** The address that was given, without a slash at its end. */
  readonly base: string;
  get(path: string, ask?: Ask): Promise<Exchange>;
  post(path: string, ask?: Ask): Promise<Exchange>;
  patch(path: string, ask?: Ask): Promise<Exchange>;
  delete(path: string, ask?: Ask): Promise<Exchange>;
}

export interface Ask {
  /** Sent as a bearer token. */
  readonly token?: string | undefined;
  /** What is said of the request's sender where a failure is shown. */
  readonly as?: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly files?: readonly Upload[];
  /** As it is; the type is in `headers`. */
  readonly body?: string | Uint8Array;
}

export interface Upload {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The deployment gave no answer at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Bounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const BOUNDS: Bounds = { timeoutMs: 60_000, maxBytes: 16 * 2 ** 20 };

/** A probe of the deployment at `base`; throws `NoAnswer` where nothing comes, and a `Breach` for an endless answer. */
export function createProbe(base: string, signal: AbortSignal, bounds: Bounds = BOUNDS): Probe {
  const ask = async (method: string, path: string, request: Ask = {}): Promise<Exchange> => {
    const { headers, body, told } = written(request);
    const asked = { method, path, body: told, as: request.as ?? '' };
    const late = AbortSignal.timeout(bounds.timeoutMs);
    try {
      const response = await fetch(base + path, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, late]),
        ...(body !== undefined && { body }),
      });
      const bytes = await bounded(response, bounds.maxBytes);
      const { status } = response;
      const exchange = {
        asked,
        status,
        headers: response.headers,
        bytes: bytes ?? Buffer.alloc(0),
        json: jsonOf(bytes),
      };
      if (!bytes) throw new Breach(`an answer of at most ${bounds.maxBytes} bytes`, exchange);
      return exchange;
    } catch (error) {
      if (error instanceof Breach) throw error;
      signal.throwIfAborted();
      const why = late.aborted ? `nothing within ${bounds.timeoutMs / 1000} s` : reason(error);
      throw new NoAnswer(`${method} ${path}: ${why}`);
    }
  };
  return {
    base,
    get: (path, request) => ask('GET', path, request),
    post: (path, request) => ask('POST', path, request),
    patch: (path, request) => ask('PATCH', path, request),
    delete: (path, request) => ask('DELETE', path, request),
  };
}

/** The request as it is sent, and its body as it is told. */
function written({ token, cookie, headers = {}, json, form, files, body }: Ask) {
  const all: Record<string, string> = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(cookie !== undefined && { cookie }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  if (json !== undefined) return { headers: all, body: JSON.stringify(json), told: masked(json) };
  if (form !== undefined) {
    const text = new URLSearchParams(form);
    return { headers: all, body: text, told: shortened(decodeURIComponent(text.toString()), 200) };
  }
  if (files !== undefined) {
    const data = new FormData();
    for (const { field, name, type, bytes } of files)
      data.append(field, new Blob([Buffer.from(bytes)], { type }), name);
    return { headers: all, body: data, told: files.map(({ field, name }) => `${field}=@${name}`).join(' ') };
  }
  const told = typeof body === 'string' ? shortened(body, 200) : body ? `${body.length} bytes` : '';
  return { headers: all, body, told };
}

/** The body as text without its secrets: what a failure shows may be pasted anywhere. */
const masked = (json: unknown) =>
  shortened(
    JSON.stringify(json, (key, value: unknown) => (key === 'api_key' || key === 'secret' ? '…' : value)),
    200,
  );

/** The whole body, or undefined where it is longer than that. */
async function bounded(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function jsonOf(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The innermost cause in words: `fetch failed` tells nobody anything. */
function reason(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.message || cause?.code || (error as Error).message;
}
