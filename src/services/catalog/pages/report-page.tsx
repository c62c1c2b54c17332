import type { FastifyReply, FastifyRequest } from 'fastify';
import { fill } from '../../../ui/browser/fill.ts';
import type { Report, Reports, TrailEvent } from '../reports/report.ts';
import type { Search } from '../search/found.ts';
import type { Frame, Onlooker } from './frame.tsx';
import { QueueItem } from './queue-item.tsx';
import { Moment, nameOf, Stranger } from './said.tsx';

export interface ReportPageNeeds {
  readonly search: Search;
  readonly reports: Reports;
  readonly frame: Frame;
}

/** Sends the page of one report with its trail; `problem`: why it is not as the moderator wanted it. */
export async function sendReport(
  request: FastifyRequest,
  reply: FastifyReply,
  { search, reports, frame }: ReportPageNeeds,
  { report, problem }: { report: Report; problem?: 'conflict' | 'needs-note' },
): Promise<FastifyReply> {
  const onlooker = await frame.onlooker(request);
  const [row, events = []] = await Promise.all([search.row(report.recordId), reports.events(report.id)]);
  const { words } = onlooker;
  return frame.send(reply, onlooker, {
    title: words.queue,
    root: '../../',
    part: 'reports',
    styles: ['services/catalog/browser/queue.css'],
    children: (
      <>
        <p class="crumb">
          <a href="../reports" safe>{`← ${words.queue}`}</a>
        </p>
        <h1 class="visually-hidden" safe>
          {words.queue}
        </h1>
        {problem === undefined ? (
          ''
        ) : (
          <p class="notice bad" role="alert" safe>
            {problem === 'needs-note'
              ? words.needsNote
              : fill(words.conflict, { state: words.reportStates[report.status].toLowerCase() })}
          </p>
        )}
        <QueueItem report={report} row={row} root="../../" onlooker={onlooker} alone />
        <Trail
          events={events}
          wish={wishOf(report, row === undefined ? report.recordId : nameOf(row, onlooker.language), onlooker)}
          onlooker={onlooker}
        />
      </>
    ),
  });
}

interface Wish {
  /** As the trail has it: it is hashed, so it stays as it was written. */
  readonly written: string;
  /** As people say it. */
  readonly said: string;
}

const wishOf = ({ actionType, recordId }: Report, name: string, { words }: Onlooker): Wish => ({
  written: `${actionType} ${recordId}`,
  said: `${words.actions[actionType]}: ${name}`,
});

function Trail(given: { events: readonly TrailEvent[]; wish: Wish; onlooker: Onlooker }): JSX.Element {
  const { events, wish, onlooker } = given;
  const { words, language } = onlooker;
  return (
    <div class="panel trail">
      <h2 id="trail-title" safe>
        {words.trailOf}
      </h2>
      <section class="scroll" tabindex="0" aria-labelledby="trail-title">
        <table>
          <thead>
            <tr>
              {[words.trailAt, words.trailWhat, words.trailWho, words.note, words.trailHash].map((head) => (
                <th scope="col" safe>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr data-outcome={event.outcome}>
                <td>
                  <Moment at={event.at} language={language} />
                </td>
                <td safe>{happened(event, onlooker)}</td>
                <td>
                  <code safe>{event.actor}</code>
                </td>
                <td dir="auto">
                  <Stranger text={event.note === wish.written ? wish.said : (event.note ?? '')} />
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

function happened({ action, outcome, from, to }: TrailEvent, { words }: Onlooker): string {
  const states: Readonly<Record<string, string>> = words.reportStates;
  const said = (state: string | null) => (state === null ? '—' : (states[state] ?? state).toLowerCase());
  if (action === 'created') return words.trailActions.created;
  const moved = { from: said(from), to: said(to) };
  if (outcome === 'refused') return fill(words.trailActions.refused, moved);
  return from === to ? words.trailActions.noted : fill(words.trailActions.changed, moved);
}
