import type { FastifyReply, FastifyRequest } from 'fastify';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { PageIntro } from '../../../ui/page-intro.tsx';
import { A, Button, Label, Option } from '../../../ui/text-elements.tsx';
import type { QueuePageData } from '../browser/queue-data.ts';
import { ACTIONS, type ReportFilters, STATUSES } from '../reports/report.ts';
import type { Queue } from '../routes/report-queue-route.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/search-types.ts';
import { Hint } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { countPages, Paging } from './paging.tsx';
import { QueueItem } from './queue-item.tsx';

/** Works with the keyboard, and without scripts. */
export const queuePage =
  ({ frame, search }: { frame: Frame; search: Search }) =>
  async (request: FastifyRequest, reply: FastifyReply, queue: Queue): Promise<FastifyReply> => {
    const viewer = frame.viewer(request);
    const rows = await rowsOf(search, queue);
    const { words } = viewer;
    const { filters, page, total, limit } = queue;
    const pageAddress = (to: number) =>
      address({ ...otherFilters(filters), status: filters.status ?? 'all', page: String(to) });
    const { decided, conflict, needsNote, reportStates, offline, refusals, problems } = words;
    const data: QueuePageData = { decided, conflict, needsNote, reportStates, offline, refusals, problems };
    return frame.send(reply, viewer, {
      title: words.queue,
      root: '../',
      section: 'reports',
      data,
      script: 'services/catalog/browser/queue-page.js',
      styles: ['services/catalog/browser/queue.css'],
      children: (
        <>
          <PageIntro title={words.queue} lead={words.queueLead} />
          <Tabs queue={queue} viewer={viewer} />
          <Filters queue={queue} viewer={viewer} />
          <Shortcuts viewer={viewer} />
          <p id="error" class="notice bad" role="alert" hidden></p>
          <div id="queue" data-fresh="queue">
            {queue.items.length === 0 ? (
              <NoReports queue={queue} viewer={viewer} />
            ) : (
              queue.items.map((report) => (
                <QueueItem report={report} row={rows.get(report.recordId)} root="../" viewer={viewer} />
              ))
            )}
          </div>
          <Paging page={page} pages={countPages(total, limit)} address={pageAddress} words={words} />
        </>
      ),
    });
  };

async function rowsOf(search: Search, { items }: Queue): Promise<Map<string, Row>> {
  const ids = [...new Set(items.map(({ recordId }) => recordId))];
  const rows = await Promise.all(ids.map((id) => search.row(id)));
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.recordId, row] as const])));
}

const otherFilters = ({ q, actionType, recordId, from, to }: ReportFilters) =>
  omitUndefined({
    ...{ q, action_type: actionType, record_id: recordId },
    from: from?.toISOString(),
    to: to?.toISOString(),
  });

const address = (filters: Record<string, string>) => `reports?${new URLSearchParams(filters)}`;

function Tabs({ queue, viewer: { words } }: { queue: Queue; viewer: Viewer }): JSX.Element {
  const { filters, counts } = queue;
  const current = filters.status ?? 'all';
  const all = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  return (
    <nav class="tabs" aria-label={words.state} data-fresh="tabs">
      {[...STATUSES, 'all' as const].map((status) => (
        <a
          href={address({ ...otherFilters(filters), status })}
          aria-current={status === current ? 'page' : undefined}
          data-tab={status}
        >
          <span safe>{words.tabs[status]}</span> <span class="count">{status === 'all' ? all : counts[status]}</span>
        </a>
      ))}
    </nav>
  );
}

function Filters({ queue, viewer: { words } }: { queue: Queue; viewer: Viewer }): JSX.Element {
  const { filters } = queue;
  return (
    <form class="queue-filters" method="get" action="reports">
      <input type="hidden" name="status" value={filters.status ?? 'all'} />
      <Label class="visually-hidden" for="queue-q" text={words.q} />
      <input
        id="queue-q"
        type="search"
        name="q"
        value={filters.q ?? ''}
        maxlength="200"
        placeholder={words.q}
        dir="auto"
      />
      <Label class="visually-hidden" for="queue-action" text={words.action} />
      <select id="queue-action" name="action_type">
        <Option value="" text={words.anyAction} />
        {ACTIONS.map((action) => (
          <Option value={action} selected={action === filters.actionType} text={words.actions[action]} />
        ))}
      </select>
      {filters.recordId !== undefined && <input type="hidden" name="record_id" value={filters.recordId} />}
      <Button type="submit" text={words.apply} />
    </form>
  );
}

function Shortcuts({ viewer: { words } }: { viewer: Viewer }): JSX.Element {
  return (
    <details id="keyboard-shortcuts" class="keyboard-shortcuts needs-script">
      <summary>
        <span safe>{words.shortcuts}</span> <kbd>?</kbd>
      </summary>
      <dl>
        {words.keys.map(([key, action]) => (
          <div>
            <dt>
              <kbd safe>{key}</kbd>
            </dt>
            <dd safe>{action}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function NoReports({ queue, viewer: { words } }: { queue: Queue; viewer: Viewer }): JSX.Element {
  const { status, ...rest } = queue.filters;
  const isUnfiltered = status === 'open' && Object.keys(rest).length === 0;
  return (
    <section class="panel empty-state">
      <h2 safe>{words.noReports}</h2>
      <Hint text={isUnfiltered ? words.noReportsWhy : words.noReportsSuch} />
      {!isUnfiltered && (
        <p>
          <A href={address({ status: 'all' })} text={words.all} />
        </p>
      )}
    </section>
  );
}
