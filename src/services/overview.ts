import type { Registry } from 'prom-client';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Priority } from '../tasks/task.ts';
import type { WorkerState } from '../tasks/workers.ts';
import type { Neighbour } from './neighbours.ts';
import { tasksKey, webhooksKey } from './overview-counts.ts';
import { type OwnCounters, openSampler, PENDING, queueKey, RECORDS, type Sample } from './overview-samples.ts';
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
  readonly queue?: QueueSeen;
  /** Of the catalog, where it listens in this process: records that can be found, and how far behind it is. */
  readonly documents?: Series;
  readonly lag_seconds?: Series;
}

/** What of a service waits and ends; closed, only how much there is. */
export interface QueueSeen {
  /** Tasks that have not ended. */
  readonly unfinished: Series;
  readonly waiting?: Series;
  readonly waiting_now?: Readonly<Record<Priority, number>>;
  readonly oldest_waiting_seconds?: Readonly<Record<Priority, number>>;
  readonly processing?: Series;
  readonly done_last_minute?: Series;
  readonly failed_last_minute?: Series;
}

/** With a sample every two seconds, five minutes. */
export const KEPT = 150;
const A_MINUTE_MS = 60_000;

/** Takes a sample every `everyMs` until `signal` aborts, and keeps the last ones. */
export function keepOverview(needs: {
  roster: Roster;
  neighbours: readonly Neighbour[];
  /** The metrics of this process's listeners. */
  registry: Registry;
  /** What this process counts beside them, and its id among heartbeats. */
  own: OwnCounters;
  everyMs: number;
  log: Log;
  signal: AbortSignal;
}): Overview {
  const { roster, neighbours, registry, own, everyMs, log, signal } = needs;
  const samples: Sample[] = [];
  const sample = openSampler({ roster, neighbours, registry, own });
  const take = async () => {
    if (!roster.reachable()) return;
    samples.push(await sample());
    if (samples.length > KEPT) samples.shift();
  };
  void loop(take, { restMs: everyMs, signal, onError: (err) => log.warn({ err }, 'the overview misses a sample') });

  const series = (key: string): Series => samples.map(({ values }) => values.get(key) ?? 0);
  const lastMinute = (key: string): Series =>
    samples.map(({ at, values }) => {
      const first = samples.find((earlier) => earlier.at >= at - A_MINUTE_MS)!;
      return (values.get(key) ?? 0) - (first.values.get(key) ?? 0);
    });

  const queueNow = (name: string, open: boolean): QueueSeen => {
    const { waiting, oldestWaitingSeconds: oldest } = roster.depth(name);
    return {
      unfinished: series(queueKey(name, 'unfinished')),
      ...(open && {
        waiting: series(queueKey(name, 'waiting')),
        waiting_now: waiting,
        oldest_waiting_seconds: { realtime: Math.round(oldest.realtime), batch: Math.round(oldest.batch) },
        processing: series(queueKey(name, 'processing')),
        done_last_minute: lastMinute(tasksKey(name, 'done')),
        failed_last_minute: lastMinute(tasksKey(name, 'failed')),
      }),
    };
  };
  // Records are of the one that takes no tasks, and attends to them.
  const recordsNow = () =>
    Object.fromEntries(RECORDS.filter(([key]) => samples.at(-1)?.values.has(key)).map(([key]) => [key, series(key)]));

  return {
    snapshot: ({ open }) => ({
      at: samples.length === 0 ? null : new Date(samples.at(-1)!.at).toISOString(),
      every_seconds: everyMs / 1000,
      reachable: roster.reachable(),
      services: neighbours.map(({ name, takesTasks }) => ({
        service: name,
        worker_state: roster.state(name),
        workers: workersOf(roster, name, { open }),
        ...(takesTasks ? { queue: queueNow(name, open) } : recordsNow()),
      })),
      ...(open && {
        webhooks: {
          pending: series(PENDING),
          delivered_last_minute: lastMinute(webhooksKey('delivered')),
          failed_last_minute: lastMinute(webhooksKey('failed')),
        },
      }),
    }),
  };
}
