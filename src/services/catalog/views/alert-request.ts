import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { unauthorized } from '../../../base/api-error.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from '../../../base/outbound-url.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { Url } from '../../shared/task-schema.ts';
import type { NewAlert } from '../alerts/alert.ts';
import { requireVisitor } from '../auth/auth-guard.ts';
import type { Filters } from '../search/search-types.ts';

export const AlertRequest = Type.Object({
  webhook_url: Type.Optional(Url('Receives `view.matched`; https, or http to this machine. Absent: only the feed.')),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Signs the webhook (Standard Webhooks, `v1`). It is never returned.',
    }),
  ),
});

export interface AlertDeps {
  readonly webhooks: UrlPolicy;
  readonly seal: (secret: string) => Buffer;
}

/** Throws 401 without a token, and 422 for an invalid URL or `duplicates` in the filters of the view. */
export function alertFrom(
  request: FastifyRequest,
  filters: Filters,
  { webhook_url: webhookUrl, secret }: Static<typeof AlertRequest>,
  { webhooks, seal }: AlertDeps,
): NewAlert {
  if (requireVisitor(request).by === 'open') throw unauthorized();
  if (webhookUrl !== undefined) checkWebhookUrl(webhookUrl, webhooks);
  // Pictures are compared after the record is written, and the comparison changes records of earlier photos too.
  if (filters.duplicates !== undefined) {
    const msg = 'An alert cannot have the filter `duplicates`';
    throw new InvalidInput([{ loc: ['body', 'query', 'duplicates'], msg, type: 'value_error' }]);
  }
  return { filters, webhookUrl, secret: secret === undefined ? undefined : seal(secret) };
}

function checkWebhookUrl(url: string, policy: UrlPolicy): void {
  try {
    checkUrl(url, policy);
  } catch (error) {
    if (!(error instanceof UrlRejected)) throw error;
    throw new InvalidInput([{ loc: ['body', 'alert', 'webhook_url'], msg: error.message, type: 'url_parsing' }]);
  }
}
