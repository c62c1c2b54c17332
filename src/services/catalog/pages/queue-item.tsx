import type { FastifyRequest } from 'fastify';
import { fill } from '../../../ui/browser/fill.ts';
import { A, Label, Span, Textarea } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { type FormFields, KeptText, textIn } from '../../shared/rejected-form.tsx';
import { type Report, STATUSES, type Status } from '../reports/report.ts';
import { TRANSITIONS } from '../reports/transitions.ts';
import type { Row } from '../search/search-types.ts';
import {
  classTitle,
  formatScore,
  Hint,
  ReportState,
  recordTitle,
  UntrustedParagraph,
  UntrustedText,
} from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { Attributes, textOf } from './row-import.tsx';
import { recordUrl } from './search-url.ts';
import { Thumbnail } from './thumbnail.tsx';
import { truncateAtWord } from './untrusted-text.ts';

const KEYS: Readonly<Record<Status, string>> = {
  ...{ accepted: 'a', rejected: 'r', duplicate: 'd', in_review: 'i', open: 'o' },
};

export function QueueItem(props: {
  report: Report;
  /** Undefined: not in the catalog. */
  row: Row | undefined;
  root: '../' | '../../';
  viewer: Viewer;
  alone?: boolean;
  /** Of a rejected decision. */
  note?: string | undefined;
}): JSX.Element {
  const { report, row, root, viewer, alone = false, note = '' } = props;
  const { words, language } = viewer;
  const { id, status, actionType, description, userInfo, resolverNote, createdAt, recordId } = report;
  return (
    <article class="report-item panel" id={id} data-status={status} data-record={recordId} tabindex="0">
      <div class="thumb">{row !== undefined && <Thumbnail hit={row} root={root} viewer={viewer} />}</div>
      <div class="report-body">
        <h2>
          <a class="name record" href={recordUrl(root, recordId)} dir="auto">
            <UntrustedText text={row === undefined ? recordId : recordTitle(row, language)} />
          </a>
        </h2>
        {row === undefined ? <Hint text={words.gone} /> : <QueueRecord row={row} viewer={viewer} />}
        <p class="requested-action">
          <strong safe>{words.actions[actionType]}</strong> <ReportState status={status} words={words} />
          {row?.hidden === true && (
            <>
              {' '}
              <Span class="mark bad" text={words.isHidden} />
            </>
          )}
        </p>
        {description !== null && <UntrustedParagraph class="prose" text={description} />}
        {resolverNote !== null && (
          <p class="hint" dir="auto">
            <span safe>{words.note}</span>: <UntrustedText text={resolverNote} />
          </p>
        )}
        <p class="hint">
          <Timestamp at={createdAt} language={language} />
          {userInfo !== null && (
            <>
              {' · '}
              <bdi safe>{fill(words.by, { who: '' }).trim()}</bdi> <UntrustedText text={userInfo} />
            </>
          )}
          {!alone && (
            <>
              {' · '}
              <A class="audit-trail-link" href={`reports/${id}`} text={words.trail} />
            </>
          )}
        </p>
        <Decisions report={report} alone={alone} note={note} viewer={viewer} />
      </div>
    </article>
  );
}

function Decisions(props: { report: Report; alone: boolean; note: string; viewer: Viewer }): JSX.Element {
  const { report, alone, note, viewer } = props;
  const { words, csrf } = viewer;
  const { id, status } = report;
  const label = (to: Status) => (status === 'in_review' && to === 'open' ? words.putBack : words.decide[to]);
  return (
    <form class="decision-form" method="post" action={alone ? id : `reports/${id}`}>
      <CsrfInput csrf={csrf} />
      <NoteField id={id} note={note} viewer={viewer} />
      <div class="buttons">
        {TRANSITIONS[status].map((to) => (
          <button type="submit" name="status" value={to} class={`small ${to === 'accepted' ? 'primary' : ''}`}>
            <span safe>{label(to)}</span>
            {!alone && (
              <kbd class="needs-script" safe>
                {KEYS[to]}
              </kbd>
            )}
          </button>
        ))}
      </div>
      <p class="outcome-line" role="status"></p>
    </form>
  );
}

function NoteField({ id, note, viewer: { words } }: { id: string; note: string; viewer: Viewer }): JSX.Element {
  const attributes = { id: `note-${id}`, name: 'note', maxlength: '4000', placeholder: words.noteLabel, dir: 'auto' };
  return (
    <>
      <Label class="visually-hidden" for={`note-${id}`} text={words.noteLabel} />
      {/* A textarea, because Enter in an input would submit the form with its first button. */}
      <Textarea {...attributes} rows={note === '' ? '1' : '3'} text={note} />
    </>
  );
}

/** The note of a rejected decision, without data of the report; nothing for other forms. */
export function rejectedDecisionForm(
  frame: Frame,
  status: number,
  fields: FormFields,
  request: FastifyRequest,
): JSX.Element {
  if (request.routeOptions.url !== '/admin/reports/:report_id') return '';
  const viewer = frame.viewer(request);
  const { words, csrf } = viewer;
  const { report_id: id } = request.params as { report_id: string };
  const to = STATUSES.find((one) => one === fields['status']);
  return (
    <>
      <KeptText status={status} language={viewer.language} />
      <form class="decision-form" method="post" action={encodeURIComponent(id)}>
        <CsrfInput csrf={csrf} />
        <NoteField id={id} note={textIn(fields, 'note')} viewer={viewer} />
        {to !== undefined && (
          <div class="buttons">
            <button type="submit" name="status" value={to} class="small" safe>
              {words.decide[to]}
            </button>
          </div>
        )}
      </form>
    </>
  );
}

const TEXT_LENGTH = 300;

function QueueRecord({ row, viewer: { language } }: { row: Row; viewer: Viewer }): JSX.Element {
  const { service, status, surface, defects, title } = row;
  const photo = service === 'defectoscopy' && status === 'done';
  const findings = photo
    ? [
        ...(surface === null ? [] : [classTitle(surface, language)]),
        ...defects.map((one) => formatScore(one, language)),
      ]
    : [];
  const text = truncateAtWord(photo ? '' : textOf(row), TEXT_LENGTH);
  return (
    <>
      {findings.length !== 0 && (
        <p class="record-text">
          <bdi safe>{findings.join(' · ')}</bdi>
        </p>
      )}
      {!(text === '' || text === title) && <UntrustedParagraph class="record-text" text={text} />}
      <Attributes row={row} />
    </>
  );
}
