import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { unauthorized } from '../base/api-error.ts';
import { hasValidToken, parseTokenSettings } from './bearer.ts';
import { createRequestTimes } from './request-times.ts';

/** A metric as prom-client serializes it for another process. */
export type MetricJson = MetricObjectWithValues<MetricValue<string>>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of one process, shared by its gateways. Labels are bounded: service, route pattern and status, never ids or hosts. */
export function createMetrics({ version }: { version: string }) {
  const registry = new Registry();
  const registers = [registry];
  const times = createRequestTimes(registry);
  new Counter({
    name: 'assay_http_requests_total',
    help: 'HTTP responses.',
    labelNames: ['service', 'route', 'code'],
    registers,
    collect() {
      this.reset();
      for (const { labels, value } of times.counts()) this.inc(labels, value);
    },
  });
  const limited = new Counter({
    name: 'assay_rate_limited_total',
    help: 'Requests rejected by the rate limit.',
    labelNames: ['service'],
    registers,
  });
  const authDisabled = new Gauge({
    name: 'assay_auth_disabled',
    help: '1 if authorization is disabled.',
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
    registry,
    /** Returns the observer of a route's responses; `route` is its pattern. */
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
  others?: () => Promise<MetricJson[][]>;
}

/**
 * Handler of `GET /metrics`: sums the metrics of this process and of `others()`; omits the latter if reading them fails.
 * Requires a bearer token if one is configured.
 */
export function createMetricsHandler({ registry, token, others }: MetricsSources) {
  const tokens = parseTokenSettings({ single: token });

  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (tokens.state === 'enforced' && !hasValidToken(request.headers.authorization, tokens.entries))
      throw unauthorized();
    const log = (err: unknown) => request.log.warn({ err }, 'reading metrics of other processes failed');
    const theirs = (await others?.().catch(log)) ?? [];
    const all = [await registry.getMetricsAsJSON(), ...theirs] as MetricJson[][];
    const open = /application\/openmetrics-text/.test(request.headers.accept ?? '');
    const merged = AggregatorRegistry.aggregate(open ? all.map(openMetricsNames) : all);
    if (open) merged.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    void reply.header('cache-control', 'no-store').type(merged.contentType);
    return merged.metrics();
  };
}

/** In OpenMetrics, counter names have no `_total`; prom-client adds it to each sample. */
function openMetricsNames(metrics: MetricJson[]): MetricJson[] {
  return metrics.map((metric) => ({ ...metric, name: metric.name.replace(/_total$/, '') }));
}
