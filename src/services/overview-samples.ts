import type { Registry } from 'prom-client';
import type { MetricJson } from '../http/metrics.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Neighbour } from './neighbours.ts';
import { openCounts, tasksKey, webhooksKey } from './overview-counts.ts';

export interface Sample {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** By the keys below. Counters start at zero with the first sample. */
  readonly values: ReadonlyMap<string, number>;
}

export const PENDING = 'webhooks pending';
export const queueKey = (service: string, what: 'unfinished' | 'waiting' | 'processing') => `queue ${service} ${what}`;

/** Collecting the first gauge updates both. */
export const RECORDS = [
  ['documents', 'assay_catalog_documents'],
  ['lag_seconds', 'assay_catalog_lag_seconds'],
] as const;

/** Counting records needs a database query, so not every sample does it. */
const SAMPLES_PER_COUNT = 8;

/** The heartbeat of this process publishes the same values later. */
export interface OwnCounters {
  readonly id: string;
  readonly registry: Registry;
}

export function openSampler({
  roster,
  neighbours: services,
  registry,
  own: localCounters,
}: {
  roster: Roster;
  neighbours: readonly Neighbour[];
  registry: Registry;
  own: OwnCounters;
}): () => Promise<Sample> {
  const counts = openCounts();
  const taskServices = services.filter(({ takesTasks }) => takesTasks).map(({ name }) => name);
  let samplesTaken = 0;
  let records: readonly (readonly [string, number])[] = [];

  return async () => {
    const at = Date.now();
    const others = roster
      .all()
      .filter(({ id }) => id !== localCounters.id)
      .map(({ id, metrics = [] }) => ({ id, metrics: metrics as MetricJson[] }));
    counts.look([{ id: localCounters.id, metrics: await taskCounters(localCounters.registry) }, ...others], at);
    if (samplesTaken++ % SAMPLES_PER_COUNT === 0) records = await recordCounts(registry);
    return {
      at,
      values: new Map([
        ...records,
        [PENDING, roster.pendingDeliveries()],
        ...(['delivered', 'failed'] as const).map((outcome) => entryOf(webhooksKey(outcome))),
        ...taskServices.flatMap(queueNow),
      ]),
    };
  };

  function entryOf(key: string): [string, number] {
    return [key, counts.of(key)];
  }

  function queueNow(service: string): [string, number][] {
    const { waiting, processing } = roster.depth(service);
    const all = waiting.realtime + waiting.batch;
    return [
      [queueKey(service, 'waiting'), all],
      [queueKey(service, 'processing'), processing],
      [queueKey(service, 'unfinished'), all + processing],
      ...(['done', 'failed'] as const).map((status) => entryOf(tasksKey(service, status))),
    ];
  }
}

/** Collecting the whole registry would also query the database. */
async function taskCounters(registry: Registry): Promise<MetricJson[]> {
  const tasks = await registry.getSingleMetric('assay_tasks_total')?.get();
  return tasks === undefined ? [] : [tasks as MetricJson];
}

async function recordCounts(registry: Registry): Promise<[string, number][]> {
  const counts: [string, number][] = [];
  for (const [key, gauge] of RECORDS) {
    const value = (await registry.getSingleMetric(gauge)?.get())?.values[0]?.value;
    if (value !== undefined) counts.push([key, value]);
  }
  return counts;
}
