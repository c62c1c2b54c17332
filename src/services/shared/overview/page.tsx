import type { Assets } from '../../../ui/assets.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { layout } from '../../../ui/layout.tsx';
import { PageIntro } from '../../../ui/page-intro.tsx';
import type { ServiceLink } from '../../../ui/service-links.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';
import type { UiLanguage } from '../../../ui/texts.ts';
import { MAX_SAMPLES, type QueueSnapshot, type Series, type ServiceSnapshot, type Snapshot } from './overview.ts';
import { type OverviewTexts, overviewTexts } from './texts.ts';
import type { WorkerSnapshot } from './workers.ts';

const REFRESH_INTERVAL_MS = 3000;
const MAX_LISTED_WORKERS = 12;

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
  const { snapshot, open, titles, ...shell } = page;
  const { language } = shell;
  const words = overviewTexts[language];
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format;
  const formatters: Formatters = { language, words, number };
  return layout({
    ...{ ...shell, data: { everyMs: REFRESH_INTERVAL_MS } },
    service: words.service,
    title: words.title,
    overview: true,
    styles: ['ui/overview.css'],
    script: 'ui/browser/overview-page.js',
    children: (
      <>
        <PageIntro title={words.title} lead={words.lead}>
          <div data-fresh="at">
            <At snapshot={snapshot} words={words} />
          </div>
          <noscript>
            <a href="overview" safe>
              {words.reload}
            </a>
          </noscript>
        </PageIntro>
        <p id="offline" class="notice bad" role="status" hidden safe>
          {words.offline}
        </p>
        {!open && <Hint text={words.closed} />}
        <div class="overview">
          {snapshot.services.map((service) => (
            <ServicePanel snapshot={service} title={titles.get(service.service) ?? service.service} {...formatters} />
          ))}
          {snapshot.webhooks && <WebhooksPanel webhooks={snapshot.webhooks} {...formatters} />}
        </div>
      </>
    ),
  });
}

interface Formatters {
  readonly language: UiLanguage;
  readonly words: OverviewTexts;
  readonly number: (value: number) => string;
}

const Hint = ({ text }: { text: string }): JSX.Element => (
  <p class="hint" safe>
    {text}
  </p>
);

const At = ({ snapshot, words }: { snapshot: Snapshot; words: OverviewTexts }): JSX.Element => (
  <>
    {!snapshot.reachable && (
      <p class="notice bad" safe>
        {words.away}
      </p>
    )}
    <Hint text={snapshot.at === null ? words.none : fill(words.at, { time: snapshot.at.slice(11, 19) })} />
  </>
);

function WebhooksPanel(props: Formatters & { webhooks: NonNullable<Snapshot['webhooks']> }): JSX.Element {
  const { webhooks, ...formatters } = props;
  const { words } = formatters;
  return (
    <section class="panel service-panel" aria-labelledby="webhooks">
      <div class="row">
        <h2 id="webhooks" safe>
          {words.webhooks}
        </h2>
        <Hint text={words.webhooksLead} />
      </div>
      <div class="figures" data-fresh="webhooks">
        <Figure label={words.pending} values={webhooks.pending} {...formatters} />
        <Figure label={words.delivered} values={webhooks.delivered_last_minute} tone="good" {...formatters} />
        <Figure label={words.undelivered} values={webhooks.failed_last_minute} tone="bad" {...formatters} />
      </div>
    </section>
  );
}

function ServicePanel(props: Formatters & { snapshot: ServiceSnapshot; title: string }): JSX.Element {
  const { snapshot, title, ...formatters } = props;
  const { service, worker_state: state, workers } = snapshot;
  return (
    <section class="panel service-panel" aria-labelledby={`service-${service}`}>
      <div class="row">
        <h2 id={`service-${service}`} safe>
          {title}
        </h2>
        <div data-fresh={`state ${service}`}>
          <p class="worker-state" data-state={state}>
            <span class="dot" aria-hidden="true"></span>
            <span safe>{formatters.words.states[state]}</span>
          </p>
        </div>
      </div>
      <div class="figures" data-fresh={`figures ${service}`}>
        <Figures snapshot={snapshot} {...formatters} />
      </div>
      <div class="workers" data-fresh={`workers ${service}`}>
        <Workers workers={workers} {...formatters} />
      </div>
    </section>
  );
}

function Figures(props: Formatters & { snapshot: ServiceSnapshot }): JSX.Element {
  const { snapshot, ...formatters } = props;
  const { queue, gauges } = snapshot;
  const { words, language } = formatters;
  const figure = (label: string, values: Series | undefined, tone?: 'good' | 'bad', note?: string) =>
    values && <Figure {...{ label, values, tone, note, ...formatters }} />;
  return (
    <>
      {queue?.waiting === undefined && figure(words.unfinished, queue?.unfinished)}
      {figure(words.waiting, queue?.waiting, undefined, queue && waitingNow(queue, formatters))}
      {figure(words.processing, queue?.processing, undefined, queue && clientShares(queue, formatters))}
      {figure(words.done, queue?.done_last_minute, 'good', queue && estimatesMet(queue, formatters))}
      {figure(words.failed, queue?.failed_last_minute, 'bad')}
      {gauges.map(({ labels, values }) => figure(labels[language], values))}
    </>
  );
}

function clientShares(
  { client_shares: shares = [] }: QueueSnapshot,
  { words, language }: Formatters,
): string | undefined {
  if (shares.length < 2) return undefined;
  const percent = new Intl.NumberFormat(language, { style: 'percent' });
  return fill(words.clientShares, { shares: shares.map((share) => percent.format(share)).join(', ') });
}

function estimatesMet({ estimates_met: share }: QueueSnapshot, { words, language }: Formatters): string | undefined {
  if (share === undefined) return undefined;
  // Rounded down: 100 % means all tasks.
  const percent = new Intl.NumberFormat(language, { style: 'percent' }).format(Math.floor(share * 100) / 100);
  return fill(words.estimatesMet, { share: percent });
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

function Figure(
  figure: Formatters & {
    label: string;
    values: Series;
    tone?: 'good' | 'bad' | undefined;
    note?: string | undefined;
  },
): JSX.Element {
  const { label, values, tone, note, words, number } = figure;
  const now = number(values.at(-1) ?? 0);
  const most = number(Math.max(0, ...values));
  return (
    <div class="figure" data-tone={values.some((value) => value > 0) ? tone : 'idle'}>
      <h3 safe>{label}</h3>
      <p class="current" safe>
        {now}
      </p>
      <Sparkline values={values} room={MAX_SAMPLES} label={fill(words.chart, { label, now, most })} />
      {note !== undefined && <Hint text={note} />}
    </div>
  );
}

function Workers({ workers, words, number }: Formatters & { workers: readonly WorkerSnapshot[] }): JSX.Element {
  const more = workers.length - MAX_LISTED_WORKERS;
  return (
    <>
      <h3 safe>{`${words.workers}: ${workers.length}`}</h3>
      {workers.length === 0 ? (
        <Hint text={words.noWorkers} />
      ) : (
        <ul>
          {workers.slice(0, MAX_LISTED_WORKERS).map((worker) => (
            <li>
              <span class="dot" data-state={worker.state} aria-hidden="true"></span>
              <span safe>{describeWorker(worker, words, number)}</span>
            </li>
          ))}
          {more > 0 && <li safe>{fill(words.more, { count: more })}</li>}
        </ul>
      )}
    </>
  );
}

const MB_PER_GB = 1024;

function describeWorker(
  { state, model, running, gpu }: WorkerSnapshot,
  words: OverviewTexts,
  number: Formatters['number'],
): string {
  const gigabytes = (megabytes: number) => number(megabytes / MB_PER_GB);
  return [
    words.worker[state],
    model,
    running !== undefined && fill(words.running, { count: number(running) }),
    gpu && fill(words.gpu, { name: gpu.name, used: gigabytes(gpu.used_mb), total: gigabytes(gpu.total_mb) }),
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}
