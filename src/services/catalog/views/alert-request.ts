import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { unauthorized } from '../../../base/api-error.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from '../../../base/outbound-url.ts';
import { type Detail, InvalidInput, missingField } from '../../../http/validation-details.ts';
import { Url } from '../../shared/task-schema.ts';
import { WebhookSecret } from '../../shared/webhook-secret.ts';
import type { NewAlert } from '../alerts/alert.ts';
import { requireVisitor } from '../auth/auth-guard.ts';
import type { Filters } from '../search/search-types.ts';
import { readViewQuery } from './view-query.ts';
import type { View } from './views.ts';

export const AlertRequest = Type.Object({
  webhook_url: Type.Optional(Url('Receives `view.matched`; https, or http to this machine. Absent: only the feed.')),
  secret: Type.Optional(
    WebhookSecret('Signs the webhook (Standard Webhooks, `v1`); requires `webhook_url`. It is never returned.'),
  ),
});

export interface AlertDeps {
  readonly webhooks: UrlPolicy;
  readonly seal: (secret: string) => Buffer;
}

/** Throws 401 without a token, and 422 for an invalid URL, a secret without a URL or `duplicates` in the filters of the view. */
export function alertFrom(
  request: FastifyRequest,
  filters: Filters,
  { webhook_url: webhookUrl, secret }: Static<typeof AlertRequest>,
  { webhooks, seal }: AlertDeps,
  queryAt: Detail['loc'] = ['body', 'query', 'duplicates'],
): NewAlert {
  if (requireVisitor(request).by === 'open') throw unauthorized();
  if (webhookUrl !== undefined) checkWebhookUrl(webhookUrl, webhooks);
  else if (secret !== undefined)
    throw new InvalidInput([{ ...missingField(URL_AT), msg: 'Field required with a secret' }]);
  // Pictures are compared after the record is written, and the comparison changes records of earlier photos too.
  if (filters.duplicates !== undefined) {
    const msg = 'An alert cannot have the filter `duplicates`';
    throw new InvalidInput([{ loc: queryAt, msg, type: 'value_error' }]);
  }
  return { filters, webhookUrl, secret: secret === undefined ? undefined : seal(secret) };
}

const URL_AT = ['body', 'alert', 'webhook_url'];
/** The request has no query. */
const STORED = ['path', 'id'];

/** Like {@link alertFrom}, for a stored view. An earlier version may have stored a query that is refused now. */
export async function alertOfView(
  request: FastifyRequest,
  { query }: View,
  requested: Static<typeof AlertRequest>,
  deps: AlertDeps,
): Promise<NewAlert> {
  const filters = await readViewQuery(request, query).catch((error: unknown) => {
    throw error instanceof InvalidInput ? new InvalidInput(error.details.map(storedQueryInvalid)) : error;
  });
  return alertFrom(request, filters, requested, deps, STORED);
}

function storedQueryInvalid({ loc: [, , ...names], msg }: Detail): Detail {
  const parameter = names.join('.');
  return {
    loc: STORED,
    msg: `The search no longer accepts the query of this view: delete the view and save the search again. ${parameter}: ${msg}`,
    type: 'stored_query_invalid',
    ctx: { parameter },
  };
}

function checkWebhookUrl(url: string, policy: UrlPolicy): void {
  try {
    checkUrl(url, policy);
  } catch (error) {
    if (!(error instanceof UrlRejected)) throw error;
    throw new InvalidInput([{ loc: URL_AT, msg: error.message, type: 'url_parsing' }]);
  }
}
