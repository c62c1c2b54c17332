import { Gauge, type Registry } from 'prom-client';
import type { Endpoints } from './endpoints.ts';
import type { EventStore } from './events.ts';

/** Gauges that are read from the database at each scrape. They keep their last value while it is unavailable. */
export function exportDatabaseGauges(
  registry: Registry,
  { events, endpoints }: { events: Pick<EventStore, 'lagSeconds'>; endpoints: Pick<Endpoints, 'countPaused'> },
): void {
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      ...{ name, help, registers: [registry], aggregator: 'max' },
      async collect() {
        await read().then(
          (value) => this.set(value),
          () => {},
        );
      },
    });
  gauge('assay_event_lag_seconds', 'Age of the oldest event that is not in the event feed yet.', events.lagSeconds);
  gauge(
    'assay_webhook_endpoints_paused',
    'Webhook receivers, by client, that get no attempts because they failed for a day.',
    endpoints.countPaused,
  );
}
