import { Word } from '../../csrf-word.tsx';
import { ACTIONS, type Report } from '../reports/report.ts';
import type { Row } from '../search/found.ts';
import type { Onlooker } from './frame.tsx';
import { Moment, Stranger } from './said.tsx';

/** Says what has become of a report that has just been sent: the route that takes the form adds it to the address. */
export interface Sent {
  readonly reported?: string;
  readonly receipt?: string;
}

/** "Report this", and the reports that there are. */
export function ReportForm(given: {
  row: Row;
  reports: readonly Report[];
  sent: Sent;
  onlooker: Onlooker;
}): JSX.Element {
  const { row, reports, sent, onlooker } = given;
  const { words } = onlooker;
  return (
    <section class="panel report" id="report" aria-labelledby="report-title">
      <h2 id="report-title" safe>
        {words.report}
      </h2>
      <Thanks sent={sent} onlooker={onlooker} />
      <p class="hint" safe>
        {words.reportWhy}
      </p>
      <ReportFields row={row} action={`${encodeURIComponent(row.recordId)}/report`} onlooker={onlooker} />
      <Known reports={reports} onlooker={onlooker} />
    </section>
  );
}

/** What somebody has written into the form already. */
export type Written = Readonly<Record<string, unknown>>;

/** The form itself; `action`: the way from the page to where it is sent. */
export function ReportFields(given: { row: Row; action: string; written?: Written; onlooker: Onlooker }): JSX.Element {
  const { row, action, written = {}, onlooker } = given;
  const { words, csrf } = onlooker;
  const { action_type: chosen, description, user_info: contact } = written;
  const known = ACTIONS.filter((one) => (one === 'restore') === row.hidden || one === 'other');
  return (
    <form method="post" action={action} class="fields">
      <Word csrf={csrf} />
      <label>
        <span safe>{words.action}</span>
        <select name="action_type" required>
          {/* Nobody is to ask for a deletion by having chosen nothing. */}
          <option value="" disabled selected={!known.some((one) => one === chosen)} safe>
            {words.chooseAction}
          </option>
          {known.map((one) => (
            <option value={one} selected={one === chosen} safe>
              {words.actions[one]}
            </option>
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
      <button type="submit" class="primary" safe>
        {words.send}
      </button>
    </form>
  );
}

function Thanks({ sent, onlooker }: { sent: Sent; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  const { reported, receipt } = sent;
  if (reported === undefined) return '';
  return (
    <div class="notice good" role="status" id="reported">
      <p safe>{receipt === undefined ? words.thanksAgain : words.thanks}</p>
      {receipt === undefined ? (
        ''
      ) : (
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

function Known({ reports, onlooker }: { reports: readonly Report[]; onlooker: Onlooker }): JSX.Element {
  const { words, language, moderator } = onlooker;
  if (reports.length === 0) return '';
  return (
    <>
      <h3 id="reports" safe>
        {words.reports}
      </h3>
      <ul class="known" aria-labelledby="reports">
        {reports.map(({ id, actionType, status, createdAt, description }) => (
          <li>
            <span class="state" data-status={status} safe>
              {words.reportStates[status]}
            </span>{' '}
            {moderator ? (
              <a href={`../admin/reports/${id}`} safe>
                {words.actions[actionType]}
              </a>
            ) : (
              <span safe>{words.actions[actionType]}</span>
            )}{' '}
            <span class="hint">
              <Moment at={createdAt} language={language} />
            </span>
            {description === null ? (
              ''
            ) : (
              <p dir="auto">
                <Stranger text={description} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
