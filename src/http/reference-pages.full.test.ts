import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { testGateway } from '../../test/support/gateway.ts';
import { requireTool } from '../../test/support/require.ts';
import type { Gateway } from './gateway.ts';
import { createSlidingWindow } from './rate-limit.ts';

let app: Gateway;
afterEach(() => app?.close());

const PAGES = ['/docs', '/swagger', '/redoc'];
const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);

describe('the reference pages', () => {
  it.each(PAGES)('%s is public and references no other hosts', async (path) => {
    ({ app } = await testGateway());
    const page = await app.inject(path);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).not.toMatch(/https?:|\/\//);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  });

  it.each(PAGES)('%s loads immutable files, compressed if accepted', async (path) => {
    ({ app } = await testGateway());
    const files = assetsOf((await app.inject(path)).body).filter((address) => !address.startsWith('data:'));
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const plain = await app.inject(`/${file}`);
      expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined]);
      expect(plain.headers['cache-control']).toContain('immutable');
      const packed = await app.inject({ url: `/${file}`, headers: { 'accept-encoding': 'gzip, br' } });
      expect(packed.headers['content-encoding']).toBe('gzip');
      if (plain.rawPayload.length > 10_000) expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
      const etag = String(plain.headers.etag);
      expect((await app.inject({ url: `/${file}`, headers: { 'if-none-match': etag } })).statusCode).toBe(304);
    }
    const outdated = files[0]!.replace(/\/[0-9a-f]{16}\//, '/0000000000000000/');
    expect((await app.inject(`/${outdated}`)).statusCode).toBe(404);
  });
});

describe('GET /openapi.json', () => {
  const webhooks = {
    terminal: { post: { summary: 'The final state', responses: { '200': { description: 'Received.' } } } },
  };

  it('is OpenAPI 3.1 generated from the validation schemas, with security, errors, examples and webhooks', async () => {
    ({ app } = await testGateway({
      webhooks,
      publicUrl: 'https://api.example',
      limiter: createSlidingWindow({ limit: 5 }),
    }));
    const answer = await app.inject('/openapi.json');
    const document = answer.json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Sample service', version: '1.2.3' },
      servers: [{ url: 'https://api.example' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      webhooks,
    });
    const predict = document.paths['/predict'].post;
    expect(predict).toMatchObject({ operationId: 'predict', security: [{ bearer: [] }] });
    expect(predict.requestBody.content['application/json'].schema).toMatchObject({
      required: ['image_url'],
      properties: { priority: { anyOf: [{ const: 'realtime' }, { const: 'batch' }] } },
    });
    expect(Object.keys(predict.responses)).toEqual(
      expect.arrayContaining(['401', '413', '415', '422', '429', '500', '503']),
    );
    expect(predict.responses['503'].content['application/json'].examples).toMatchObject({
      QUEUE_UNAVAILABLE: { value: { ok: false, error: { code: 'QUEUE_UNAVAILABLE' } } },
    });
    const read = document.paths['/result/{task_id}'].get;
    expect(read.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ in: 'path', name: 'task_id', required: true }),
        expect.objectContaining({ in: 'query', name: 'page', required: false }),
      ]),
    );
    expect(read.responses['200'].description).toBe('The state.');
    expect(Object.keys(read.responses)).not.toContain('413');
    expect(Object.keys(read.responses)).toContain('414');
    expect(Object.keys(document.paths)).not.toContain('/openapi.json');
    expect(document.paths['/open'].get.security).toBeUndefined();
    const etag = String(answer.headers.etag);
    expect((await app.inject({ url: '/openapi.json', headers: { 'if-none-match': etag } })).statusCode).toBe(304);
  });

  it('keeps the error descriptions of a route', async () => {
    ({ app } = await testGateway({}, (gateway) => {
      const response = { 422: { description: 'Ours.', content: { 'application/json': { schema: Type.Object({}) } } } };
      gateway.post('/own', { config: { access: 'public' }, schema: { body: Type.Object({}), response } }, () => 'x');
    }));
    expect((await app.inject('/openapi.json')).json().paths['/own'].post.responses['422'].description).toBe('Ours.');
  });
});

describe('the reference pages in a browser', () => {
  it('show the operations without requests to other hosts', async (context) => {
    const executablePath = requireTool('chromium', context);
    ({ app } = await testGateway());
    await app.listen({ port: 0, host: '127.0.0.1' });
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const quiet = ['background-networking', 'component-update', 'sync', 'gpu'].map((name) => `--disable-${name}`);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--no-first-run', ...quiet] });
    try {
      for (const path of PAGES) {
        const page = await browser.newPage();
        const outside: string[] = [];
        const complaints: string[] = [];
        await page.route(
          (url) => url.origin !== origin,
          (route) => {
            outside.push(route.request().url());
            return route.abort();
          },
        );
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(String(error)));
        await page.goto(origin + path, { waitUntil: 'load' });
        await page.getByText('Create a classification task').first().waitFor({ timeout: 20_000 });
        // Late requests (fonts, logos, telemetry) follow soon after the first rendering.
        await page.waitForTimeout(500);
        expect([path, outside, complaints]).toEqual([path, [], []]);
        await page.close();
      }
    } finally {
      await browser.close();
    }
  }, 60_000);
});
