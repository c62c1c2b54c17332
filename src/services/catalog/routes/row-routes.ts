import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { wantsPage } from '../../../http/accept.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isModerator } from '../access/door.ts';
import { recordNotFound } from '../refusals.ts';
import type { Report, Reports } from '../reports/report.ts';
import { reportBody } from '../reports/wire.ts';
import { RecordParams } from '../schema-http.ts';
import type { Row, Search } from '../search/found.ts';
import { rowBody } from '../search/wire.ts';
import { ROW, RowBody } from './row-schema.ts';

/** The page of a record, with those of its reports, and of them that, which this visitor may see. */
export type RowPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  it: { row: Row; reports: readonly Report[] },
) => Promise<FastifyReply>;

/** One record with all that is known of it: a page for people, JSON for programs. */
export function rowRoutes(app: Gateway, needs: { search: Search; reports: Reports; page: RowPage }): void {
  const { search, reports, page } = needs;

  app.get<{ Params: Static<typeof RecordParams> }>(
    '/row/:record_id',
    {
      config: { access: 'bearer', page: true },
      schema: {
        summary: 'One record',
        description:
          'With its reports: moderators see all of them, readers what was asked for and what came of it. A page where `Accept` names `text/html`.',
        operationId: 'readRow',
        tags: ['search'],
        params: RecordParams,
        response: {
          200: {
            ...answer('The record.', RowBody, { photo: ROW }),
            content: {
              ...answer('', RowBody, { photo: ROW }).content,
              'text/html': { schema: Type.String({ description: 'For people.' }) },
            },
          },
          404: refusal(recordNotFound()),
        },
      },
    },
    async (request, reply) => {
      const row = await search.row(request.params.record_id);
      const moderator = isModerator(request);
      if (row === undefined || (row.hidden && !moderator)) throw recordNotFound();
      const all = await reports.ofRecord(row.recordId);
      if (wantsPage(request.headers.accept)) {
        return page(request, reply, { row, reports: moderator ? all : all.map(asReadersSee) });
      }
      return { ...rowBody(row), reports: all.map(moderator ? reportBody : briefly) };
    },
  );
}

/** What a reporter wrote, and about himself, is between him and the moderators. */
const asReadersSee = (report: Report): Report => ({ ...report, description: null, userInfo: null, resolverNote: null });

const briefly = ({ id, actionType, status, createdAt }: Report) => ({
  id,
  action_type: actionType,
  status,
  created_at: createdAt.toISOString(),
});
