import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Claim } from '../tasks/store.ts';

// What processes without a listener count. It travels with their heartbeats, and whoever scrapes a gateway sees the sum.

export interface WorkMeters {
  /** An attempt begins. */
  waited(claim: Claim): void;
  /** An attempt took this long, and its ending was recorded; `lost`: it was not, or there was none. */
  processed(claim: Claim, ms: number, outcome: 'done' | 'failed' | 'again' | 'lost'): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

export function createWorkMeters(service: string, registry: Registry): WorkMeters {
  const registers = [registry];
  const labelNames = ['service'];
  const wait = new Histogram({
    name: 'assay_task_wait_seconds',
    help: 'From queueing to the beginning of an attempt.',
    buckets: SECONDS,
    ...{ labelNames, registers },
  });
  const processing = new Histogram({
    name: 'assay_task_processing_seconds',
    help: 'From the beginning of an attempt to its end.',
    buckets: SECONDS,
    ...{ labelNames, registers },
  });
  const attempts = new Counter({
    name: 'assay_task_attempts_total',
    help: 'Attempts by how they ended; lost: another worker or nobody has the task now.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  const error = new Gauge({
    name: 'assay_estimate_error_seconds',
    help: 'What the last finished task took from its queueing, less what its client was told to expect.',
    aggregator: 'max',
    ...{ labelNames, registers },
  });
  const tasks = createTaskMeter(registry);
  return {
    waited: ({ waitedMs }) => wait.observe({ service }, waitedMs / 1000),
    processed({ waitedMs, estimateSeconds }, ms, outcome) {
      processing.observe({ service }, ms / 1000);
      attempts.inc({ service, outcome });
      if (outcome !== 'done' && outcome !== 'failed') return;
      tasks.ended(service, outcome);
      error.set({ service }, (waitedMs + ms) / 1000 - estimateSeconds);
    },
  };
}

export interface TaskMeter {
  ended(service: string, status: 'done' | 'failed', count?: number): void;
}

/** `assay_tasks_total`: tasks by the state they ended in, whoever ended them. The roles of one process share it. */
export function createTaskMeter(registry: Registry): TaskMeter {
  const name = 'assay_tasks_total';
  const total =
    (registry.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'Tasks by the state they ended in.',
      labelNames: ['service', 'status'],
      registers: [registry],
    });
  return { ended: (service, status, count = 1) => total.inc({ service, status }, count) };
}

export interface DeliveryMeters {
  attempted(service: string, outcome: string): void;
}

export function createDeliveryMeters(registry: Registry): DeliveryMeters {
  const attempts = new Counter({
    name: 'assay_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['service', 'outcome'],
    registers: [registry],
  });
  return { attempted: (service, outcome) => attempts.inc({ service, outcome }) };
}
