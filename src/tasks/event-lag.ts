import { Gauge, type Registry } from 'prom-client';
import type { EventStore } from './events.ts';

/** Exports the age of the oldest event that readers do not receive yet: it grows while the numbering fails. */
export function exportEventLag(events: Pick<EventStore, 'lagSeconds'>, registry: Registry): void {
  new Gauge({
    name: 'assay_event_lag_seconds',
    help: 'Age of the oldest event that is not in the event feed yet.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      // Keeps the last value while the database is unavailable.
      await events.lagSeconds().then(
        (seconds) => this.set(seconds),
        () => {},
      );
    },
  });
}
