import type { FastifyRequest } from 'fastify';
import { A, Button, H2, H3, Option } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { ACTIONS, type Report } from '../reports/report.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/search-types.ts';
import { Hint, ReportState, UntrustedParagraph } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';

/** Query parameters of the redirect. No receipt: an earlier report was kept. */
export interface SubmittedReport {
  readonly reported?: string;
  readonly receipt?: string;
}

export function ReportForm(props: {
  row: Row;
  reports: readonly Report[];
  submitted: SubmittedReport;
  viewer: Viewer;
}): JSX.Element {
  const { row, reports, submitted, viewer } = props;
  const { words } = viewer;
  return (
    <section class="panel report" id="report" aria-labelledby="report-title">
      <H2 id="report-title" text={words.report} />
      <Confirmation sent={submitted} viewer={viewer} />
      <Hint text={words.reportWhy} />
      <ReportFields row={row} action={`${encodeURIComponent(row.recordId)}/report`} viewer={viewer} />
      <ExistingReports reports={reports} viewer={viewer} />
    </section>
  );
}

type FormValues = Readonly<Record<string, unknown>>;

/** Only after a 422; nothing for other errors. */
export const rejectedReportForm =
  ({ search, frame }: { search: Search; frame: Frame }) =>
  async (status: number, request: FastifyRequest): Promise<JSX.Element> => {
    if (status !== 422 || request.routeOptions.url !== '/row/:record_id/report') return '';
    const viewer = frame.viewer(request);
    const row = await search.row((request.params as { record_id: string }).record_id);
    if (row === undefined || (row.hidden && !viewer.moderator)) return '';
    return <ReportFields row={row} action="report" values={request.body as FormValues} viewer={viewer} />;
  };

function ReportFields(props: { row: Row; action: string; values?: FormValues; viewer: Viewer }): JSX.Element {
  const { row, action, values = {}, viewer } = props;
  const { words, csrf } = viewer;
  const { action_type: selected, description, user_info: contact } = values;
  const actions = ACTIONS.filter((one) => (one === 'restore') === row.hidden || one === 'other');
  return (
    <form method="post" action={action} class="fields">
      <CsrfInput csrf={csrf} />
      <label>
        <span safe>{words.action}</span>
        <select name="action_type" required>
          {/* No preselected action: the first one is a deletion. */}
          <Option value="" disabled selected={!actions.some((one) => one === selected)} text={words.chooseAction} />
          {actions.map((one) => (
            <Option value={one} selected={one === selected} text={words.actions[one]} />
          ))}
        </select>
      </label>
      <label>
        <span safe>{words.description}</span>
        <textarea name="description" rows="3" maxlength="4000" dir="auto" safe>
          {typeof description === 'string' ? description : ''}
        </textarea>
      </label>
      <label>
        <span safe>{words.contact}</span>
        <input
          name="user_info"
          type="text"
          maxlength="1000"
          autocomplete="email"
          dir="auto"
          value={typeof contact === 'string' ? contact : ''}
        />
      </label>
      <Button type="submit" class="primary" text={words.send} />
    </form>
  );
}

function Confirmation({ sent, viewer: { words } }: { sent: SubmittedReport; viewer: Viewer }): JSX.Element {
  const { reported, receipt } = sent;
  if (reported === undefined) return '';
  return (
    <div class="notice good" role="status" id="report-confirmation">
      <p safe>{receipt === undefined ? words.thanksAgain : words.thanks}</p>
      {receipt !== undefined && (
        <p>
          <a
            id="receipt-link"
            href={`../receipt/${encodeURIComponent(reported)}?${new URLSearchParams({ receipt })}`}
            safe
          >
            {words.receiptLink}
          </a>
        </p>
      )}
    </div>
  );
}

function ExistingReports({ reports, viewer }: { reports: readonly Report[]; viewer: Viewer }): JSX.Element {
  const { words, language, moderator } = viewer;
  if (reports.length === 0) return '';
  return (
    <>
      <H3 id="reports" text={words.reports} />
      <ul class="existing-reports" aria-labelledby="reports">
        {reports.map(({ id, actionType, status, createdAt, description }) => (
          <li>
            <ReportState status={status} words={words} />{' '}
            {moderator ? (
              <A href={`../admin/reports/${id}`} text={words.actions[actionType]} />
            ) : (
              <span safe>{words.actions[actionType]}</span>
            )}{' '}
            <span class="hint">
              <Timestamp at={createdAt} language={language} />
            </span>
            {description !== null && <UntrustedParagraph text={description} />}
          </li>
        ))}
      </ul>
    </>
  );
}
