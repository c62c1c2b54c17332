// The minimum of Standard Webhooks.
export const MIN_WEBHOOK_SECRET_BYTES = 24;

/** Whether the part of a signing secret after `whsec_` is valid. Node ignores invalid base64; other libraries do not. */
export const isWebhookSecret = (base64: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(base64) &&
  base64.length % 4 === 0 &&
  Buffer.from(base64, 'base64').length >= MIN_WEBHOOK_SECRET_BYTES;
