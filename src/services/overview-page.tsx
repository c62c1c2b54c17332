import type { Assets } from '../ui/assets.ts';
import { fill } from '../ui/browser/fill.ts';
import type { OverviewData } from '../ui/browser/overview-data.ts';
import { layout } from '../ui/layout.tsx';
import type { ServiceLink } from '../ui/service-links.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import type { UiLanguage } from '../ui/texts.ts';
import { KEPT, type QueueSeen, type Series, type ServiceSeen, type Snapshot } from './overview.ts';
import { type OverviewTexts, overviewTexts } from './overview-texts.ts';
import type { WorkerSeen } from './overview-workers.ts';

/** How often a page that is looked at asks anew. */
const ASK_EVERY_MS = 3000;
/** Workers that are shown one by one. */
const SHOWN_WORKERS = 12;

interface Reader {
  readonly language: UiLanguage;
  readonly words: OverviewTexts;
  readonly number: (value: number) => string;
}

/** The page that shows a snapshot; its script puts what has changed since in the places marked `data-fresh`. */
export function overviewPage(page: {
  language: UiLanguage;
  version: string;
  assets: Assets;
  services: readonly ServiceLink[];
  snapshot: Snapshot;
  open: boolean;
  /** What the services are called, by name. */
  titles: ReadonlyMap<string, string>;
}): Promise<string> {
  const { language, version, assets, services, snapshot, open, titles } = page;
  const words = overviewTexts[language];
  const { format } = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const reader: Reader = { language, words, number: format };
  const own: OverviewData = { everyMs: ASK_EVERY_MS };
  const { webhooks } = snapshot;
  return layout({
    ...{ language, version, assets, own, services },
    service: words.service,
    title: words.title,
    overview: true,
    styles: ['ui/overview.css'],
    script: 'ui/browser/overview-page.js',
    children: (
      <>
        <div class="intro">
          <h1 safe>{words.title}</h1>
          <p class="lead" safe>
            {words.lead}
          </p>
          <div data-fresh="at">
            <At snapshot={snapshot} words={words} />
          </div>
          <noscript>
            <a href="overview" safe>
              {words.reload}
            </a>
          </noscript>
        </div>
        <p id="offline" class="notice bad" role="status" hidden safe>
          {words.offline}
        </p>
        {open ? (
          ''
        ) : (
          <p class="hint" safe>
            {words.closed}
          </p>
        )}
        <div class="overview">
          {snapshot.services.map((seen) => (
            <ServicePanel seen={seen} title={titles.get(seen.service) ?? seen.service} reader={reader} />
          ))}
          {webhooks ? (
            <section class="panel seen" aria-labelledby="webhooks">
              <div class="row">
                <h2 id="webhooks" safe>
                  {words.webhooks}
                </h2>
                <p class="hint" safe>
                  {words.webhooksLead}
                </p>
              </div>
              <div class="figures" data-fresh="webhooks">
                <Figure label={words.pending} values={webhooks.pending} reader={reader} />
                <Figure label={words.delivered} values={webhooks.delivered_last_minute} reader={reader} tone="good" />
                <Figure label={words.undelivered} values={webhooks.failed_last_minute} reader={reader} tone="bad" />
              </div>
            </section>
          ) : (
            ''
          )}
        </div>
      </>
    ),
  });
}

function At({ snapshot: { at, reachable }, words }: { snapshot: Snapshot; words: OverviewTexts }): JSX.Element {
  return (
    <>
      {reachable ? (
        ''
      ) : (
        <p class="notice bad" safe>
          {words.away}
        </p>
      )}
      <p class="hint" safe>
        {at === null ? words.none : fill(words.at, { time: at.slice(11, 19) })}
      </p>
    </>
  );
}

function ServicePanel({ seen, title, reader }: { seen: ServiceSeen; title: string; reader: Reader }): JSX.Element {
  const { service, worker_state: state, workers } = seen;
  const { words } = reader;
  return (
    <section class="panel seen" aria-labelledby={`of-${service}`}>
      <div class="row">
        <h2 id={`of-${service}`} safe>
          {title}
        </h2>
        <div data-fresh={`state ${service}`}>
          <p class="worker-state" data-state={state}>
            <span class="dot" aria-hidden="true"></span>
            <span safe>{words.states[state]}</span>
          </p>
        </div>
      </div>
      <div class="figures" data-fresh={`figures ${service}`}>
        <Figures seen={seen} reader={reader} />
      </div>
      <div class="workers" data-fresh={`workers ${service}`}>
        <Workers workers={workers} words={words} number={reader.number} />
      </div>
    </section>
  );
}

function Figures({
  seen: { queue, documents, lag_seconds: lag },
  reader,
}: {
  seen: ServiceSeen;
  reader: Reader;
}): JSX.Element {
  const { words } = reader;
  const shown = (label: string, values: Series | undefined, tone?: 'good' | 'bad', note?: string) =>
    values === undefined ? (
      ''
    ) : (
      <Figure {...{ label, values, reader }} {...(tone && { tone })} {...(note && { note })} />
    );
  return (
    <>
      {queue?.waiting === undefined ? shown(words.unfinished, queue?.unfinished) : ''}
      {shown(words.waiting, queue?.waiting, undefined, queue && waitingNow(queue, reader))}
      {shown(words.processing, queue?.processing)}
      {shown(words.done, queue?.done_last_minute, 'good')}
      {shown(words.failed, queue?.failed_last_minute, 'bad')}
      {shown(words.documents, documents)}
      {shown(words.lag, lag)}
    </>
  );
}

/** Of what priority those are that wait, and for how long the oldest has. */
function waitingNow(queue: QueueSeen, { words, number, language }: Reader): string | undefined {
  const { waiting_now: now, oldest_waiting_seconds: oldest } = queue;
  if (now === undefined || oldest === undefined || now.realtime + now.batch === 0) return undefined;
  const seconds = Math.max(oldest.realtime, oldest.batch);
  const [unit, count] =
    seconds < 120 ? (['second', seconds] as const) : (['minute', Math.round(seconds / 60)] as const);
  const time = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
  const split = fill(words.waitingNow, { realtime: number(now.realtime), batch: number(now.batch) });
  return `${split}; ${fill(words.oldest, { time })}`;
}

/** One number: what it is, what it was, and both in words. */
function Figure(figure: {
  label: string;
  values: Series;
  reader: Reader;
  tone?: 'good' | 'bad';
  note?: string;
}): JSX.Element {
  const { label, values, tone, note } = figure;
  const { words, number } = figure.reader;
  const now = number(values.at(-1) ?? 0);
  const most = number(Math.max(0, ...values));
  return (
    <div class="figure" data-tone={values.some((value) => value > 0) ? tone : 'idle'}>
      <h3 safe>{label}</h3>
      <p class="now" safe>
        {now}
      </p>
      <Sparkline values={values} room={KEPT} label={fill(words.chart, { label, now, most })} />
      {note === undefined ? (
        ''
      ) : (
        <p class="hint" safe>
          {note}
        </p>
      )}
    </div>
  );
}

function Workers(given: {
  workers: readonly WorkerSeen[];
  words: OverviewTexts;
  number: (value: number) => string;
}): JSX.Element {
  const { workers, words, number } = given;
  const more = workers.length - SHOWN_WORKERS;
  return (
    <>
      <h3 safe>{`${words.workers}: ${workers.length}`}</h3>
      {workers.length === 0 ? (
        <p class="hint" safe>
          {words.noWorkers}
        </p>
      ) : (
        <ul>
          {workers.slice(0, SHOWN_WORKERS).map((worker) => (
            <li>
              <span class="dot" data-state={worker.state} aria-hidden="true"></span>
              <span safe>{inWords(worker, words, number)}</span>
            </li>
          ))}
          {more > 0 ? <li safe>{fill(words.more, { count: more })}</li> : ''}
        </ul>
      )}
    </>
  );
}

const GB = 1024;

const inWords = ({ state, model, running, gpu }: WorkerSeen, words: OverviewTexts, number: Reader['number']): string =>
  [
    words.worker[state],
    ...(model === undefined ? [] : [model]),
    ...(running === undefined ? [] : [fill(words.running, { count: number(running) })]),
    ...(gpu
      ? [fill(words.gpu, { name: gpu.name, used: number(gpu.used_mb / GB), total: number(gpu.total_mb / GB) })]
      : []),
  ].join(', ');
