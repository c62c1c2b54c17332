import type { FastifyRequest } from 'fastify';
import type { Search } from '../search/search-types.ts';
import type { Frame } from './frame.tsx';
import { type FormValues, ReportFields } from './report-form.tsx';

/** Only after a 422; nothing for other errors. */
export const rejectedReportForm =
  ({ search, frame }: { search: Search; frame: Frame }) =>
  async (status: number, request: FastifyRequest): Promise<JSX.Element> => {
    if (status !== 422 || request.routeOptions.url !== '/row/:record_id/report') return '';
    const [viewer, row] = await Promise.all([
      frame.viewer(request),
      search.row((request.params as { record_id: string }).record_id),
    ]);
    if (row === undefined || (row.hidden && !viewer.moderator)) return '';
    return <ReportFields row={row} action="report" values={request.body as FormValues} viewer={viewer} />;
  };
