import type { FetchFailed } from '../base/fetch-failed.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { UrlPolicy } from '../base/outbound-url.ts';
import { type SignedMessage, type SigningKeys, signWebhook } from './webhook-signature.ts';

export interface WebhookMessage {
  readonly url: string;
  /** The same for all attempts. */
  readonly deliveryId: string;
  readonly attempt: number;
  readonly event: string;
  readonly taskId: string;
  readonly body: string;
  readonly secret?: SignedMessage['secret'];
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface WebhookSenderDeps {
  readonly fetch: GuardedFetch;
  readonly policy: UrlPolicy;
  readonly signingKeys: SigningKeys;
  readonly timeoutMs: number;
}

/** Sends one attempt; returns the receiver's 2xx status and throws `FetchFailed` otherwise. */
export async function sendWebhook(deps: WebhookSenderDeps, message: WebhookMessage): Promise<number> {
  const { fetch, policy, signingKeys, timeoutMs } = deps;
  const { url, deliveryId, body, secret } = message;
  const { status } = await fetch(url, {
    policy,
    method: 'POST',
    body,
    headers: webhookHeaders(
      message,
      signWebhook({ id: deliveryId, timestamp: nowSeconds(), body, secret, ...signingKeys }),
    ),
    budgets: { headersMs: timeoutMs, totalMs: timeoutMs },
  });
  return status;
}

export function webhookHeaders(
  { event, taskId, deliveryId, attempt, requestId, traceparent }: Omit<WebhookMessage, 'url' | 'body' | 'secret'>,
  signature: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'assay-webhook/1',
    'x-service-event': event,
    'x-service-task-id': taskId,
    'x-service-delivery-id': deliveryId,
    'x-service-delivery-attempt': String(attempt),
    ...(requestId && { 'x-request-id': requestId }),
    ...(traceparent && { traceparent }),
    ...signature,
  };
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Failures whose details would tell clients about the response or this process. */
const HIDDEN: readonly string[] = ['too_large', 'unreadable', 'aborted'];

/** The reason shown to clients; contains no host and no response data. */
export function webhookErrorOf({ reason, status }: Pick<FetchFailed, 'reason' | 'status'>): string {
  if (status === 410) return 'gone';
  return HIDDEN.includes(reason) ? 'connect_error' : reason;
}
