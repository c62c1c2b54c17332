import type { Log } from '../../../base/log.ts';
import { loop } from '../../../base/loop.ts';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import type { Priority } from '../../../tasks/task.ts';
import type { WorkerState } from '../../../tasks/workers.ts';
import type { OverviewGauge } from '../service-links.ts';
import { estimatesKey, tasksKey, webhooksKey } from './counters.ts';
import { createSampler, gaugeKey, PENDING_WEBHOOKS_KEY, queueKey, type Sample, type SamplerDeps } from './sampler.ts';
import { listWorkers, type WorkerSnapshot } from './workers.ts';

export type Overview = ReturnType<typeof createOverview>;

/** Contains no data of tasks or clients. */
export interface Snapshot {
  /** Null before the first sample. */
  readonly at: string | null;
  readonly every_seconds: number;
  /** If false, the figures are the last known. */
  readonly reachable: boolean;
  readonly services: readonly ServiceSnapshot[];
  readonly webhooks?: Readonly<Record<'pending' | 'delivered_last_minute' | 'failed_last_minute', Series>>;
}

/** Values over time, the latest last. */
export type Series = readonly number[];

export interface ServiceSnapshot {
  readonly service: string;
  readonly worker_state: WorkerState;
  readonly workers: readonly WorkerSnapshot[];
  /** Absent if the service has no tasks. */
  readonly queue?: QueueSnapshot;
  /** Those that exist in this process. */
  readonly gauges: readonly (OverviewGauge & { readonly values: Series })[];
}

/** Without `open`, only `unfinished`. */
export interface QueueSnapshot {
  readonly unfinished: Series;
  readonly waiting?: Series;
  readonly waiting_now?: Readonly<Record<Priority, number>>;
  readonly oldest_waiting_seconds?: Readonly<Record<Priority, number>>;
  readonly processing?: Series;
  readonly done_last_minute?: Series;
  readonly failed_last_minute?: Series;
  /** Shares of the clients in the tasks that ended last, without their names, the largest first. */
  readonly client_shares?: readonly number[];
  /** Share of the tasks that ended within their estimate; absent if none ended. */
  readonly estimates_met?: number;
}

/** Five minutes at one sample every 2 s. */
export const MAX_SAMPLES = 150;
const MINUTE_MS = 60_000;

/** Takes a sample every `everyMs` until `signal` aborts, and keeps the last ones. */
export function createOverview(deps: SamplerDeps & { everyMs: number; log: Log; signal: AbortSignal }) {
  const { workerRegistry, services, everyMs, log, signal } = deps;
  const samples: Sample[] = [];
  const sample = createSampler(deps);
  const takeSample = async () => {
    if (!workerRegistry.isReachable()) return;
    samples.push(await sample());
    if (samples.length > MAX_SAMPLES) samples.shift();
  };
  void loop(takeSample, { intervalMs: everyMs, signal, onError: (err) => log.warn({ err }, 'overview sample failed') });

  const series = (key: string): Series => samples.map(({ values }) => values.get(key) ?? 0);
  const lastMinute = (key: string): Series =>
    samples.map(({ at, values }) => {
      const first = samples.find((earlier) => earlier.at >= at - MINUTE_MS)!;
      return (values.get(key) ?? 0) - (first.values.get(key) ?? 0);
    });

  const estimatesMet = (name: string): number | undefined => {
    const [met, exceeded] = (['met', 'exceeded'] as const).map((outcome) => {
      const counts = series(estimatesKey(name, outcome));
      return (counts.at(-1) ?? 0) - (counts[0] ?? 0);
    });
    return met! + exceeded! > 0 ? met! / (met! + exceeded!) : undefined;
  };

  const queueNow = (name: string, open: boolean): QueueSnapshot => {
    const { waiting, oldestWaitingSeconds: oldest } = workerRegistry.queueDepth(name);
    return {
      unfinished: series(queueKey(name, 'unfinished')),
      ...(open && {
        waiting: series(queueKey(name, 'waiting')),
        waiting_now: waiting,
        oldest_waiting_seconds: { realtime: Math.round(oldest.realtime), batch: Math.round(oldest.batch) },
        processing: series(queueKey(name, 'processing')),
        done_last_minute: lastMinute(tasksKey(name, 'done')),
        failed_last_minute: lastMinute(tasksKey(name, 'failed')),
        client_shares: samples.at(-1)?.shares.get(name) ?? [],
        ...omitUndefined({ estimates_met: estimatesMet(name) }),
      }),
    };
  };
  const gaugesNow = (name: string, gauges: readonly OverviewGauge[]) =>
    gauges
      .map((gauge) => ({ gauge, sampleKey: gaugeKey(name, gauge.key) }))
      .filter(({ sampleKey }) => samples.at(-1)?.values.has(sampleKey))
      .map(({ gauge, sampleKey }) => ({ ...gauge, values: series(sampleKey) }));

  return {
    /** Without `open`, only what `/ready` and `/health` also return. */
    snapshot: ({ open }: { open: boolean }): Snapshot => ({
      at: samples.length === 0 ? null : new Date(samples.at(-1)!.at).toISOString(),
      every_seconds: everyMs / 1000,
      reachable: workerRegistry.isReachable(),
      services: services.map(({ name, gauges }) => ({
        service: name,
        worker_state: workerRegistry.workerState(name),
        workers: listWorkers(workerRegistry, name, { open }),
        ...(gauges === undefined && { queue: queueNow(name, open) }),
        gauges: gaugesNow(name, gauges ?? []),
      })),
      ...(open && {
        webhooks: {
          pending: series(PENDING_WEBHOOKS_KEY),
          delivered_last_minute: lastMinute(webhooksKey('delivered')),
          failed_last_minute: lastMinute(webhooksKey('failed')),
        },
      }),
    }),
  };
}
