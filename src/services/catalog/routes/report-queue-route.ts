import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { forbidden } from '../api-errors.ts';
import type { Reports } from '../reports/postgres.ts';
import type { Report, ReportFilters, Status } from '../reports/report.ts';
import { reportBody } from '../reports/responses.ts';
import { filtersFrom, ignoreEmpty } from '../search/filter-query.ts';
import { type FilterParameters, QueueAnswer, QueueQuery, REPORT } from './report-schema.ts';

export interface Queue {
  /** Of all reports, without filters. */
  readonly counts: Record<Status, number>;
  readonly items: readonly Report[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** No status: all. */
  readonly filters: ReportFilters;
}

export type QueuePage = (request: FastifyRequest, reply: FastifyReply, queue: Queue) => unknown;

export function queueRoute(
  app: Gateway,
  { reports, queuePage }: { readonly reports: Reports; readonly queuePage: QueuePage },
): void {
  app.get<{ Querystring: Static<typeof QueueQuery> }>(
    '/admin/reports',
    {
      config: { access: 'moderator', page: true },
      preValidation: ignoreEmpty,
      schema: {
        tags: ['reports'],
        summary: 'List the reports to decide, oldest first',
        description: 'HTML for browsers. The default `status` is `open`; `all` lists all reports.',
        operationId: 'readQueue',
        querystring: QueueQuery,
        response: {
          200: describeResponse('One page of reports, and the number of reports per status.', QueueAnswer, {
            one: {
              counts: { open: 1, in_review: 0, accepted: 4, rejected: 2, duplicate: 0 },
              ...{ items: [REPORT], total: 1, page: 1, limit: 50 },
            },
          }),
          403: describeErrors(forbidden()),
        },
      },
    },
    async (request, reply) => {
      const { page, limit, status, ...parameters } = request.query;
      const filters = reportFilters({ ...parameters, ...(status !== 'all' && { status }) });
      const [counts, { items, total }] = await Promise.all([
        reports.counts(),
        reports.list(filters, { page, limit, sort: 'oldest' }),
      ]);
      void reply.header('vary', 'Accept');
      if (wantsPage(request.headers.accept)) {
        return queuePage(request, reply, { counts, items, total, page, limit, filters });
      }
      return { counts, items: items.map(reportBody), total, page, limit };
    },
  );
}

/** Throws `InvalidInput`. */
export function reportFilters(parameters: FilterParameters): ReportFilters {
  const { status, action_type: actionType, record_id: recordId, q, ...period } = parameters;
  const { from, to } = filtersFrom(period, null);
  return omitUndefined({ status, actionType, recordId, q, from, to });
}
