import type { FastifyRequest } from 'fastify';
import { A, Button, H2, H3, Option, Textarea } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { type FormFields, KeptText, textIn } from '../../shared/rejected-form.tsx';
import { ACTIONS, type Report } from '../reports/report.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/search-types.ts';
import { Hint, ReportState, UntrustedParagraph } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { recordUrl } from './search-url.ts';

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

/** The filled form of a rejected report; nothing for other forms. */
export const rejectedReportForm =
  ({ search, frame }: { search: Search; frame: Frame }) =>
  async (status: number, values: FormFields, request: FastifyRequest): Promise<JSX.Element> => {
    if (request.routeOptions.url !== '/row/:record_id/report') return '';
    const viewer = frame.viewer(request);
    const { record_id: recordId } = request.params as { record_id: string };
    // Not for clients without access or above their rate limit, nor with an unavailable database.
    const readsRecord = viewer.visitor !== null && [403, 422].includes(status);
    const row = readsRecord ? await search.row(recordId) : undefined;
    const visible = row?.hidden === true && !viewer.moderator ? undefined : row;
    return (
      <>
        <KeptText status={status} language={viewer.language} />
        <ReportFields row={visible} action="report" values={values} viewer={viewer} />
        {status !== 401 && (
          <p>
            <A href={recordUrl('../../', recordId)} text={viewer.words.toReportedRecord} />
          </p>
        )}
      </>
    );
  };

/** `row` undefined: the record is not shown, so the form offers all actions. */
function ReportFields(props: {
  row: Row | undefined;
  action: string;
  values?: FormFields;
  viewer: Viewer;
}): JSX.Element {
  const { row, action, values = {}, viewer } = props;
  const { words, csrf } = viewer;
  const selected = textIn(values, 'action_type');
  const actions = ACTIONS.filter((one) => row === undefined || (one === 'restore') === row.hidden || one === 'other');
  return (
    <form id="report-form" method="post" action={action} class="fields">
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
        <Textarea name="description" rows="3" maxlength="4000" dir="auto" text={textIn(values, 'description')} />
      </label>
      <label>
        <span safe>{words.contact}</span>
        <input
          name="user_info"
          type="text"
          maxlength="1000"
          autocomplete="email"
          dir="auto"
          value={textIn(values, 'user_info')}
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
