import type { Registry } from 'prom-client';
import type { MetricJson } from '../http/metrics.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Neighbour } from './neighbours.ts';
import { openCounts, tasksKey, webhooksKey } from './overview-counts.ts';

/** How all services were at one moment. */
export interface Sample {
  /** In milliseconds. */
  readonly at: number;
  /** By the keys below; counters as they stood, of the time since the first sample. */
  readonly values: ReadonlyMap<string, number>;
}

export const PENDING = 'webhooks pending';
export const queueKey = (service: string, what: 'unfinished' | 'waiting' | 'processing') => `queue ${service} ${what}`;

/** What a gateway of the catalog tells of its records, and by which gauge; the first one measures them all. */
export const RECORDS = [
  ['documents', 'assay_catalog_documents'],
  ['lag_seconds', 'assay_catalog_lag_seconds'],
] as const;

/** Records are counted by the database, one by one: not with every sample. */
const SAMPLES_PER_COUNT = 8;

/** What this process counts of tasks, and its id: its own heartbeat says the same a little later. */
export interface OwnCounters {
  readonly id: string;
  readonly registry: Registry;
}

/** Takes samples from what is in memory here anyhow; only records are counted for it. */
export function openSampler({
  roster,
  neighbours,
  registry,
  own,
}: {
  roster: Roster;
  neighbours: readonly Neighbour[];
  /** The metrics of this process's listeners. */
  registry: Registry;
  own: OwnCounters;
}): () => Promise<Sample> {
  const counts = openCounts();
  const busy = neighbours.filter(({ takesTasks }) => takesTasks).map(({ name }) => name);
  let taken = 0;
  let records: readonly (readonly [string, number])[] = [];

  return async () => {
    const at = Date.now();
    const others = roster
      .all()
      .filter(({ id }) => id !== own.id)
      .map(({ id, metrics = [] }) => ({ id, metrics: metrics as MetricJson[] }));
    counts.look([{ id: own.id, metrics: await tasksCounted(own.registry) }, ...others], at);
    if (taken++ % SAMPLES_PER_COUNT === 0) records = await recordsCounted(registry);
    return {
      at,
      values: new Map([
        ...records,
        [PENDING, roster.pendingDeliveries()],
        ...(['delivered', 'failed'] as const).map((outcome) => entryOf(webhooksKey(outcome))),
        ...busy.flatMap(queueNow),
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

/** What this process has counted of tasks; whoever asks for all its metrics asks the database, too. */
async function tasksCounted(registry: Registry): Promise<MetricJson[]> {
  const tasks = await registry.getSingleMetric('assay_tasks_total')?.get();
  return tasks === undefined ? [] : [tasks as MetricJson];
}

/** None where no gateway of the catalog is in this process. */
async function recordsCounted(registry: Registry): Promise<[string, number][]> {
  const counted: [string, number][] = [];
  for (const [key, gauge] of RECORDS) {
    const value = (await registry.getSingleMetric(gauge)?.get())?.values[0]?.value;
    if (value !== undefined) counted.push([key, value]);
  }
  return counted;
}
