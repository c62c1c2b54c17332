/** Per reason: the message, and whether the same request may succeed later. */
const REASONS = {
  timeout: ['The host did not answer in time.', true],
  dns_error: ['The host name could not be resolved.', true],
  connect_error: ['The connection failed or was interrupted.', true],
  tls_error: ['The TLS handshake failed.', false],
  blocked_address: ['The address may not be contacted.', false],
  redirect: ['The host answered with a redirect that is not followed.', false],
  http_status: ['The host answered with an error.', (status: number) => RETRYABLE.has(status) || status >= 500],
  too_large: ['The response is larger than allowed.', false],
  unreadable: ['The content encoding of the response cannot be decoded.', false],
  aborted: ['The request was aborted.', true],
} as const;

const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

export type FetchFailure = keyof typeof REASONS;

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
    const [message, transient] = REASONS[reason];
    super(message, detail.cause === undefined ? {} : { cause: detail.cause });
    this.reason = reason;
    this.transient = typeof transient === 'boolean' ? transient : transient(detail.status ?? 0);
    if (detail.status !== undefined) this.status = detail.status;
    if (detail.retryAfterSeconds !== undefined) this.retryAfterSeconds = detail.retryAfterSeconds;
    this.#said = detail.excerpt;
  }
}
