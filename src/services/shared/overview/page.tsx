import type { Assets } from '../../../ui/assets.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { layout } from '../../../ui/layout.tsx';
import type { ServiceLink } from '../../../ui/service-links.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';
import type { UiLanguage } from '../../../ui/texts.ts';
import { MAX_SAMPLES, type QueueSnapshot, type Series, type ServiceSnapshot, type Snapshot } from './overview.ts';
import { type OverviewTexts, overviewTexts } from './texts.ts';
import type { WorkerSnapshot } from './workers.ts';

const REFRESH_INTERVAL_MS = 3000;
const MAX_LISTED_WORKERS = 12;

interface Formatters {
  readonly language: UiLanguage;
  readonly words: OverviewTexts;
  readonly number: (value: number) => string;
}

/** The script refreshes the elements marked `data-fresh`. */
export function overviewPage(page: {
  language: UiLanguage;
  version: string;
  assets: Assets;
  services: readonly ServiceLink[];
  snapshot: Snapshot;
  open: boolean;
  titles: ReadonlyMap<string, string>;
}): Promise<string> {
  const { language, version, assets, services, snapshot, open, titles } = page;
  const words = overviewTexts[language];
  const { format } = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const formatters: Formatters = { language, words, number: format };
  const own = { everyMs: REFRESH_INTERVAL_MS };
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
          {snapshot.services.map((snapshot) => (
            <ServicePanel
              snapshot={snapshot}
              title={titles.get(snapshot.service) ?? snapshot.service}
              formatters={formatters}
            />
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
                <Figure label={words.pending} values={webhooks.pending} formatters={formatters} />
                <Figure
                  label={words.delivered}
                  values={webhooks.delivered_last_minute}
                  formatters={formatters}
                  tone="good"
                />
                <Figure
                  label={words.undelivered}
                  values={webhooks.failed_last_minute}
                  formatters={formatters}
                  tone="bad"
                />
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

function ServicePanel({
  snapshot,
  title,
  formatters,
}: {
  snapshot: ServiceSnapshot;
  title: string;
  formatters: Formatters;
}): JSX.Element {
  const { service, worker_state: state, workers } = snapshot;
  const { words } = formatters;
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
        <Figures snapshot={snapshot} formatters={formatters} />
      </div>
      <div class="workers" data-fresh={`workers ${service}`}>
        <Workers workers={workers} words={words} number={formatters.number} />
      </div>
    </section>
  );
}

function Figures({
  snapshot: { queue, gauges },
  formatters,
}: {
  snapshot: ServiceSnapshot;
  formatters: Formatters;
}): JSX.Element {
  const { words, language } = formatters;
  const figure = (label: string, values: Series | undefined, tone?: 'good' | 'bad', note?: string) =>
    values === undefined ? (
      ''
    ) : (
      <Figure {...{ label, values, formatters }} {...(tone && { tone })} {...(note && { note })} />
    );
  return (
    <>
      {queue?.waiting === undefined ? figure(words.unfinished, queue?.unfinished) : ''}
      {figure(words.waiting, queue?.waiting, undefined, queue && waitingNow(queue, formatters))}
      {figure(words.processing, queue?.processing)}
      {figure(words.done, queue?.done_last_minute, 'good')}
      {figure(words.failed, queue?.failed_last_minute, 'bad')}
      {gauges.map(({ labels, values }) => figure(labels[language], values))}
    </>
  );
}

function waitingNow(queue: QueueSnapshot, { words, number, language }: Formatters): string | undefined {
  const { waiting_now: now, oldest_waiting_seconds: oldest } = queue;
  if (now === undefined || oldest === undefined || now.realtime + now.batch === 0) return undefined;
  const seconds = Math.max(oldest.realtime, oldest.batch);
  const [unit, count] =
    seconds < 120 ? (['second', seconds] as const) : (['minute', Math.round(seconds / 60)] as const);
  const time = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
  const split = fill(words.waitingNow, { realtime: number(now.realtime), batch: number(now.batch) });
  return `${split}; ${fill(words.oldest, { time })}`;
}

function Figure(figure: {
  label: string;
  values: Series;
  formatters: Formatters;
  tone?: 'good' | 'bad';
  note?: string;
}): JSX.Element {
  const { label, values, tone, note } = figure;
  const { words, number } = figure.formatters;
  const now = number(values.at(-1) ?? 0);
  const most = number(Math.max(0, ...values));
  return (
    <div class="figure" data-tone={values.some((value) => value > 0) ? tone : 'idle'}>
      <h3 safe>{label}</h3>
      <p class="now" safe>
        {now}
      </p>
      <Sparkline values={values} room={MAX_SAMPLES} label={fill(words.chart, { label, now, most })} />
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

function Workers(props: {
  workers: readonly WorkerSnapshot[];
  words: OverviewTexts;
  number: (value: number) => string;
}): JSX.Element {
  const { workers, words, number } = props;
  const more = workers.length - MAX_LISTED_WORKERS;
  return (
    <>
      <h3 safe>{`${words.workers}: ${workers.length}`}</h3>
      {workers.length === 0 ? (
        <p class="hint" safe>
          {words.noWorkers}
        </p>
      ) : (
        <ul>
          {workers.slice(0, MAX_LISTED_WORKERS).map((worker) => (
            <li>
              <span class="dot" data-state={worker.state} aria-hidden="true"></span>
              <span safe>{describeWorker(worker, words, number)}</span>
            </li>
          ))}
          {more > 0 ? <li safe>{fill(words.more, { count: more })}</li> : ''}
        </ul>
      )}
    </>
  );
}

const MB_PER_GB = 1024;

const describeWorker = (
  { state, model, running, gpu }: WorkerSnapshot,
  words: OverviewTexts,
  number: Formatters['number'],
): string =>
  [
    words.worker[state],
    ...(model === undefined ? [] : [model]),
    ...(running === undefined ? [] : [fill(words.running, { count: number(running) })]),
    ...(gpu
      ? [
          fill(words.gpu, {
            name: gpu.name,
            used: number(gpu.used_mb / MB_PER_GB),
            total: number(gpu.total_mb / MB_PER_GB),
          }),
        ]
      : []),
  ].join(', ');
