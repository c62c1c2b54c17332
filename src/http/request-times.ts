import type { Registry } from 'prom-client';

const NAME = 'assay_http_request_seconds';
const HELP = 'Time from the request headers to the end of the response.';
const BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 60];

/** Records one response. */
export type Observe = (code: number, elapsedMs: number) => void;

export type Sample = { metricName: string; labels: Record<string, string | number>; value: number };

/**
 * Histogram of request times by service, route and status, compatible with prom-client. It builds labels at scrapes:
 * prom-client hashes them for each request, which took longer than the route's other checks.
 */
export function createRequestTimes(registry: Registry) {
  const routes = new Map<string, { service: string; route: string; byCode: Map<number, Series> }>();

  function samples(): Sample[] {
    return [...routes.values()].flatMap(({ service, route, byCode }) =>
      [...byCode].flatMap(([code, series]) => series.samples({ service, route, code })),
    );
  }

  const metric = {
    name: NAME,
    help: HELP,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: samples() }),
    reset() {
      for (const { byCode } of routes.values()) byCode.clear();
    },
  };
  // The type requires prom-client's classes, but the registry uses only these members.
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);

  return {
    /** The counts, for the counter with the same labels. */
    counts: () => samples().filter(({ metricName }) => metricName === `${NAME}_count`),
    route(service: string, route: string): Observe {
      // All methods of a path share one series.
      const known = routes.get(`${service} ${route}`);
      const { byCode } = known ?? { byCode: new Map<number, Series>() };
      if (known === undefined) routes.set(`${service} ${route}`, { service, route, byCode });
      return (code, elapsedMs) => {
        let series = byCode.get(code);
        if (series === undefined) {
          series = new Series();
          byCode.set(code, series);
        }
        series.add(elapsedMs / 1000);
      };
    },
  };
}

class Series {
  private readonly counts = new Float64Array(BOUNDS_SECONDS.length + 1);
  private sum = 0;

  add(seconds: number): void {
    let place = 0;
    while (place < BOUNDS_SECONDS.length && seconds > BOUNDS_SECONDS[place]!) place++;
    this.counts[place]!++;
    this.sum += seconds;
  }

  samples(labels: Sample['labels']): Sample[] {
    let total = 0;
    const buckets = Array.from(this.counts, (count, place) => {
      total += count;
      return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS_SECONDS[place] ?? '+Inf', ...labels }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, labels, value: this.sum },
      { metricName: `${NAME}_count`, labels, value: total },
    ];
  }
}
