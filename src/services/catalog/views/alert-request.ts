import { parse } from 'node:querystring';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { unauthorized } from '../../../base/api-error.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from '../../../base/outbound-url.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { Url } from '../../shared/task-schema.ts';
import type { NewAlert } from '../alerts/alert.ts';
import { requireVisitor } from '../auth/auth-guard.ts';
import { FilterQuery, filtersFrom, readFilterForm } from '../search/filter-query.ts';

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

/** Throws 401 without a token, and 422 for an invalid URL or a view whose query is not valid or has `duplicates`. */
export async function alertFrom(
  request: FastifyRequest,
  query: string,
  { webhook_url: webhookUrl, secret }: Static<typeof AlertRequest>,
  { webhooks, seal }: AlertDeps,
): Promise<NewAlert> {
  const visitor = requireVisitor(request);
  if (visitor.by === 'open') throw unauthorized();
  if (webhookUrl !== undefined) checkWebhookUrl(webhookUrl, webhooks);
  const search = { query: { ...parse(query) } };
  await readFilterForm(search as unknown as FastifyRequest);
  // Converts numbers and booleans, as the search does.
  if (!request.validateInput(search.query, FilterQuery, 'querystring')) throw invalidQuery(query, INVALID_FILTERS);
  const filters = filtersFrom(search.query as FilterQuery, visitor);
  // Pictures are compared after the record is written, and the comparison changes records of earlier photos too.
  if (filters.duplicates !== undefined) throw invalidQuery(query, 'An alert cannot have the filter `duplicates`');
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

const INVALID_FILTERS = 'An alert needs a query string whose filters are valid';

const invalidQuery = (query: string, msg: string) =>
  new InvalidInput([{ loc: ['body', 'query'], type: 'value_error', input: query.slice(0, 200), msg }]);
