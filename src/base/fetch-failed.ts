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
 * Failure of an outbound request. All blocked requests have the reason `blocked_address`, so that clients cannot probe
 * the network. `cause` is for logs only.
 */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  readonly reason: FetchFailure;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Start of the response body, if requested. Untrusted: not for responses, and private so that loggers omit it. */
  get excerpt(): Buffer | undefined {
    return this.#said;
  }
  readonly #said: Buffer | undefined;

  constructor(
    reason: FetchFailure,
    detail: {
      status?: number;
      retryAfterSeconds?: number | undefined;
      excerpt?: Buffer | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(MESSAGES[reason], detail.cause === undefined ? {} : { cause: detail.cause });
    this.reason = reason;
    this.transient = isTransient(reason, detail.status);
    if (detail.status !== undefined) this.status = detail.status;
    if (detail.retryAfterSeconds !== undefined) this.retryAfterSeconds = detail.retryAfterSeconds;
    this.#said = detail.excerpt;
  }
}

const MESSAGES: Record<FetchFailure, string> = {
  timeout: 'The host did not answer in time.',
  dns_error: 'The host name could not be resolved.',
  connect_error: 'The connection failed or was interrupted.',
  tls_error: 'The TLS handshake failed.',
  blocked_address: 'The address may not be contacted.',
  redirect: 'The host answered with a redirect that is not followed.',
  http_status: 'The host answered with an error.',
  too_large: 'The response is larger than allowed.',
  unreadable: 'The content encoding of the response cannot be decoded.',
  aborted: 'The request was aborted.',
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
