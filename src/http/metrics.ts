import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { unauthorized } from '../base/faults.ts';
import { carries, tokensFrom } from './bearer.ts';
import { requestTimes } from './request-times.ts';

/** One process's metrics as prom-client writes them for another process to merge. */
export type MetricJson = MetricObjectWithValues<MetricValue<string>>;

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The metrics of one process; its gateways share them. Labels are names from the code (service, route pattern, status),
 * never an id, a host or a token, so that their number is bounded.
 */
export function createMetrics({ version }: { version: string }) {
  const registry = new Registry();
  const registers = [registry];
  const times = requestTimes(registry);
  new Counter({
    name: 'assay_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['service', 'route', 'code'],
    registers,
    collect() {
      this.reset();
      for (const { labels, value } of times.counts()) this.inc(labels, value);
    },
  });
  const limited = new Counter({
    name: 'assay_rate_limited_total',
    help: 'Requests refused by the rate limit.',
    labelNames: ['service'],
    registers,
  });
  const authDisabled = new Gauge({
    name: 'assay_auth_disabled',
    help: '1 where the operator has switched authorization off.',
    labelNames: ['service'],
    aggregator: 'max',
    registers,
  });
  new Gauge({
    name: 'assay_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    aggregator: 'max',
    registers,
  }).set({ version }, 1);

  return {
    /** Where the other floors register their own. */
    registry,
    /** What counts the answers of one route; `route` is its pattern. */
    route: times.route,
    rateLimited(service: string): void {
      limited.inc({ service });
    },
    authDisabled(service: string, disabled: boolean): void {
      authDisabled.set({ service }, disabled ? 1 : 0);
    },
  };
}

export interface MetricsSources {
  registry: Registry;
  token?: string | undefined;
  /** What is counted over all processes. */
  others?: () => Promise<MetricJson[][]>;
}

/**
 * The handler of `GET /metrics`: this process's metrics summed with those of `others()`. A process that does not answer
 * leaves its part out; the rest is still shown. Asks for a bearer token only if one is set.
 */
export function metricsHandler({ registry, token, others }: MetricsSources) {
  const tokens = tokensFrom({ single: token });

  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (tokens.state === 'enforced' && !carries(request.headers.authorization, tokens.entries)) throw unauthorized();
    const log = (err: unknown) => request.log.warn({ err }, 'some metrics could not be read');
    const theirs = (await others?.().catch(log)) ?? [];
    const all = [await registry.getMetricsAsJSON(), ...theirs] as MetricJson[][];
    const open = /application\/openmetrics-text/.test(request.headers.accept ?? '');
    const merged = AggregatorRegistry.aggregate(open ? all.map(openMetricsNames) : all);
    if (open) merged.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    void reply.header('cache-control', 'no-store').type(merged.contentType);
    return merged.metrics();
  };
}

/** OpenMetrics names a counter without `_total` and prom-client adds it to each sample, so it must not be there twice. */
function openMetricsNames(metrics: MetricJson[]): MetricJson[] {
  return metrics.map((metric) => ({ ...metric, name: metric.name.replace(/_total$/, '') }));
}
