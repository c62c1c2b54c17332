export type FetchFailure =
  | 'timeout'
  | 'dns_error'
  | 'connect_error'
  | 'tls_error'
  | 'blocked_address'
  | 'redirect'
  | 'http_status'
  | 'too_large'
  | 'unreadable'
  | 'aborted';

/**
 * Why a request to a stranger's address brought nothing. Every refusal of ours is the one reason `blocked_address`, so
 * that nobody learns from it what lies behind; `cause` is for logs, never for an answer.
 */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  readonly reason: FetchFailure;
  /** True when the same request may succeed later. */
  readonly transient: boolean;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** What the host said, where the request asked to keep it. A stranger's words: not for answers, hardly for logs. */
  readonly said?: Buffer;

  constructor(
    reason: FetchFailure,
    detail: {
      status?: number;
      retryAfterSeconds?: number | undefined;
      said?: Buffer | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(SENTENCES[reason], detail.cause === undefined ? {} : { cause: detail.cause });
    this.reason = reason;
    this.transient = isTransient(reason, detail.status);
    if (detail.status !== undefined) this.status = detail.status;
    if (detail.retryAfterSeconds !== undefined) this.retryAfterSeconds = detail.retryAfterSeconds;
    // Not to be found by what prints errors.
    if (detail.said !== undefined) Object.defineProperty(this, 'said', { value: detail.said, enumerable: false });
  }
}

const SENTENCES: Record<FetchFailure, string> = {
  timeout: 'The host did not answer in time.',
  dns_error: 'The host name could not be resolved.',
  connect_error: 'The connection failed or broke off.',
  tls_error: 'No secure connection could be made.',
  blocked_address: 'The address may not be contacted.',
  redirect: 'The host answered with a redirect that is not followed.',
  http_status: 'The host answered with an error.',
  too_large: 'The answer is larger than allowed.',
  unreadable: 'The answer is encoded in a way that cannot be read.',
  aborted: 'The request was given up.',
};

function isTransient(reason: FetchFailure, status = 0): boolean {
  switch (reason) {
    case 'timeout':
    case 'dns_error':
    case 'connect_error':
    case 'aborted':
      return true;
    case 'http_status':
      return status === 408 || status === 425 || status === 429 || status >= 500;
    case 'tls_error':
    case 'blocked_address':
    case 'redirect':
    case 'too_large':
    case 'unreadable':
      return false;
  }
}
