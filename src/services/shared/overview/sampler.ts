import type { Registry } from 'prom-client';
import type { MetricJson } from '../../../http/metrics.ts';
import type { ClientShares } from '../../../tasks/client-shares.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import type { ServiceEntry } from '../service-links.ts';
import { createCounterTotals, estimatesKey, tasksKey, webhooksKey } from './counters.ts';

export interface Sample {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** By the keys below. Counters start at zero with the first sample. */
  readonly values: ReadonlyMap<string, number>;
  readonly shares: ClientShares;
}

export const PENDING_WEBHOOKS_KEY = 'webhooks pending';
export const queueKey = (service: string, what: 'unfinished' | 'waiting' | 'processing') => `queue ${service} ${what}`;

export const gaugeKey = (service: string, key: string) => `gauge ${service} ${key}`;

/** Collecting a gauge can need a database query, so not every sample does it. */
const SAMPLES_PER_COLLECTION = 8;

/** The heartbeat of this process publishes the same values later. */
interface LocalCounters {
  readonly id: string;
  readonly registry: Registry;
}

export interface SamplerDeps {
  readonly workerRegistry: WorkerRegistry;
  readonly services: readonly ServiceEntry[];
  readonly registry: Registry;
  readonly localCounters: LocalCounters;
  readonly clientShares: () => Promise<ClientShares>;
}

export function createSampler({
  workerRegistry,
  services,
  registry,
  localCounters,
  clientShares,
}: SamplerDeps): () => Promise<Sample> {
  const counts = createCounterTotals();
  const taskServices = services.filter(({ gauges }) => gauges === undefined).map(({ name }) => name);
  let samplesTaken = 0;
  let gauges: readonly (readonly [string, number])[] = [];
  let shares: ClientShares = new Map();

  return async () => {
    const at = Date.now();
    const others = workerRegistry
      .allWorkers()
      .filter(({ id }) => id !== localCounters.id)
      .map(({ id, metrics = [] }) => ({ id, metrics: metrics as MetricJson[] }));
    counts.update([{ id: localCounters.id, metrics: await taskCounters(localCounters.registry) }, ...others], at);
    if (samplesTaken++ % SAMPLES_PER_COLLECTION === 0) {
      gauges = await collectGauges(services, registry);
      shares = await clientShares();
    }
    return {
      at,
      shares,
      values: new Map([
        ...gauges,
        [PENDING_WEBHOOKS_KEY, workerRegistry.pendingDeliveries()],
        ...(['delivered', 'failed'] as const).map((outcome) => entryOf(webhooksKey(outcome))),
        ...taskServices.flatMap(queueNow),
      ]),
    };
  };

  function entryOf(key: string): [string, number] {
    return [key, counts.get(key)];
  }

  function queueNow(service: string): [string, number][] {
    const { waiting, processing } = workerRegistry.queueDepth(service);
    const all = waiting.realtime + waiting.batch;
    return [
      [queueKey(service, 'waiting'), all],
      [queueKey(service, 'processing'), processing],
      [queueKey(service, 'unfinished'), all + processing],
      ...(['done', 'failed'] as const).map((status) => entryOf(tasksKey(service, status))),
      ...(['met', 'exceeded'] as const).map((outcome) => entryOf(estimatesKey(service, outcome))),
    ];
  }
}

/** Collecting the whole registry would also query the database. */
async function taskCounters(registry: Registry): Promise<MetricJson[]> {
  const tasks = await registry.getSingleMetric('assay_tasks_total')?.get();
  return tasks === undefined ? [] : [tasks as MetricJson];
}

/** One after the other: collecting a gauge can set the next. */
async function collectGauges(services: readonly ServiceEntry[], registry: Registry): Promise<[string, number][]> {
  const collected: [string, number][] = [];
  for (const { name, gauges = [] } of services) {
    for (const { key, metric } of gauges) {
      const value = (await registry.getSingleMetric(metric)?.get())?.values[0]?.value;
      if (value !== undefined) collected.push([gaugeKey(name, key), value]);
    }
  }
  return collected;
}
