import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { recordNotFound } from '../api-errors.ts';
import { RecordParams } from '../api-schema.ts';
import { isModerator } from '../auth/auth-guard.ts';
import type { Report, Reports } from '../reports/report.ts';
import { reportBody } from '../reports/responses.ts';
import { rowBody } from '../search/responses.ts';
import type { Row, Search } from '../search/search-types.ts';
import { ROW, RowBody } from './row-schema.ts';

/** `reports` are already redacted for the client. */
export type RowPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  it: { row: Row; reports: readonly Report[] },
) => Promise<FastifyReply>;

export function rowRoutes(app: Gateway, deps: { search: Search; reports: Reports; page: RowPage }): void {
  const { search, reports, page } = deps;

  app.get<{ Params: Static<typeof RecordParams> }>(
    '/row/:record_id',
    {
      config: { access: 'bearer', page: true },
      schema: {
        summary: 'Get a record',
        description:
          'With its reports: moderators see them in full, readers only action, status and time. HTML if `Accept` contains `text/html`.',
        operationId: 'readRow',
        tags: ['search'],
        params: RecordParams,
        response: {
          200: {
            ...describeResponse('The record.', RowBody, { photo: ROW }),
            content: {
              ...describeResponse('', RowBody, { photo: ROW }).content,
              'text/html': { schema: Type.String({ description: 'The record page.' }) },
            },
          },
          404: describeErrors(recordNotFound()),
        },
      },
    },
    async (request, reply) => {
      const row = await search.row(request.params.record_id);
      const moderator = isModerator(request);
      if (row === undefined || (row.hidden && !moderator)) throw recordNotFound();
      const all = await reports.listOfRecord(row.recordId);
      if (wantsPage(request.headers.accept)) {
        return page(request, reply, { row, reports: moderator ? all : all.map(withoutTexts) });
      }
      return { ...rowBody(row), reports: all.map(moderator ? reportBody : briefBody) };
    },
  );
}

/** Only moderators see the texts of a report. */
const withoutTexts = (report: Report): Report => ({ ...report, description: null, userInfo: null, resolverNote: null });

const briefBody = ({ id, actionType, status, createdAt }: Report) => ({
  id,
  action_type: actionType,
  status,
  created_at: createdAt.toISOString(),
});
