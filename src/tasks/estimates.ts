import type { Queryable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import { createTimeShare } from '../base/time-share.ts';
import type { BatchSummary } from './batch-store.ts';
import { createEstimateSamples, type EstimateSamples, type Learned, type TaskOutcome } from './estimate-samples.ts';
import { createFairPosition, type FairPosition } from './fair-position.ts';
import type { ClientWeights } from './fair-tags.ts';
import type { Depth } from './store.ts';
import type { Priority } from './task.ts';
import type { WorkerRegistry } from './worker-registry.ts';

export type Estimates = ReturnType<typeof createEstimates>;

/** Lower bounds of the estimates of a service. */
export interface EstimateSettings {
  readonly warmSeconds: number;
  readonly coldSeconds: number;
}

export interface Estimate {
  readonly seconds: number;
  readonly onAccepted: (id: string) => void;
}

interface EstimatedTask {
  readonly service: string;
  readonly priority: Priority;
  readonly owner: string;
  /** Tasks before it in the same request, which are not counted as waiting yet. */
  readonly precededBy?: number;
}

/** Maximum share of the time for reading the outcomes of sampled tasks. */
const READING_SHARE = 0.05;
const MAX_INTERVAL_MS = 60_000;

/**
 * Estimates the time from queueing to the end of a task, from counts in memory: the time for the tasks that start before it
 * at the measured rate, and its duration, corrected by how long sampled tasks took. docs/decisions/0023-admission-and-estimates.md
 */
export function createEstimates(deps: {
  mode: 'learned' | 'fixed';
  db: Queryable;
  workerRegistry: WorkerRegistry;
  weights: ClientWeights;
  /** A task fails at its deadline. */
  deadlineSeconds: number;
  signal: AbortSignal;
  log: Log;
  refreshMs: number;
}) {
  const { mode, db, workerRegistry, weights, deadlineSeconds, signal, log, refreshMs } = deps;
  const queues = new Map<string, Queue>();
  const reading = createTimeShare(READING_SHARE, { leastMs: refreshMs, mostMs: MAX_INTERVAL_MS });

  const readOutcomes = async () => {
    for (const { samples } of queues.values()) {
      const ids = samples.openIds();
      if (ids.length > 0) samples.record((await db.query<TaskOutcome>(OUTCOMES, [ids])).rows);
    }
  };
  void loop(async () => void (reading.isDue() && (await reading.spend(readOutcomes))), {
    ...{ intervalMs: refreshMs, maxIntervalMs: 2000, signal },
    onError: (err) => signal.aborted || log.warn({ err }, 'reading the outcomes of tasks failed'),
  });

  const queueOf = (service: string, priority: Priority): Queue => {
    const depth = workerRegistry.queueDepth(service);
    const key = `${service} ${priority}`;
    const known = queues.get(key);
    if (known?.depth === depth) return known;
    const position = createFairPosition(depth.backlog[priority], weights);
    const samples = known?.samples ?? createEstimateSamples();
    const queue: Queue = { depth, position, added: new Map(), samples };
    queues.set(key, queue);
    return queue;
  };

  /** Completed tasks per second while tasks wait, which is measured at the first such time. */
  const rateOf = (service: string, learned: Learned | undefined): number | undefined =>
    workerRegistry.completionsPerSecond(service) ??
    (learned && (workerRegistry.concurrency(service) / learned.meanSeconds || undefined));

  /** Waiting tasks that start before the task, and tasks in progress. */
  const countAhead = (
    { service, priority, owner, precededBy = 0 }: EstimatedTask,
    { depth, position, added }: Queue,
  ) => {
    const waiting = workerRegistry.waitingTasks(service);
    const addedTasks = added.get(owner) ?? 0;
    added.set(owner, addedTasks + 1);
    const inQueue = Math.min(position.tasksAhead(owner, addedTasks), waiting[priority] + precededBy);
    const ofPriority = Math.max(precededBy, inQueue);
    return (priority === 'realtime' ? 0 : waiting.realtime) + ofPriority + depth.processing;
  };

  const fixedSeconds = (service: string, { warmSeconds, coldSeconds }: EstimateSettings) =>
    workerRegistry.workerState(service) === 'warm' ? warmSeconds : coldSeconds;

  return {
    /**
     * The estimate of a task about to be accepted; call `onAccepted` if it was. An unknown worker state counts as cold: a
     * late first poll is harmless.
     */
    estimate(task: EstimatedTask, settings: EstimateSettings): Estimate {
      const { warmSeconds } = settings;
      const fixed = fixedSeconds(task.service, settings);
      if (mode === 'fixed') return { seconds: fixed, onAccepted() {} };
      const queue = queueOf(task.service, task.priority);
      const learned = queue.samples.learned();
      const rate = rateOf(task.service, learned);
      const tasksAhead = countAhead(task, queue);
      const withStart = rate && fixed - warmSeconds + expectedSeconds(tasksAhead, rate, learned);
      const corrected = Math.ceil((withStart ?? 0) * (learned?.factor ?? 1));
      return {
        seconds: Math.max(fixed, Math.min(corrected, deadlineSeconds)),
        onAccepted: (id) => queue.samples.add(id, withStart),
      };
    },

    /** Seconds until the last open task of a batch ends: at the measured rate, or else the time for one task. */
    remaining(service: string, { counts, lastTags }: BatchSummary, settings: EstimateSettings): number {
      const { queued, processing } = counts;
      if (queued + processing === 0) return 0;
      const priority = lastTags?.batch == null ? 'realtime' : 'batch';
      const fixed = fixedSeconds(service, settings);
      const { depth, position, samples } = queueOf(service, priority);
      const learned = samples.learned();
      const rate = rateOf(service, learned);
      if (mode === 'fixed' || rate === undefined) return fixed;
      let others = processing - 1;
      const tag = lastTags?.[priority];
      if (tag != null) {
        const waiting = workerRegistry.waitingTasks(service);
        const micros = Math.max(0, tag - depth.virtualTime[priority]) * 1e6;
        // The last count may be older than the batch.
        const ofPriority = Math.max(queued, Math.min(position.tasksBefore(micros), waiting[priority]));
        others = ofPriority - 1 + (priority === 'batch' ? waiting.realtime : 0) + depth.processing;
      }
      const expected = fixed - settings.warmSeconds + expectedSeconds(others, rate, learned);
      return Math.max(1, Math.min(Math.ceil(expected * (learned?.factor ?? 1)), deadlineSeconds));
    },
  };
}

/** From now to the end of a waiting task, while workers are warm. */
function expectedSeconds(tasksAhead: number, rate: number, learned: Learned | undefined): number {
  const { meanSeconds, longSeconds } = learned ?? { meanSeconds: 0, longSeconds: 0 };
  // The task starts one mean duration before it and the tasks ahead would have ended at this rate.
  return Math.max(0, (tasksAhead + 1) / rate - meanSeconds) + longSeconds;
}

/** Of one service and priority. */
interface Queue {
  /** The last count. */
  readonly depth: Depth;
  readonly position: FairPosition;
  /** Tasks by client since the last count. */
  readonly added: Map<string, number>;
  readonly samples: EstimateSamples;
}

const OUTCOMES = {
  name: 'task-outcomes',
  text: `
    select s.id, extract(epoch from t.finished_at - t.queued_at)::float8 as seconds, t.processing_ms as "processingMs"
      from unnest($1::text[]) as s (id)
      left join tasks t on t.id = s.id
     where t.id is null or t.finished_at is not null`,
};
