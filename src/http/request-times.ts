import type { Registry } from 'prom-client';

const NAME = 'assay_http_request_seconds';
const HELP = 'Time from the request headers to the end of the response.';
const BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 60];

/** Counts one answer: its status and how long it took. */
export type Observe = (code: number, elapsedMs: number) => void;

export type Sample = { metricName: string; labels: Record<string, string | number>; value: number };

/**
 * The histogram of request times, one series per service, route and status. It is prom-client's in all but the counting:
 * a route's labels are known when it is registered, and building and hashing them anew for each request took longer than
 * the route's other checks. Here a request costs two additions, and the labels are made when somebody asks.
 */
export function requestTimes(registry: Registry) {
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
  // Its type asks for prom-client's own classes; the registry itself asks for no more than the above.
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);

  return {
    /** How often each was answered, for the counter of the same labels. */
    counts: () => samples().filter(({ metricName }) => metricName === `${NAME}_count`),
    route(service: string, route: string): Observe {
      // GET, HEAD and POST of one path are one route here: a series must not be listed twice.
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
