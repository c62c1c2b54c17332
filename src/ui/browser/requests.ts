import { type ErrorTexts, refusalText, retryAfterOf } from './error-texts.ts';
import { fill } from './fill.ts';

export interface FieldError {
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, string | number>>;
}

/** An error response, or `status` 0 if the server cannot be reached. The message is in the page's language if available. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** By field name. */
  readonly fields: ReadonlyMap<string, FieldError>;
  readonly retryAfterSeconds: number | undefined;
  /** Further members of the error. */
  readonly details: unknown;

  constructor(
    status: number,
    message: string,
    details: Partial<Pick<RequestError, 'code' | 'fields' | 'retryAfterSeconds' | 'details'>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = details.code;
    this.fields = details.fields ?? new Map();
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.details = details.details;
  }
}

/** In the page's language if available. */
export function errorMessage(error: unknown, texts: ErrorTexts, field?: string): string {
  if (!(error instanceof RequestError)) return (error as Error).message;
  if (error.status === 0) return texts.offline;
  const problems = field === undefined ? [...error.fields.values()] : [error.fields.get(field)!];
  if (problems.length === 0) return refusalText(texts.refusals, error) ?? error.message;
  return problems.map(({ msg, type, ctx = {} }) => fill(texts.problems[type] ?? msg, ctx)).join(' ');
}

interface Answer {
  error?: { code: string; message: string };
  detail?: (FieldError & { loc: (string | number)[] })[];
}

/** With the session cookie. Returns the JSON body, or undefined if it is empty; throws {@link RequestError}. */
export async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = { accept: 'application/json', ...(init.headers as Record<string, string>) };
  const response = await fetch(path, { ...init, headers }).catch(() => undefined);
  if (response === undefined) throw new RequestError(0, '');
  return readAnswer<T>(response.status, await response.text(), response.headers.get('retry-after'));
}

/** The body of a response; throws {@link RequestError} for an error. */
export function readAnswer<T>(status: number, text: string, retryAfter: string | null): T {
  const body = parseJson(text) as (T & Answer) | undefined;
  if (status >= 200 && status < 300) return body as T;
  const fields = new Map((body?.detail ?? []).map((problem) => [String(problem.loc.at(-1)), problem]));
  const retryAfterSeconds = retryAfterOf(retryAfter);
  const { code, message = `HTTP ${status}` } = body?.error ?? {};
  throw new RequestError(status, message, { code, fields, retryAfterSeconds });
}

/**
 * Posts a form in the encoding that browsers use without scripts. Up to {@link MAX_KEEPALIVE_BYTES}, the browser finishes the request
 * also after the page is left.
 */
export function sendForm<T>(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: HeadersInit = {},
): Promise<T> {
  const body = new URLSearchParams(form);
  const keepalive = body.toString().length <= MAX_KEEPALIVE_BYTES;
  return request<T>(path, { method: 'POST', body, keepalive, headers: headers as Record<string, string> });
}

/** Browsers refuse `keepalive` if the bodies of all such requests exceed 64 KiB (Fetch standard). */
const MAX_KEEPALIVE_BYTES = 60 * 1024;

/** Undefined for other text, such as an empty body or the response of a proxy. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
