import { Gauge, type Registry } from 'prom-client';
import type { WorkerRegistry } from './worker-registry.ts';

/** Gauges of the queue and its workers, read from the worker registry at each scrape. */
export function registerQueueMetrics(deps: {
  registry: Registry;
  workerRegistry: WorkerRegistry;
  services: readonly string[];
}): void {
  const { registry, workerRegistry, services } = deps;
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void) =>
    new Gauge({
      ...{ name, help, labelNames, registers: [registry] },
      // All gateways read the same database.
      aggregator: 'max',
      collect() {
        collect(this as unknown as Gauge);
      },
    });
  const perService = (name: string, help: string, count: (service: string) => number) =>
    gauge(name, help, ['service'], (g) => {
      for (const service of services) g.set({ service }, count(service));
    });
  gauge(
    'assay_queue_depth',
    'Tasks that wait for a worker, counted up to 10000 or the queue limit, whichever is higher.',
    ['service', 'priority'],
    (g) => {
      for (const service of services) {
        for (const [priority, n] of Object.entries(workerRegistry.queueDepth(service).waiting))
          g.set({ service, priority }, n);
      }
    },
  );
  perService(
    'assay_tasks_processing',
    'Tasks in progress.',
    (service) => workerRegistry.queueDepth(service).processing,
  );
  perService(
    'assay_workers_online',
    'Workers whose model is loaded.',
    (service) => workerRegistry.warmWorkers(service).length,
  );
  perService('assay_model_loaded', '1 while at least one worker has its model loaded.', (service) =>
    workerRegistry.workerState(service) === 'warm' ? 1 : 0,
  );
  gauge('assay_webhook_pending', 'Webhooks that wait for an attempt, counted up to 10000.', [], (g) =>
    g.set(workerRegistry.pendingDeliveries()),
  );
}
