import { rateLimitExceeded } from '../base/api-error.ts';
import { FetchFailed } from '../base/fetch-failed.ts';
import { sleep } from '../base/loop.ts';
import { isLoopback } from '../base/outbound-url.ts';
import { sendWebhook, type WebhookMessage, type WebhookSenderDeps, webhookErrorOf } from './send-webhook.ts';

/** The outcome of a test event. Without details for a receiver on this machine in production. */
export interface WebhookTestResult {
  readonly delivered: boolean;
  readonly statusCode?: number;
  readonly error?: string;
  readonly durationMs?: number;
}

/** Chosen: so that slow receivers cannot hold all connections of a gateway. */
const MAX_RUNNING = 20;
const RETRY_AFTER_SECONDS = 5;

export type WebhookTest = ReturnType<typeof createWebhookTest>;

/** Sends test events from this process, under the rules of callbacks. */
export function createWebhookTest(deps: Omit<WebhookSenderDeps, 'policy'> & { hideLoopbackDetails: boolean }) {
  let running = 0;
  return async (policy: WebhookSenderDeps['policy'], message: WebhookMessage): Promise<WebhookTestResult> => {
    if (running >= MAX_RUNNING) throw rateLimitExceeded(RETRY_AFTER_SECONDS);
    running++;
    const startedAt = performance.now();
    try {
      const result = await attempt({ ...deps, policy }, message);
      if (!deps.hideLoopbackDetails || !isLoopback(new URL(message.url).origin)) {
        return { ...result, durationMs: Math.round(performance.now() - startedAt) };
      }
      // The client sees the outcome at a time that does not depend on the receiver.
      await sleep(Math.max(0, startedAt + deps.timeoutMs - performance.now()));
      return result.delivered ? { delivered: true } : { delivered: false, error: 'undelivered' };
    } finally {
      running--;
    }
  };
}

async function attempt(deps: WebhookSenderDeps, message: WebhookMessage): Promise<WebhookTestResult> {
  try {
    return { delivered: true, statusCode: await sendWebhook(deps, message) };
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    const { status } = error;
    return { delivered: false, error: webhookErrorOf(error), ...(status !== undefined && { statusCode: status }) };
  }
}
