import { refusalText, retryAfterOf } from './error-texts.ts';
import { parseJson, RequestError } from './requests.ts';
import type { TokenStore } from './token.ts';

export interface RequestOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly file?: File;
  readonly form?: FormData;
  readonly signal?: AbortSignal;
  /** 0..1. */
  readonly onUploadProgress?: (share: number) => void;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: Blob;
  header(name: string): string | null;
}

export type ApiClient = ReturnType<typeof createApiClient>;

export function createApiClient(deps: {
  /** Undefined: the session cookie authorizes. */
  tokens: TokenStore | undefined;
  needsToken: boolean;
  errorTexts: Readonly<Record<string, string>>;
}) {
  const { tokens, needsToken, errorTexts } = deps;
  async function sendAuthorized(path: string, call: RequestOptions): Promise<ApiResponse> {
    if (!tokens) return send(path, call, undefined);
    for (;;) {
      const token = tokens.current() ?? (needsToken ? await abortable(tokens.prompt(), call.signal) : undefined);
      const answer = await send(path, call, token);
      if (answer.status !== 401) return answer;
      await abortable(tokens.prompt(token), call.signal);
    }
  }
  async function file(path: string): Promise<Blob> {
    const answer = await sendAuthorized(path, {});
    return answer.status === 200 ? answer.body : dataOf<Blob>(answer, errorTexts);
  }
  return {
    /** Prompts for a token if none is stored or the service rejects it. */
    call: async <T>(path: string, call: RequestOptions = {}) => dataOf<T>(await sendAuthorized(path, call), errorTexts),
    /** Without an envelope, for example a file. */
    file,
    /** Undefined if the file cannot be read, or has more than `maxBytes`. */
    async smallFile(path: string, maxBytes: number): Promise<Blob | undefined> {
      const { status, header } = await sendAuthorized(path, { method: 'HEAD' });
      return status !== 200 || Number(header('content-length')) > maxBytes ? undefined : file(path);
    },
  };
}

async function dataOf<T>(
  { status, body: bytes, header }: ApiResponse,
  errorTexts: Readonly<Record<string, string>>,
): Promise<T> {
  const body = parseJson(await bytes.text()) as
    | { ok?: boolean; data?: T; error?: { code: string; message: string; details?: unknown } }
    | undefined;
  if (body?.ok === true) return body.data as T;
  const { code = 'INTERNAL_ERROR', message = `HTTP ${status}`, details } = body?.error ?? {};
  const retryAfterSeconds = retryAfterOf(header('retry-after'));
  const text = refusalText(errorTexts, { code, retryAfterSeconds });
  throw new RequestError(status, text ?? message, { code, retryAfterSeconds, details });
}

/** Uses XMLHttpRequest because `fetch` reports no upload progress. */
function send(path: string, call: RequestOptions, token: string | undefined): Promise<ApiResponse> {
  const { signal, onUploadProgress, file, form, json } = call;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(call.method ?? 'GET', path);
    request.responseType = 'blob';
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(call.headers ?? {})) request.setRequestHeader(name, value);
    if (file) request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    else if (json !== undefined) request.setRequestHeader('content-type', 'application/json');
    if (onUploadProgress) {
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        onUploadProgress(total > 0 ? loaded / total : 0),
      );
    }
    request.addEventListener('load', () =>
      resolve({
        status: request.status,
        body: request.response as Blob,
        header: (name) => request.getResponseHeader(name),
      }),
    );
    request.addEventListener('error', () => reject(new RequestError(0, '', { code: 'OFFLINE' })));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    signal?.addEventListener('abort', abort);
    request.send(file ?? form ?? (json === undefined ? null : JSON.stringify(json)));
  });
}

/** Rejects when `signal` aborts; `promise` itself continues. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
