import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { isUnavailable } from '../../../base/db-errors.ts';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { recordNotFound } from '../api-errors.ts';
import { nullable, RecordParams } from '../api-schema.ts';
import { isModerator } from '../auth/auth-guard.ts';
import type { Reports } from '../reports/postgres.ts';
import type { Report } from '../reports/report.ts';
import { reportBody } from '../reports/responses.ts';
import { HitBody, rowBody, SimilarBody, similarBody } from '../search/responses.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/search-types.ts';
import type { SimilarHit } from '../search/similar.ts';
import { Report as ReportBody } from './report-schema.ts';

/** @public Read by scripts/client-types.mjs. */
export const RowBody = Type.Object({
  ...HitBody.properties,
  text: Type.String({ description: 'The searchable text besides the title.' }),
  result: Type.Object({}, { additionalProperties: true, description: 'The result in the format of its service.' }),
  /** As readers see them. */
  reports: Type.Array(
    Type.Pick(ReportBody, ['id', 'action_type', 'status', 'created_at'], { additionalProperties: true }),
  ),
  neighbours: Type.Object({ prev: nullable(Type.String()), next: nullable(Type.String()) }),
});

const ROW = {
  record_id: 'defectoscopy:01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
  service: 'defectoscopy',
  task_id: '01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
  status: 'done',
  created_at: '2026-11-20T09:30:00.000Z',
  title: 'wall-17.jpg',
  snippet: 'concrete crack',
  text: 'concrete crack',
  surface: 'concrete',
  master: { name: 'cracks', conf: 0.93 },
  defects: [{ name: 'crack', conf: 0.91 }],
  image: { url: '/image/defectoscopy%3A01JQ8Z5V3N6T9W2X4Y7A1B3C5D', width: 1024, height: 768 },
  open_reports: 1,
  hidden: false,
  result: { surface: 'concrete', masters: [{ name: 'cracks', conf: 0.93 }], defects: [{ name: 'crack', conf: 0.91 }] },
  reports: [
    {
      id: 'rep_01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
      action_type: 'hide',
      status: 'open',
      created_at: '2026-11-20T10:00:00.000Z',
    },
  ],
  neighbours: { prev: 'stt:01JQ8Z5V3N6T9W2X4Y7A1B3C5C', next: null },
};

const SHOWN_SIMILAR = 6;
/** The page is sent without similar pictures then. */
const SIMILAR_LIMIT_MS = 1000;

/** Undefined when the search takes too long. */
async function findShown(search: Search, recordId: string): Promise<readonly SimilarHit[] | undefined> {
  try {
    const options = { limit: SHOWN_SIMILAR, group: true, hidden: true, limitMs: SIMILAR_LIMIT_MS };
    return (await search.similar(recordId, options)) ?? [];
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return undefined;
  }
}

/** `reports` are already redacted for the client. */
export type RowPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  it: { row: Row; reports: readonly Report[]; similar: readonly SimilarHit[] | undefined },
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
        const similar = row.image === null ? [] : await findShown(search, row.recordId);
        return page(request, reply, { row, reports: moderator ? all : all.map(withoutTexts), similar });
      }
      return { ...rowBody(row), reports: all.map(moderator ? reportBody : briefBody) };
    },
  );

  app.get<{ Params: Static<typeof RecordParams>; Querystring: Static<typeof SimilarQuery> }>(
    '/row/:record_id/similar',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Find records with similar pictures',
        description: 'Empty for records without a photo. Excludes hidden records.',
        operationId: 'findSimilar',
        tags: ['search'],
        params: RecordParams,
        querystring: SimilarQuery,
        response: {
          200: describeResponse('The most similar records.', SimilarBody),
          404: describeErrors(recordNotFound()),
        },
      },
    },
    async (request) => {
      const options = { ...request.query, hidden: isModerator(request) };
      const items = await search.similar(request.params.record_id, options);
      if (items === undefined) throw recordNotFound();
      return { items: items.map(similarBody) };
    },
  );
}

export const SimilarQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 12 }),
  group: Type.Boolean({ default: false, description: 'Whether to return one record of each photo, with `copies`.' }),
});

/** Only moderators see the texts of a report. */
const withoutTexts = (report: Report): Report => ({ ...report, description: null, userInfo: null, resolverNote: null });

const briefBody = ({ id, actionType, status, createdAt }: Report) => ({
  id,
  action_type: actionType,
  status,
  created_at: createdAt.toISOString(),
});
