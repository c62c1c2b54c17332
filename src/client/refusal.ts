import {
  AssayError,
  Conflict,
  FileRefused,
  Forbidden,
  NotFound,
  RateLimited,
  type Refused,
  TaskNotFound,
  Unauthorized,
  Unavailable,
  type ValidationDetail,
  ValidationProblem,
} from './errors.ts';

/** Codes whose class their status does not tell. */
const BY_CODE: Readonly<Record<string, new (refused: Refused) => AssayError>> = { TASK_NOT_FOUND: TaskNotFound };

const BY_STATUS: Readonly<Record<number, new (refused: Refused) => AssayError>> = {
  400: ValidationProblem,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  413: FileRefused,
  415: FileRefused,
  422: ValidationProblem,
  429: RateLimited,
  503: Unavailable,
};

/** The error that an answer stands for: its class goes by `error.code`, else by the HTTP status. */
export function refusalOf(answer: { status: number; headers: Headers; text: string }, nowMs: number): AssayError {
  const { status, headers, text } = answer;
  const { error, detail } = bodyOf(text);
  const refused: Refused = {
    code: error?.code ?? (detail ? 'VALIDATION_ERROR' : `HTTP_${status}`),
    message: error?.message ?? (detail ? sentenceOf(detail) : `The service answered with HTTP status ${status}.`),
    status,
    requestId: error?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers, nowMs),
    details: detail ?? error?.details,
  };
  return new (BY_CODE[refused.code] ?? BY_STATUS[status] ?? AssayError)(refused);
}

/** `Retry-After`: a number of seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const given = headers.get('retry-after')?.trim();
  if (!given) return undefined;
  if (/^\d+$/.test(given)) return Number(given);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

interface Body {
  readonly error?: { code?: string; message?: string; request_id?: string; details?: unknown } | null;
  readonly detail?: readonly ValidationDetail[];
}

/** Something between us and the service may have answered in its place, with a page, with nothing or with words of its own. */
function bodyOf(text: string): Body {
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
  Array.isArray(detail) && detail.every((fault: Partial<ValidationDetail> | null) => Array.isArray(fault?.loc));

function sentenceOf(detail: readonly ValidationDetail[]): string {
  const [first] = detail;
  return first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is not as it should be.';
}
