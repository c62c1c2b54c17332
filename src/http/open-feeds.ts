import { Counter, Gauge, type Registry } from 'prom-client';
import { feedsExhausted, tooManyFeeds } from '../base/api-error.ts';

export type OpenFeeds = ReturnType<typeof createOpenFeeds>;

/** Limits the event feeds that wait for events, per client and in total; short polls do not count. */
export function createOpenFeeds(options: { perClient: number; total: number; registry: Registry }) {
  const { perClient, total, registry } = options;
  const byClient = new Map<string, number>();
  let count = 0;
  const open = new Gauge({
    name: 'assay_event_feeds_open',
    help: 'Event feeds that wait for events.',
    labelNames: ['service', 'kind'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'assay_event_feeds_refused_total',
    help: 'Event feeds rejected by the limit of the client or of the gateway.',
    labelNames: ['service', 'limit'],
    registers: [registry],
  });

  /** Returns the function that closes the feed. Throws a 429 or 503 error above a limit. */
  return (service: string, principal: string, kind: 'poll' | 'stream'): (() => void) => {
    const client = `${service} ${principal}`;
    const own = byClient.get(client) ?? 0;
    if (own >= perClient) {
      refused.inc({ service, limit: 'client' });
      throw tooManyFeeds(perClient);
    }
    if (count >= total) {
      refused.inc({ service, limit: 'gateway' });
      throw feedsExhausted();
    }
    count++;
    byClient.set(client, own + 1);
    open.inc({ service, kind });
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      count--;
      const left = byClient.get(client)! - 1;
      if (left === 0) byClient.delete(client);
      else byClient.set(client, left);
      open.dec({ service, kind });
    };
  };
}
