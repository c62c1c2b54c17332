import { afterEach, describe, expect, it } from 'vitest';
import { BEARER, testGateway } from '../../test/support/gateway.ts';
import type { Gateway } from './gateway.ts';
import { createMetrics, createMetricsHandler, type MetricJson, type MetricsSources } from './metrics.ts';
import { createSlidingWindow } from './rate-limit.ts';

let app: Gateway | undefined;
afterEach(() => app?.close());

async function serving(sources: Omit<MetricsSources, 'registry'> = {}) {
  const made = await testGateway({ limiter: createSlidingWindow({ limit: 2, now: () => 0 }) });
  app = made.app;
  app.get(
    '/metrics',
    { config: { access: 'public' } },
    createMetricsHandler({ registry: made.metrics.registry, ...sources }),
  );
  return made;
}
const read = async (headers: Record<string, string> = {}) => app!.inject({ url: '/metrics', headers });
const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name));

describe('GET /metrics', () => {
  it('counts responses by service, route pattern and status, without ids', async () => {
    await serving();
    for (const id of ['id-1', 'id-2', 'id-3']) await app!.inject({ url: `/result/${id}`, headers: BEARER });
    await app!.inject({ method: 'HEAD', url: '/result/id-1' });
    await app!.inject('/nowhere/id-4');
    const { body, headers } = await read();
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(linesOf(body, 'assay_http_requests_total').sort()).toEqual([
      'assay_http_requests_total{service="sample",route="/result/:task_id",code="200"} 2',
      'assay_http_requests_total{service="sample",route="/result/:task_id",code="401"} 1',
      'assay_http_requests_total{service="sample",route="/result/:task_id",code="429"} 1',
      'assay_http_requests_total{service="sample",route="none",code="404"} 1',
    ]);
    expect(linesOf(body, 'assay_rate_limited_total')).toEqual(['assay_rate_limited_total{service="sample"} 1']);
    expect(linesOf(body, 'assay_build_info')).toEqual(['assay_build_info{version="1.2.3"} 1']);
    expect(body).not.toMatch(/id-\d|secret/);
  });

  it('contains a histogram of request times with cumulative buckets', async () => {
    await serving();
    for (let i = 0; i < 5; i++) await app!.inject('/open');
    const { body } = await read();
    const buckets = linesOf(body, 'assay_http_request_seconds_bucket').map((line) => Number(line.split(' ')[1]));
    expect(buckets).toHaveLength(10);
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(buckets.at(-1)).toBe(5);
    expect(linesOf(body, 'assay_http_request_seconds_count')[0]).toMatch(/ 5$/);
  });

  it('supports OpenMetrics with correct names', async () => {
    await serving();
    await app!.inject('/open');
    const { body, headers } = await read({ accept: 'application/openmetrics-text; version=1.0.0' });
    expect(headers['content-type']).toContain('application/openmetrics-text');
    expect(body).toContain('# TYPE assay_http_requests counter');
    expect(body).toContain('assay_http_requests_total{service="sample",route="/open",code="200"} 1');
    expect(body).toMatch(/# EOF\n$/);
  });

  it('sums the counts of other processes, or returns only its own if reading them fails', async () => {
    const other = createMetrics({ version: '1.2.3' });
    other.route('sample', '/open')(200, 5);
    other.rateLimited('sample');
    let answer = async () => [(await other.registry.getMetricsAsJSON()) as MetricJson[]];
    await serving({ others: () => answer() });
    await app!.inject('/open');
    const both = (await read()).body;
    expect(both).toContain('assay_http_requests_total{service="sample",route="/open",code="200"} 2');
    expect(both).toContain('assay_build_info{version="1.2.3"} 1');
    answer = () => Promise.reject(new Error('gone'));
    expect((await read()).body).toContain('route="/open",code="200"} 1');
  });

  it('requires a token only if one is configured', async () => {
    await serving({ token: '' });
    expect((await read()).statusCode).toBe(200);
    await app!.close();
    await serving({ token: 'scrape' });
    expect((await read()).statusCode).toBe(401);
    expect((await read({ authorization: 'Bearer scrape' })).statusCode).toBe(200);
    expect((await read({ authorization: 'Bearer scrap' })).statusCode).toBe(401);
  });
});
