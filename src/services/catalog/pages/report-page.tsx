import type { FastifyReply, FastifyRequest } from 'fastify';
import { fill } from '../../../ui/browser/fill.ts';
import { BackLink } from '../../../ui/page-intro.tsx';
import { H1, H2, Th } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { Reports } from '../reports/postgres.ts';
import type { AuditEvent, Report } from '../reports/report.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/search-types.ts';
import { recordTitle, UntrustedText } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { QueueItem } from './queue-item.tsx';

export interface ReportPageDeps {
  readonly search: Search;
  readonly reports: Reports;
  readonly frame: Frame;
}

/** `problem`: why a decision was rejected, with its note. `isForQueue`: the addresses of the report are relative to the queue. */
export async function sendReportPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { search, reports, frame }: ReportPageDeps,
  page: { report: Report; problem?: 'conflict' | 'needs-note'; note?: string | undefined; isForQueue?: boolean },
): Promise<FastifyReply> {
  const { report, problem, note, isForQueue = false } = page;
  const viewer = frame.viewer(request);
  const [row, events = []] = await Promise.all([search.row(report.recordId), reports.events(report.id)]);
  const { words } = viewer;
  return frame.send(reply, viewer, {
    title: words.queue,
    root: '../../',
    section: 'reports',
    styles: ['services/catalog/browser/queue.css'],
    children: (
      <>
        <BackLink href="../reports" text={words.queue} />
        <H1 class="visually-hidden" text={words.queue} />
        {problem !== undefined && (
          <p class="notice bad" role="alert" safe>
            {problem === 'needs-note'
              ? words.needsNote
              : fill(words.conflict, { state: words.reportStates[report.status].toLowerCase() })}
          </p>
        )}
        <QueueItem {...{ report, row, viewer, note }} root={isForQueue ? '../' : '../../'} alone={!isForQueue} />
        <Trail events={events} report={report} row={row} viewer={viewer} />
      </>
    ),
  });
}

function Trail(props: {
  events: readonly AuditEvent[];
  report: Report;
  row: Row | undefined;
  viewer: Viewer;
}): JSX.Element {
  const { events, report, row, viewer } = props;
  const { words, language } = viewer;
  const { actionType, recordId } = report;
  /** The note of the first event. */
  const requestNote = `${actionType} ${recordId}`;
  const requestLabel = `${words.actions[actionType]}: ${row === undefined ? recordId : recordTitle(row, language)}`;
  return (
    <div class="panel audit-trail">
      <H2 id="audit-trail-title" text={words.trailOf} />
      <section class="scroll" tabindex="0" aria-labelledby="audit-trail-title">
        <table>
          <thead>
            <tr>
              {[words.trailAt, words.trailWhat, words.trailWho, words.note, words.trailHash].map((head) => (
                <Th scope="col" text={head} />
              ))}
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr data-outcome={event.outcome}>
                <td>
                  <Timestamp at={event.at} language={language} />
                </td>
                <td safe>{describeEvent(event, viewer)}</td>
                <td>
                  <code safe>{event.actor}</code>
                </td>
                <td dir="auto">
                  <UntrustedText text={event.note === requestNote ? requestLabel : (event.note ?? '')} />
                </td>
                <td>
                  <code title={event.hash} safe>
                    {event.hash.slice(0, 12)}
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function describeEvent({ action, outcome, from, to }: AuditEvent, { words }: Viewer): string {
  const states: Readonly<Record<string, string>> = words.reportStates;
  const label = (state: string | null) => (state === null ? '—' : (states[state] ?? state).toLowerCase());
  if (action === 'created') return words.trailActions.created;
  const transition = { from: label(from), to: label(to) };
  if (outcome === 'refused') return fill(words.trailActions.refused, transition);
  return from === to ? words.trailActions.noted : fill(words.trailActions.changed, transition);
}
