import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { unauthorized } from '../../../base/api-error.ts';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { parseIfMatch } from '../../../http/if-match.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { forbidden, invalidTransition, reportChanged, reportNotFound } from '../api-errors.ts';
import type { Reports } from '../reports/postgres.ts';
import type { ChangeResult, Report } from '../reports/report.ts';
import { eventBody, reportBody } from '../reports/responses.ts';
import { ignoreEmpty } from '../search/filter-query.ts';
import { type CreateDeps, createRoutes, REPORT_BYTES } from './report-create-routes.ts';
import { type QueuePage, queueRoute, reportFilters } from './report-queue-route.ts';
import * as schema from './report-schema.ts';

type Params = Static<typeof schema.ReportParams>;

/** Reports: docs/specification.md#catalog-and-reports. */
export async function reportRoutes(app: Gateway, deps: CreateDeps & { readonly queuePage: QueuePage }): Promise<void> {
  await createRoutes(app, deps);
  queueRoute(app, deps);
  changeRoute(app, deps);
  readRoutes(app, deps);
}

const described = { tags: ['reports'], params: schema.ReportParams };
const etag = { ETag: 'The version, for `If-Match`.' };
const tagOf = ({ version }: Report) => `"${version}"`;

function changeRoute(app: Gateway, { reports }: { reports: Reports }): void {
  app.patch<{ Params: Params; Body: Static<typeof schema.ReportPatch> }>(
    '/reports/:report_id',
    {
      config: { access: 'moderator' },
      bodyLimit: REPORT_BYTES,
      schema: {
        ...described,
        summary: 'Decide or reopen a report',
        description:
          'From `open` and `in_review` to any other status; a decided report only back to `open`, with a note. ' +
          'Accepting a `delete`, `hide` or `restore` hides or shows the record; reopening the report undoes it. ' +
          'A repeated decision of the same moderator changes nothing. The audit trail records every attempt.',
        operationId: 'patchReport',
        shown: { headers: { 'If-Match': 'The expected version.' } },
        body: schema.ReportPatch,
        response: {
          200: describeResponse('The updated report.', schema.Report, { accepted: schema.ACCEPTED }, etag),
          403: describeErrors(forbidden(), csrfFailed()),
          404: describeErrors(reportNotFound()),
          409: describeErrors(invalidTransition(transitionMessage('rejected', schema.ACCEPTED), schema.ACCEPTED)),
          412: describeErrors(reportChanged(schema.ACCEPTED)),
        },
      },
    },
    async (request, reply) => {
      const { status, resolver_note: note } = request.body;
      if (status === undefined && note === undefined) throw new InvalidInput([missingField(['body', 'status'])]);
      const { principal: actor, id: requestId } = request;
      const ifVersion = parseIfMatch(request.headers['if-match']);
      const change = omitUndefined({ status, note, ifVersion, actor, requestId });
      const report = unwrapChange(await reports.change(request.params.report_id, change), status);
      return reply.header('etag', tagOf(report)).send(reportBody(report));
    },
  );
}

/** Throws the error of a rejected change. `status`: the requested one. */
export function unwrapChange(changed: ChangeResult | undefined, status: string | undefined): Report {
  if (changed === undefined) throw reportNotFound();
  const { outcome, report } = changed;
  switch (outcome) {
    case 'changed':
    case 'unchanged':
      return report;
    case 'forbidden':
      throw invalidTransition(transitionMessage(status ?? report.status, report), reportBody(report));
    case 'needs-note':
      throw new InvalidInput([missingField(['body', 'resolver_note'])]);
    case 'stale':
      throw reportChanged(reportBody(report));
  }
}

const transitionMessage = (to: string, { status }: { status: string }) =>
  to === status
    ? `Another moderator has already set the status ${to}.`
    : `The report is ${status}. To set it to ${to}, reopen it first: "status": "open" with a "resolver_note".`;

function readRoutes(app: Gateway, { reports }: { reports: Reports }): void {
  app.get<{ Querystring: Static<typeof schema.ListQuery> }>(
    '/reports',
    {
      config: { access: 'moderator' },
      preValidation: ignoreEmpty,
      schema: {
        tags: described.tags,
        summary: 'List reports',
        operationId: 'listReports',
        querystring: schema.ListQuery,
        response: {
          200: describeResponse('One page of reports.', schema.ReportList, {
            one: { items: [schema.REPORT], total: 1, page: 1, limit: 50 },
          }),
          403: describeErrors(forbidden()),
        },
      },
    },
    async (request) => {
      const { page, limit, sort, ...parameters } = request.query;
      const { items, total } = await reports.list(reportFilters(parameters), { page, limit, sort });
      return { items: items.map(reportBody), total, page, limit };
    },
  );

  app.get<{ Params: Params; Querystring: Static<typeof schema.ReceiptQuery> }>(
    '/reports/:report_id',
    {
      config: { access: 'visitor' },
      onRequest: requireModeratorOrReceipt,
      schema: {
        ...described,
        summary: 'Get a report',
        description: 'Requires a moderator token or the receipt of the report.',
        operationId: 'readReport',
        querystring: schema.ReceiptQuery,
        security: [{ bearer: [] }, {}],
        response: {
          200: describeResponse('The report.', schema.Report, { open: schema.REPORT, accepted: schema.ACCEPTED }, etag),
          401: describeErrors(unauthorized()),
          403: describeErrors(forbidden()),
          404: describeErrors(reportNotFound()),
        },
      },
    },
    async (request, reply) => {
      const { report_id: id } = request.params;
      const { receipt } = request.query;
      const report = await (receipt === undefined ? reports.find(id) : reports.byReceipt(id, receipt));
      if (report === undefined) throw reportNotFound();
      return reply.header('etag', tagOf(report)).send(reportBody(report));
    },
  );

  app.get<{ Params: Params }>(
    '/reports/:report_id/events',
    {
      config: { access: 'moderator' },
      schema: {
        ...described,
        summary: 'Get the audit trail of a report',
        description:
          'Oldest first, with rejected changes. The events of all reports form one hash chain; `assay audit verify` checks it.',
        operationId: 'readReportEvents',
        response: {
          200: describeResponse('All events of the report.', schema.EventList, {
            created: { items: [schema.EVENT], total: 1 },
          }),
          403: describeErrors(forbidden()),
          404: describeErrors(reportNotFound()),
        },
      },
    },
    async (request) => {
      const events = await reports.events(request.params.report_id);
      if (events === undefined) throw reportNotFound();
      return { items: events.map(eventBody), total: events.length };
    },
  );
}

/** Runs before the validation of the request. */
async function requireModeratorOrReceipt(request: FastifyRequest): Promise<void> {
  if ((request.query as { receipt?: unknown }).receipt !== undefined) return;
  if (request.reader === null || request.reader.by === 'open') throw unauthorized();
  if (request.reader.role !== 'moderator') throw forbidden();
}
