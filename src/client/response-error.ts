import {
  AssayError,
  type AssayErrorInit,
  Conflict,
  EventsExpired,
  FileRejected,
  Forbidden,
  NetworkProblem,
  NotFound,
  RateLimited,
  TaskNotFound,
  Timeout,
  Unauthorized,
  Unavailable,
  type ValidationDetail,
  ValidationProblem,
} from './errors.ts';

const BY_CODE: Readonly<Record<string, new (init: AssayErrorInit) => AssayError>> = {
  EVENTS_EXPIRED: EventsExpired,
  TASK_NOT_FOUND: TaskNotFound,
};

const BY_STATUS: Readonly<Record<number, new (init: AssayErrorInit) => AssayError>> = {
  400: ValidationProblem,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  413: FileRejected,
  415: FileRejected,
  422: ValidationProblem,
  429: RateLimited,
  503: Unavailable,
};

export function toAssayError(response: { status: number; headers: Headers; text: string }, nowMs: number): AssayError {
  const { status, headers, text } = response;
  const { error, detail } = parseBody(text);
  const init: AssayErrorInit = {
    code: error?.code ?? (detail ? 'VALIDATION_ERROR' : `HTTP_${status}`),
    message: error?.message ?? (detail ? messageOf(detail) : `The service responded with HTTP status ${status}.`),
    status,
    requestId: error?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers, nowMs),
    details: detail ?? error?.details,
  };
  return new (BY_CODE[init.code] ?? BY_STATUS[status] ?? AssayError)(init);
}

/** Overload or a connection error. */
export const isTransient = (error: unknown): error is AssayError =>
  error instanceof AssayError &&
  (error instanceof NetworkProblem || error instanceof Timeout || error.status === 429 || error.status >= 500);

/** `Retry-After`: a number of seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

interface Body {
  readonly error?: { code?: string; message?: string; request_id?: string; details?: unknown } | null;
  readonly detail?: readonly ValidationDetail[];
}

/** A proxy may have responded instead of the service. */
function parseBody(text: string): Body {
  try {
    const body = JSON.parse(text) as Body | null;
    if (typeof body !== 'object' || body === null) return {};
    const { error, detail } = body;
    return { ...(typeof error === 'object' && { error }), ...(isDetail(detail) && { detail }) };
  } catch {
    return {};
  }
}

const isDetail = (detail: unknown): detail is readonly ValidationDetail[] =>
  Array.isArray(detail) && detail.every((entry: Partial<ValidationDetail> | null) => Array.isArray(entry?.loc));

function messageOf(detail: readonly ValidationDetail[]): string {
  const [first] = detail;
  return first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is invalid.';
}
