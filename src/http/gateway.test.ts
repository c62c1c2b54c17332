import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { BEARER, rawConnection, testGateway } from '../../test/support/gateway.ts';
import { ApiError, taskNotFound } from '../base/api-error.ts';
import type { Gateway } from './gateway.ts';
import { createSlidingWindow } from './rate-limit.ts';

let app: Gateway;
afterEach(() => app?.close());

const json = { 'content-type': 'application/json' };
const good = JSON.stringify({ image_url: 'https://storage.example/a.jpg' });
const codeOf = (response: { json: () => unknown }) => (response.json() as { error: { code: string } }).error.code;

describe('the order of checks', () => {
  // Each request also violates one rule that is checked earlier, so the response changes each time.
  it('reports the first violated rule', async () => {
    ({ app } = await testGateway({ limiter: createSlidingWindow({ limit: 1 }) }));
    const post = (url: string, headers: Record<string, string>, payload: string) =>
      app.inject({ method: 'POST', url, headers, payload });

    expect((await post('/predict', { ...BEARER, ...json }, good)).statusCode).toBe(202);
    expect(codeOf(await post('/predict', { ...BEARER, 'content-type': 'text/plain' }, '{'))).toBe(
      'RATE_LIMIT_EXCEEDED',
    );
    expect(codeOf(await post('/predict', { 'content-type': 'text/plain' }, '{'))).toBe('UNAUTHORIZED');
    expect(codeOf(await post('/result/a', { 'content-type': 'text/plain' }, '{'))).toBe('METHOD_NOT_ALLOWED');
    expect(codeOf(await post('/nowhere', { 'content-type': 'text/plain' }, '{'))).toBe('NOT_FOUND');
  });

  it('checks the media type and size of a body before its content', async () => {
    ({ app } = await testGateway());
    const post = (headers: Record<string, string>, payload: string) =>
      app.inject({ method: 'POST', url: '/predict', headers: { ...BEARER, ...headers }, payload });

    const wrongType = await post({ 'content-type': 'text/plain' }, '{');
    expect([wrongType.statusCode, codeOf(wrongType)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const tooLarge = await post(json, `"${'x'.repeat(70_000)}"`);
    expect([tooLarge.statusCode, codeOf(tooLarge)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    for (const body of ['{', '', '{"a":1}x', '{"__proto__":{"x":1}}', '[]', 'null', '{"image_url":7}']) {
      const rejected = await post(json, body);
      expect([body, rejected.statusCode, codeOf(rejected)]).toEqual([body, 422, 'VALIDATION_ERROR']);
    }
    expect(codeOf(await app.inject({ method: 'POST', url: '/predict', headers: BEARER }))).toBe('VALIDATION_ERROR');
  });
});

describe('The gateway', () => {
  it('returns errors of the paths of another API in its format, also of a path that is not valid text', async () => {
    const format = { status: () => 404, body: () => ({ error: 'other' }), schema: {} };
    ({ app } = await testGateway({ pathErrors: { prefix: '/v1', format } }));
    for (const url of ['/v1', '/v1?a=1', '/v1/', '/v1/nowhere', '/v1/models/%zz', '/v1/%zz?a=%zz'])
      expect([url, (await app.inject(url)).json()]).toEqual([url, { error: 'other' }]);
    for (const url of ['/v10', '/v1x/nowhere', '/v1%zz', '/%zz', '/nowhere?/v1/'])
      expect([url, codeOf(await app.inject(url))]).toEqual([url, 'NOT_FOUND']);
  });

  it('returns 404 for an unknown path and 405 with Allow for a wrong method, and serves HEAD for every GET route', async () => {
    ({ app } = await testGateway());
    expect(codeOf(await app.inject('/nowhere'))).toBe('NOT_FOUND');
    expect(codeOf(await app.inject('/%zz'))).toBe('NOT_FOUND');
    expect(codeOf(await app.inject('/result/a/b'))).toBe('NOT_FOUND');
    const wrong = await app.inject({ method: 'DELETE', url: '/result/a?x=1' });
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await app.inject({ method: 'PUT', url: '/predict' })).headers.allow).toBe('POST');
    const head = await app.inject({ method: 'HEAD', url: '/open' });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '25']);
    const options = await app.inject({ method: 'OPTIONS', url: '/predict' });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'POST']);
  });

  it('throws for a route without declared access', async () => {
    ({ app } = await testGateway());
    expect(() => app.get('/forgotten', () => 'x')).toThrow('does not declare `access`');
  });

  it('coerces parameters but not bodies, and ignores unknown keys', async () => {
    ({ app } = await testGateway());
    const read = await app.inject({ url: '/result/a?page=2', headers: BEARER });
    expect(read.json()).toMatchObject({ data: { page: 2 } });
    const post = (payload: object) => app.inject({ method: 'POST', url: '/predict', headers: BEARER, payload });
    expect((await post({ image_url: 'x', size: '2' })).statusCode).toBe(422);
    expect((await post({ image_url: 'x', something: [1] })).statusCode).toBe(202);
  });

  it.each([
    [{}, '`image_url` is required.'],
    [{ image_url: 'x', priority: 's3cret' }, '`priority` must be one of "realtime", "batch".'],
    [{ image_url: 'x', webhook: {} }, '`webhook.url` is required.'],
    [{ image_url: { s3cret: 1 } }, '`image_url` must be a string.'],
    [{ image_url: '' }, '`image_url` must have at least 1 character.'],
    [{ image_url: 's3cret'.repeat(400) }, '`image_url` must have at most 2048 characters.'],
    ['s3cret', 'The body must be an object.'],
  ])('describes the error in %j without the value', async (payload, message) => {
    ({ app } = await testGateway());
    const rejected = await app.inject({
      method: 'POST',
      url: '/predict',
      headers: { ...BEARER, ...json },
      payload: JSON.stringify(payload),
    });
    expect(rejected.json()).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR', message } });
  });

  it('names the values of a boolean parameter in the error', async () => {
    ({ app } = await testGateway());
    const schema = { querystring: Type.Object({ all: Type.Boolean({ default: false }) }) };
    app.get('/flags', { config: { access: 'public' }, schema }, () => 'x');
    for (const value of ['1', 'yes', '']) {
      const { statusCode, body } = await app.inject({ url: `/flags?all=${value}` });
      expect([statusCode, JSON.parse(body).error.message]).toEqual([422, '`all` must be true or false.']);
    }
    expect((await app.inject({ url: '/flags?all=true' })).statusCode).toBe(200);
  });

  it('names the limits of numbers and lists, and an example of a format, in the error', async () => {
    ({ app } = await testGateway());
    const schema = {
      querystring: Type.Object({
        wait: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 })),
        tag: Type.Optional(Type.Array(Type.String(), { maxItems: 1 })),
        since: Type.Optional(Type.String({ pattern: '^\\d{10}$', examples: ['1767225600'] })),
      }),
    };
    app.get('/waits', { config: { access: 'public' }, schema }, () => 'x');
    const messageOf = async (query: string) =>
      JSON.parse((await app.inject({ url: `/waits?${query}` })).body).error.message;
    expect(await messageOf('wait=31')).toBe('`wait` must be at most 30.');
    expect(await messageOf('wait=-1')).toBe('`wait` must be at least 0.');
    expect(await messageOf('tag=a&tag=b')).toBe('`tag` must have at most 1 item.');
    expect(await messageOf('since=today')).toBe('`since` has an invalid format; an example is "1767225600".');
  });

  it('sends fields that are missing in the response schema', async () => {
    ({ app } = await testGateway());
    const read = await app.inject({ url: '/result/a', headers: BEARER });
    expect(read.json()).toEqual({
      ok: true,
      data: { task_id: 'a', who: expect.stringMatching(/^token-[0-9a-f]{12}$/) },
    });
  });

  it('uses the validation format of the service', async () => {
    const validation = {
      body: (failure: object, id: string) => ({ detail: [{ failure, id }] }),
      schema: {},
      example: {},
    };
    ({ app } = await testGateway({ validation }));
    const rejected = await app.inject({ method: 'POST', url: '/predict', headers: BEARER, payload: {} });
    expect(rejected.statusCode).toBe(422);
    const problem = { keyword: 'required', params: { missingProperty: 'image_url' }, data: {} };
    expect(rejected.json()).toMatchObject({
      detail: [{ failure: { kind: 'schema', where: 'body', problems: [problem] } }],
    });
  });
});

describe('errors', () => {
  const failing = (error: unknown) =>
    testGateway({ isUnavailable: (each) => (each as Error).message === 'no connection' }, (gateway) => {
      gateway.get('/fail', { config: { access: 'public' } }, async () => {
        throw error;
      });
    });

  it('are sent with their own code, status and headers', async () => {
    ({ app } = await failing(new ApiError('SOME_CODE', 418, 'A sentence.', { 'x-why': 'tea' })));
    const rejected = await app.inject({ url: '/fail', headers: { 'x-request-id': 'mine.1' } });
    expect([rejected.statusCode, rejected.headers['x-why']]).toEqual([418, 'tea']);
    expect(rejected.json()).toEqual({
      ok: false,
      error: { code: 'SOME_CODE', message: 'A sentence.', request_id: 'mine.1' },
    });
  });

  it('of an unavailable database are sent as 503 QUEUE_UNAVAILABLE with Retry-After', async () => {
    ({ app } = await failing(new Error('no connection')));
    const rejected = await app.inject('/fail');
    expect([rejected.statusCode, codeOf(rejected), rejected.headers['retry-after']]).toEqual([
      503,
      'QUEUE_UNAVAILABLE',
      '5',
    ]);
  });

  it('do not treat a lost database connection as a client disconnect', async () => {
    ({ app } = await failing(Object.assign(new Error('no connection'), { code: 'ECONNRESET' })));
    expect(codeOf(await app.inject('/fail'))).toBe('QUEUE_UNAVAILABLE');
  });

  it('override headers that the route has set', async () => {
    ({ app } = await testGateway({}, (gateway) => {
      gateway.get('/page', { config: { access: 'public' } }, async (_request, answer) => {
        void answer.headers({ 'content-type': 'text/html', 'cache-control': 'public, immutable' });
        throw taskNotFound();
      });
    }));
    const rejected = await app.inject('/page');
    expect([rejected.statusCode, codeOf(rejected), rejected.headers['cache-control']]).toEqual([
      404,
      'TASK_NOT_FOUND',
      'no-store',
    ]);
    expect(rejected.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('of bugs are sent as 500 INTERNAL_ERROR without details and logged with the request id', async () => {
    const { app: gateway, log } = await failing(new Error('password is hunter2'));
    app = gateway;
    const rejected = await app.inject('/fail');
    expect([rejected.statusCode, codeOf(rejected)]).toEqual([500, 'INTERNAL_ERROR']);
    expect(rejected.body).not.toContain('hunter2');
    const line = log.find((each) => each['level'] === 50);
    expect(line).toMatchObject({
      request_id: rejected.headers['x-request-id'],
      err: { message: 'password is hunter2' },
    });
  });

  it('of clients are not logged, like successes', async () => {
    const { app: gateway, log } = await failing(taskNotFound());
    app = gateway;
    await app.inject('/fail');
    await app.inject('/open');
    expect(log).toEqual([]);
  });
});

describe('headers', () => {
  it('contain the valid request id of the client or a new one', async () => {
    ({ app } = await testGateway());
    const idFor = async (id: string) =>
      (await app.inject({ url: '/open', headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('a.b_c-1')).toBe('a.b_c-1');
    for (const bad of ['', 'a b', 'é', 'x'.repeat(129), 'a"b', '<script>'])
      expect(await idFor(bad)).toMatch(/^[0-9a-f]{12}-/);
    expect(await idFor('')).not.toBe(await idFor(''));
  });

  it('forbid caching of authenticated responses, including errors', async () => {
    ({ app } = await testGateway());
    expect((await app.inject({ url: '/classes', headers: BEARER })).headers['cache-control']).toBe('no-store');
    expect((await app.inject('/classes')).headers['cache-control']).toBe('no-store');
    expect((await app.inject('/open')).headers['cache-control']).toBeUndefined();
    expect((await app.inject('/open')).headers['x-content-type-options']).toBe('nosniff');
  });

  it('allow only configured origins, and preflights without credentials', async () => {
    ({ app } = await testGateway({ corsAllowOrigins: ['https://app.example'] }));
    const preflight = (origin: string) =>
      app.inject({ method: 'OPTIONS', url: '/predict', headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await preflight('https://app.example');
    expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example']);
    expect(allowed.headers['access-control-allow-methods']).toBe('POST');
    expect(allowed.headers['access-control-allow-headers']).toContain('Authorization');
    expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
    const rejected = await app.inject({ url: '/classes', headers: { origin: 'https://app.example' } });
    expect([rejected.statusCode, rejected.headers['access-control-allow-origin']]).toEqual([
      401,
      'https://app.example',
    ]);
    expect((await app.inject('/open')).headers.vary).toBe('Origin');
  });
});

describe('graceful shutdown', () => {
  it('notifies long-polling requests, completes requests with Connection: close and closes idle connections', async () => {
    ({ app } = await testGateway({}, (gateway) => {
      gateway.get('/held', { config: { access: 'public' } }, async () => {
        await new Promise((resolve) => gateway.closing.addEventListener('abort', resolve));
        await new Promise((resolve) => setTimeout(resolve, 100));
        return 'notified';
      });
    }));
    const idle = await rawConnection(app);
    idle.socket.write('GET /open HTTP/1.1\r\nHost: a\r\n\r\n');
    const held = await rawConnection(app);
    held.socket.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.received(100);
    const started = performance.now();
    await app.close();
    expect(performance.now() - started).toBeLessThan(2000);
    const answer = await held.received();
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer).toMatch(/notified$/);
    expect(idle.socket.destroyed || idle.socket.readableEnded).toBe(true);
  });

  it('does not warn about leaks for many long-polling requests', async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on('warning', collect);
    ({ app } = await testGateway());
    for (let held = 0; held < 50; held++) app.closing.addEventListener('abort', () => {});
    await new Promise(setImmediate); // warnings are emitted asynchronously
    process.off('warning', collect);
    expect(warnings).toEqual([]);
  });

  it('closes requests that exceed the grace period', async () => {
    ({ app } = await testGateway({ closeGraceMs: 100 }, (gateway) => {
      gateway.get('/forever', { config: { access: 'public' } }, () => new Promise(() => {}));
    }));
    const held = await rawConnection(app);
    held.socket.write('GET /forever HTTP/1.1\r\nHost: a\r\n\r\n');
    await held.received(50);
    const started = performance.now();
    await app.close();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
