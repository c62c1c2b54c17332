import { Type } from 'typebox';
import { WEBHOOK_SECRET } from '../../http/text-patterns.ts';

// The minimum of Standard Webhooks.
export const MIN_WEBHOOK_SECRET_BYTES = 24;

/** Whether a configured secret, given without `whsec_`, is valid. */
export const isWebhookSecret = (base64: string): boolean =>
  WEBHOOK_SECRET.test(`whsec_${base64}`) && Buffer.from(base64, 'base64').length >= MIN_WEBHOOK_SECRET_BYTES;

/** The secret of a request: any text, or `whsec_` and base64. */
export const WebhookSecret = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: WEBHOOK_SECRET.source,
    description: `${description} Base64 after the prefix \`whsec_\`, otherwise any text.`,
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
