import type { Tokens } from './token.ts';

/** The service said no, or could not be reached (`status` 0): with a sentence for the person and a code for programs. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(refused: { code: string; status: number; sentence: string; retryAfterSeconds?: number | undefined }) {
    super(refused.sentence);
    this.code = refused.code;
    this.status = refused.status;
    this.retryAfterSeconds = refused.retryAfterSeconds;
  }
}

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly file?: File;
  readonly signal?: AbortSignal;
  /** How much of the body has left, 0..1. */
  readonly onSent?: (share: number) => void;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

export interface Api {
  /** The `data` of the answer's envelope. Asks for a token when there is none or the service refuses the one there is. */
  call<T>(path: string, call?: Call): Promise<T>;
  /** The same for what has no envelope: a file. */
  text(path: string): Promise<string>;
}

/** The public API of the service that served this page, and nothing beside it. */
export function openApi(needs: {
  tokens: Tokens;
  /** False where the service asks nobody for a token. */
  needsToken: boolean;
  refusals: Readonly<Record<string, string>>;
}): Api {
  const { tokens, needsToken, refusals } = needs;
  async function ask(path: string, call: Call): Promise<Answer> {
    for (;;) {
      const token = tokens.current() ?? (needsToken ? await abortable(tokens.ask(), call.signal) : undefined);
      const answer = await send(path, call, token);
      if (answer.status !== 401) return answer;
      await abortable(tokens.ask(token), call.signal);
    }
  }
  return {
    call: async <T>(path: string, call: Call = {}) => dataOf<T>(await ask(path, call), refusals),
    async text(path) {
      const answer = await ask(path, {});
      return answer.status === 200 ? answer.text : dataOf<string>(answer, refusals);
    },
  };
}

/** What anybody may ask, without a token: the probes. */
export async function callOpenly<T>(path: string, refusals: Readonly<Record<string, string>>): Promise<T> {
  return dataOf<T>(await send(path, {}, undefined), refusals);
}

function dataOf<T>(answer: Answer, refusals: Readonly<Record<string, string>>): T {
  const { status } = answer;
  let body: { ok?: boolean; data?: T; error?: { code: string; message: string } } = {};
  try {
    body = JSON.parse(answer.text) as typeof body;
  } catch {
    // Something between us and the service answered in its place.
  }
  if (body.ok === true) return body.data as T;
  const { code = 'INTERNAL_ERROR', message = `HTTP ${status}` } = body.error ?? {};
  const seconds = Number(answer.header('retry-after') ?? Number.NaN);
  throw new Refusal({
    code,
    status,
    sentence: refusals[code] ?? message,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** One request. By XMLHttpRequest, because `fetch` tells nobody how much of an upload has left. */
function send(path: string, call: Call, token: string | undefined): Promise<Answer> {
  const { signal, onSent, file, json } = call;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open(call.method ?? 'GET', path);
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(call.headers ?? {})) request.setRequestHeader(name, value);
    if (file) request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    else if (json !== undefined) request.setRequestHeader('content-type', 'application/json');
    if (onSent) {
      request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0));
    }
    request.addEventListener('load', () =>
      resolve({
        status: request.status,
        text: request.responseText,
        header: (name) => request.getResponseHeader(name),
      }),
    );
    request.addEventListener('error', () => reject(new Refusal({ code: 'OFFLINE', status: 0, sentence: '' })));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop));
    signal?.addEventListener('abort', stop);
    request.send(file ?? (json === undefined ? null : JSON.stringify(json)));
  });
}

/** Gives up waiting when told so; what was waited for goes on without us. */
export function abortable<T>(waited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return waited;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void waited.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
