import type { Registry } from 'prom-client';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { MetricJson } from '../http/metrics.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Priority } from '../tasks/task.ts';
import type { Beat, WorkerState } from '../tasks/workers.ts';
import type { Neighbour } from './neighbours.ts';
import { type Counted, gaugeOf, openCounts, tasksKey, webhooksKey } from './overview-counts.ts';
import { type WorkerSeen, workersOf } from './overview-workers.ts';

/** How the services are, and how they were in the last minutes: names and numbers, and nothing of any task or client. */
export interface Overview {
  /** As `GET /overview.json` tells it; not `open`: only what `/ready` and `/health` tell as well. */
  snapshot(seen: { open: boolean }): Snapshot;
}

export interface Snapshot {
  /** When the latest sample was taken; null where there is none yet. */
  readonly at: string | null;
  /** From one sample to the next, and so between the numbers of a history (the latest is last). */
  readonly every_seconds: number;
  /** Whether the store of tasks answers; if not, the numbers are those of the time when it last did. */
  readonly reachable: boolean;
  readonly services: readonly ServiceSeen[];
  readonly webhooks?: {
    readonly pending: Series;
    readonly delivered_last_minute: Series;
    readonly failed_last_minute: Series;
  };
}

/** A number over time: what it is now is its last. */
export type Series = readonly number[];

export interface ServiceSeen {
  readonly service: string;
  readonly worker_state: WorkerState;
  readonly workers: readonly WorkerSeen[];
  /** Absent where it takes no tasks. */
  readonly queue?: {
    /** Tasks that have not ended. */
    readonly unfinished: Series;
    readonly waiting?: Series;
    readonly waiting_now?: Readonly<Record<Priority, number>>;
    readonly oldest_waiting_seconds?: Readonly<Record<Priority, number>>;
    readonly processing?: Series;
    readonly done_last_minute?: Series;
    readonly failed_last_minute?: Series;
  };
  /** Of one that indexes, where its worker tells. */
  readonly documents?: Series;
  readonly lag_seconds?: Series;
}

/** With a sample every two seconds, five minutes. */
export const KEPT = 150;
const A_MINUTE_MS = 60_000;

interface Sample {
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
}

/** Takes a sample every `everyMs` until `signal` aborts, and keeps the last ones. */
export function keepOverview(needs: {
  roster: Roster;
  neighbours: readonly Neighbour[];
  /** Where this process counts. */
  registry: Registry;
  everyMs: number;
  log: Log;
  signal: AbortSignal;
}): Overview {
  const { roster, neighbours, registry, everyMs, log, signal } = needs;
  const samples: Sample[] = [];
  const counts = openCounts();

  const take = async () => {
    if (!roster.reachable()) return;
    const at = Date.now();
    const others = roster.all().map(counted);
    counts.look([{ id: 'this process', metrics: await countedHere(registry) }, ...others], at);
    samples.push({ at, values: valuesNow() });
    if (samples.length > KEPT) samples.shift();
  };

  function valuesNow(): Map<string, number> {
    const values = new Map([['pending', roster.pendingDeliveries()]]);
    for (const outcome of ['delivered', 'failed'] as const) values.set(outcome, counts.of(webhooksKey(outcome)));
    for (const { name, takesTasks } of neighbours) {
      if (!takesTasks) continue;
      const { waiting, processing } = roster.depth(name);
      values.set(`${name} waiting`, waiting.realtime + waiting.batch).set(`${name} processing`, processing);
      values.set(`${name} unfinished`, waiting.realtime + waiting.batch + processing);
      for (const status of ['done', 'failed'] as const)
        values.set(`${name} ${status}`, counts.of(tasksKey(name, status)));
    }
    for (const { service, ...beat } of roster.all()) {
      for (const [key, gauge] of RECORDS) {
        const value = gaugeOf(gauge, counted(beat));
        if (value !== undefined) values.set(`${service} ${key}`, value);
      }
    }
    return values;
  }

  void loop(take, { restMs: everyMs, signal, onError: (err) => log.warn({ err }, 'the overview misses a sample') });

  const series = (key: string): Series => samples.map(({ values }) => values.get(key) ?? 0);
  const lastMinute = (key: string): Series =>
    samples.map(({ at, values }) => {
      const first = samples.find((earlier) => earlier.at >= at - A_MINUTE_MS)!;
      return (values.get(key) ?? 0) - (first.values.get(key) ?? 0);
    });

  const serviceNow = ({ name, takesTasks }: Neighbour, open: boolean): ServiceSeen => {
    const { waiting, oldestWaitingSeconds: oldest } = roster.depth(name);
    const records = RECORDS.filter(([key]) => samples.at(-1)?.values.has(`${name} ${key}`));
    return {
      service: name,
      worker_state: roster.state(name),
      workers: workersOf(roster, name, { open }),
      ...(takesTasks && {
        queue: {
          unfinished: series(`${name} unfinished`),
          ...(open && {
            waiting: series(`${name} waiting`),
            waiting_now: waiting,
            oldest_waiting_seconds: { realtime: Math.round(oldest.realtime), batch: Math.round(oldest.batch) },
            processing: series(`${name} processing`),
            done_last_minute: lastMinute(`${name} done`),
            failed_last_minute: lastMinute(`${name} failed`),
          }),
        },
      }),
      ...Object.fromEntries(records.map(([key]) => [key, series(`${name} ${key}`)])),
    };
  };

  return {
    snapshot: ({ open }) => ({
      at: samples.length === 0 ? null : new Date(samples.at(-1)!.at).toISOString(),
      every_seconds: everyMs / 1000,
      reachable: roster.reachable(),
      services: neighbours.map((neighbour) => serviceNow(neighbour, open)),
      ...(open && {
        webhooks: {
          pending: series('pending'),
          delivered_last_minute: lastMinute('delivered'),
          failed_last_minute: lastMinute('failed'),
        },
      }),
    }),
  };
}

const counted = ({ id, metrics = [] }: Pick<Beat, 'id' | 'metrics'>): Counted => ({
  id,
  metrics: metrics as MetricJson[],
});

/** What a worker that indexes tells, and with which gauge. */
const RECORDS = [
  ['documents', 'assay_catalog_documents'],
  ['lag_seconds', 'assay_catalog_lag_seconds'],
] as const;

/** Only the counter that is looked at: to collect all of them would ask the database. */
async function countedHere(registry: Registry): Promise<MetricJson[]> {
  const tasks = await registry.getSingleMetric('assay_tasks_total')?.get();
  return tasks === undefined ? [] : [tasks as MetricJson];
}
