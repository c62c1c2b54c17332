import { type Static, Type } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { H1 } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { reportNotFound } from '../api-errors.ts';
import type { Reports } from '../reports/postgres.ts';
import type { Report } from '../reports/report.ts';
import { ReportParams } from '../routes/report-schema.ts';
import { fact, Hint, ReportState, UntrustedText } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';

const Query = Type.Object({ receipt: Type.String({ maxLength: 200, default: '' }) });

export function receiptPage(app: Gateway, { reports, frame }: { reports: Reports; frame: Frame }): void {
  app.get<{ Params: Static<typeof ReportParams>; Querystring: Static<typeof Query> }>(
    '/receipt/:report_id',
    { config: { access: 'public', page: true }, schema: { hide: true, params: ReportParams, querystring: Query } },
    async (request, reply) => {
      const report = await reports.byReceipt(request.params.report_id, request.query.receipt);
      if (report === undefined) throw reportNotFound();
      const viewer = frame.viewer(request);
      return frame.send(reply, viewer, {
        title: viewer.words.receipt,
        root: '../',
        children: <Receipt report={report} viewer={viewer} />,
      });
    },
  );
}

function Receipt({ report, viewer: { words, language } }: { report: Report; viewer: Viewer }): JSX.Element {
  const { status, actionType, description, resolverNote, createdAt, resolvedAt } = report;
  return (
    <section class="panel values receipt" aria-labelledby="receipt-title">
      <H1 id="receipt-title" text={words.receipt} />
      <dl class="facts">
        {fact(words.state, <ReportState status={status} words={words} />)}
        {fact(words.recordId, <UntrustedText text={report.recordId} />)}
        {fact(words.action, <span safe>{words.actions[actionType]}</span>)}
        {description !== null && fact(words.description, <UntrustedText text={description} />)}
        {fact(words.reportedAt, <Timestamp at={createdAt} language={language} />)}
        {resolvedAt !== null && fact(words.resolved, <Timestamp at={resolvedAt} language={language} />)}
        {resolverNote !== null && fact(words.note, <UntrustedText text={resolverNote} />)}
      </dl>
      <Hint text={words.receiptHint} />
    </section>
  );
}
