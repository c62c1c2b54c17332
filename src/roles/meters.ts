import { Counter, Histogram, Registry } from 'prom-client';

/** What a process counts; it travels with its heartbeat, and whoever scrapes a gateway sees the sum. */
export interface Meters {
  snapshot(): Promise<unknown[]>;
}

export interface WorkMeters extends Meters {
  /** A task waited this long in the queue before this attempt. */
  waited(ms: number): void;
  /** An attempt took this long. */
  processed(ms: number, outcome: 'done' | 'failed' | 'again' | 'lost'): void;
}

export interface DeliveryMeters extends Meters {
  attempted(service: string, outcome: string): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

export function createWorkMeters(service: string): WorkMeters {
  const registry = new Registry();
  const registers = [registry];
  const wait = new Histogram({
    name: 'assay_task_wait_seconds',
    help: 'From queueing to the beginning of an attempt.',
    labelNames: ['service'],
    buckets: SECONDS,
    registers,
  });
  const processing = new Histogram({
    name: 'assay_task_processing_seconds',
    help: 'From the beginning of an attempt to its end.',
    labelNames: ['service'],
    buckets: SECONDS,
    registers,
  });
  const attempts = new Counter({
    name: 'assay_task_attempts_total',
    help: 'Attempts by how they ended; lost: another worker or nobody has the task now.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  return {
    waited: (ms) => wait.observe({ service }, ms / 1000),
    processed(ms, outcome) {
      processing.observe({ service }, ms / 1000);
      attempts.inc({ service, outcome });
    },
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

export function createDeliveryMeters(): DeliveryMeters {
  const registry = new Registry();
  const attempts = new Counter({
    name: 'assay_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['service', 'outcome'],
    registers: [registry],
  });
  return {
    attempted: (service, outcome) => attempts.inc({ service, outcome }),
    snapshot: () => registry.getMetricsAsJSON(),
  };
}
