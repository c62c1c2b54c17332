import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Claim } from '../tasks/store.ts';
import type { AttemptOutcome } from './spans.ts';

// Metrics of processes without a listener, sent with their heartbeats; gateways export the sums.

export type WorkMetrics = ReturnType<typeof createWorkMetrics>;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

export function createWorkMetrics(service: string, registry: Registry) {
  const registers = [registry];
  const labelNames = ['service'];
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, buckets: SECONDS, labelNames, registers });
  const wait = histogram('assay_task_wait_seconds', 'Time from queueing to the start of an attempt.');
  const processing = histogram('assay_task_processing_seconds', 'Duration of an attempt.');
  const attempts = new Counter({
    name: 'assay_task_attempts_total',
    help: 'Attempts by outcome; lost: the worker no longer held the task, which was not cancelled.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  const error = new Gauge({
    name: 'assay_estimate_error_seconds',
    help: 'Time from queueing to the end of the last finished task, minus its estimate.',
    aggregator: 'max',
    ...{ labelNames, registers },
  });
  const estimates = new Counter({
    name: 'assay_estimates_total',
    help: 'Finished tasks by whether they took at most the estimated time.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  const tasks = createTaskMetrics(registry);
  return {
    /** Called when an attempt starts. */
    observeWait: ({ waitedMs }: Claim): void => wait.observe({ service }, waitedMs / 1000),
    /** Called when an attempt has ended. */
    observeAttempt({ waitedMs, estimateSeconds }: Claim, ms: number, outcome: AttemptOutcome): void {
      processing.observe({ service }, ms / 1000);
      attempts.inc({ service, outcome });
      if (outcome !== 'done' && outcome !== 'failed') return;
      tasks.countFinished(service, outcome);
      if (estimateSeconds === 0) return;
      const errorSeconds = (waitedMs + ms) / 1000 - estimateSeconds;
      error.set({ service }, errorSeconds);
      estimates.inc({ service, outcome: errorSeconds > 0 ? 'exceeded' : 'met' });
    },
  };
}

export type TaskMetrics = ReturnType<typeof createTaskMetrics>;

/** `assay_tasks_total`, shared by the roles of one process. */
export function createTaskMetrics(registry: Registry) {
  const name = 'assay_tasks_total';
  const total =
    (registry.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'Finished tasks by status.',
      labelNames: ['service', 'status'],
      registers: [registry],
    });
  return {
    countFinished: (service: string, status: 'done' | 'failed', count = 1) => total.inc({ service, status }, count),
  };
}

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

export function createDeliveryMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'assay_webhook_attempts_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['service', 'outcome'],
    registers: [registry],
  });
  return { countAttempt: (service: string, outcome: string) => attempts.inc({ service, outcome }) };
}
