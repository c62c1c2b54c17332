import { unixSeconds } from '../../base/time.ts';
import type { Webhook } from '../../tasks/task.ts';

export const webhookFields = (webhook: Webhook) => ({
  delivery_id: webhook.deliveryId,
  ...(webhook.lastAttemptAt && { last_attempt_at: unixSeconds(webhook.lastAttemptAt) }),
  ...(webhook.nextAttemptAt && { next_attempt_at: unixSeconds(webhook.nextAttemptAt) }),
  ...(webhook.deliveredAt && { delivered_at: unixSeconds(webhook.deliveredAt) }),
  ...(webhook.lastError !== undefined && { last_error: webhook.lastError }),
});
