import { afterEach, describe, expect, it } from 'vitest';
import { Fault, taskNotFound } from '../base/faults.ts';
import type { Gateway } from './gateway.ts';
import { slidingWindow } from './rate-limit.ts';
import { BEARER, rawConnection, testGateway } from './testing/gateway.ts';

let app: Gateway;
afterEach(() => app?.close());

const json = { 'content-type': 'application/json' };
const good = JSON.stringify({ image_url: 'https://storage.example/a.jpg' });
const codeOf = (response: { json: () => unknown }) => (response.json() as { error: { code: string } }).error.code;

describe('the order of checks is the same on every route', () => {
  // Each request breaks one rule more than the one before it, the earliest rule last: so the answer changes each time.
  it('answers the earliest rule that a request breaks', async () => {
    ({ app } = await testGateway({ limiter: slidingWindow({ limit: 1 }) }));
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

  it('asks for the type and the size of a body before it looks inside', async () => {
    ({ app } = await testGateway());
    const post = (headers: Record<string, string>, payload: string) =>
      app.inject({ method: 'POST', url: '/predict', headers: { ...BEARER, ...headers }, payload });

    const wrongType = await post({ 'content-type': 'text/plain' }, '{');
    expect([wrongType.statusCode, codeOf(wrongType)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const tooLarge = await post(json, `"${'x'.repeat(70_000)}"`);
    expect([tooLarge.statusCode, codeOf(tooLarge)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    for (const body of ['{', '', '{"a":1}x', '{"__proto__":{"x":1}}', '[]', 'null', '{"image_url":7}']) {
      const refused = await post(json, body);
      expect([body, refused.statusCode, codeOf(refused)]).toEqual([body, 422, 'VALIDATION_ERROR']);
    }
    expect(codeOf(await app.inject({ method: 'POST', url: '/predict', headers: BEARER }))).toBe('VALIDATION_ERROR');
  });
});

describe('addresses and methods', () => {
  it('answers an unknown path with 404, a wrong method with 405 and Allow, and HEAD wherever GET', async () => {
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

  it('does not start with a route that does not say who may call it', async () => {
    ({ app } = await testGateway());
    expect(() => app.get('/forgotten', () => 'x')).toThrow('does not say who may call it');
  });
});

describe('bodies and parameters', () => {
  it('coerces what travels as text and never a body; unknown keys are ignored', async () => {
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
    [{ image_url: { s3cret: 1 } }, '`image_url` must be string.'],
    ['s3cret', 'The body must be object.'],
  ])('says in one sentence what is wrong with %j, without the value', async (payload, message) => {
    ({ app } = await testGateway());
    const refused = await app.inject({
      method: 'POST',
      url: '/predict',
      headers: { ...BEARER, ...json },
      payload: JSON.stringify(payload),
    });
    expect(refused.json()).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR', message } });
  });

  it('sends a body as it was made, whatever the response schema leaves out', async () => {
    ({ app } = await testGateway());
    const read = await app.inject({ url: '/result/a', headers: BEARER });
    expect(read.json()).toEqual({
      ok: true,
      data: { task_id: 'a', who: expect.stringMatching(/^token-[0-9a-f]{12}$/) },
    });
  });

  it('lets a service word its validation failures itself', async () => {
    const validation = {
      body: (failure: object, id: string) => ({ detail: [{ failure, id }] }),
      schema: {},
      example: {},
    };
    ({ app } = await testGateway({ validation }));
    const refused = await app.inject({ method: 'POST', url: '/predict', headers: BEARER, payload: {} });
    expect(refused.statusCode).toBe(422);
    const problem = { keyword: 'required', params: { missingProperty: 'image_url' }, data: {} };
    expect(refused.json()).toMatchObject({
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

  it('answers a refusal with its own code, status and headers', async () => {
    ({ app } = await failing(new Fault('SOME_CODE', 418, 'A sentence.', { 'x-why': 'tea' })));
    const refused = await app.inject({ url: '/fail', headers: { 'x-request-id': 'mine.1' } });
    expect([refused.statusCode, refused.headers['x-why']]).toEqual([418, 'tea']);
    expect(refused.json()).toEqual({
      ok: false,
      error: { code: 'SOME_CODE', message: 'A sentence.', request_id: 'mine.1' },
    });
  });

  it('answers a store that cannot be reached with 503 QUEUE_UNAVAILABLE and Retry-After', async () => {
    ({ app } = await failing(new Error('no connection')));
    const refused = await app.inject('/fail');
    expect([refused.statusCode, codeOf(refused), refused.headers['retry-after']]).toEqual([
      503,
      'QUEUE_UNAVAILABLE',
      '5',
    ]);
  });

  it("takes a connection that the store lost for its own trouble, not for the client's", async () => {
    ({ app } = await failing(Object.assign(new Error('no connection'), { code: 'ECONNRESET' })));
    expect(codeOf(await app.inject('/fail'))).toBe('QUEUE_UNAVAILABLE');
  });

  it('forgets what the route had begun to say', async () => {
    ({ app } = await testGateway({}, (gateway) => {
      gateway.get('/page', { config: { access: 'public' } }, async (_request, answer) => {
        void answer.headers({ 'content-type': 'text/html', 'cache-control': 'public, immutable' });
        throw taskNotFound();
      });
    }));
    const refused = await app.inject('/page');
    expect([refused.statusCode, codeOf(refused), refused.headers['cache-control']]).toEqual([
      404,
      'TASK_NOT_FOUND',
      'no-store',
    ]);
    expect(refused.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('answers a bug with 500 INTERNAL_ERROR and no detail, and logs it with the request id', async () => {
    const { app: gateway, log } = await failing(new Error('password is hunter2'));
    app = gateway;
    const refused = await app.inject('/fail');
    expect([refused.statusCode, codeOf(refused)]).toEqual([500, 'INTERNAL_ERROR']);
    expect(refused.body).not.toContain('hunter2');
    const line = log.find((each) => each['level'] === 50);
    expect(line).toMatchObject({
      request_id: refused.headers['x-request-id'],
      err: { message: 'password is hunter2' },
    });
  });

  it('logs nothing for a refusal and nothing for a success', async () => {
    const { app: gateway, log } = await failing(taskNotFound());
    app = gateway;
    await app.inject('/fail');
    await app.inject('/open');
    expect(log).toEqual([]);
  });
});

describe('headers', () => {
  it('echoes a request id that is a plain word and mints one otherwise', async () => {
    ({ app } = await testGateway());
    const idFor = async (id: string) =>
      (await app.inject({ url: '/open', headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('a.b_c-1')).toBe('a.b_c-1');
    for (const bad of ['', 'a b', 'é', 'x'.repeat(129), 'a"b', '<script>'])
      expect(await idFor(bad)).toMatch(/^[0-9a-f]{12}-/);
    expect(await idFor('')).not.toBe(await idFor(''));
  });

  it('forbids caching of whatever is behind a credential, refusals included', async () => {
    ({ app } = await testGateway());
    expect((await app.inject({ url: '/classes', headers: BEARER })).headers['cache-control']).toBe('no-store');
    expect((await app.inject('/classes')).headers['cache-control']).toBe('no-store');
    expect((await app.inject('/open')).headers['cache-control']).toBeUndefined();
    expect((await app.inject('/open')).headers['x-content-type-options']).toBe('nosniff');
  });

  it('allows no origin unless the operator names it, and a preflight needs no credential', async () => {
    ({ app } = await testGateway({ corsAllowOrigins: ['https://app.example'] }));
    const preflight = (origin: string) =>
      app.inject({ method: 'OPTIONS', url: '/predict', headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await preflight('https://app.example');
    expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example']);
    expect(allowed.headers['access-control-allow-methods']).toBe('POST');
    expect(allowed.headers['access-control-allow-headers']).toContain('Authorization');
    expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
    const refused = await app.inject({ url: '/classes', headers: { origin: 'https://app.example' } });
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([401, 'https://app.example']);
    expect((await app.inject('/open')).headers.vary).toBe('Origin');
  });
});

describe('closing', () => {
  it('tells those who hold requests open, finishes what is in flight with Connection: close, and closes what is idle', async () => {
    ({ app } = await testGateway({}, (gateway) => {
      gateway.get('/held', { config: { access: 'public' } }, async () => {
        await new Promise((resolve) => gateway.closing.addEventListener('abort', resolve));
        await new Promise((resolve) => setTimeout(resolve, 100));
        return 'told';
      });
    }));
    const idle = await rawConnection(app);
    idle.socket.write('GET /open HTTP/1.1\r\nHost: a\r\n\r\n');
    const held = await rawConnection(app);
    held.socket.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.heard(100);
    const started = performance.now();
    await app.close();
    expect(performance.now() - started).toBeLessThan(2000);
    const answer = await held.heard();
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer).toMatch(/told$/);
    expect(idle.socket.destroyed || idle.socket.readableEnded).toBe(true);
  });

  it('takes many held requests for no leak', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    ({ app } = await testGateway());
    for (let held = 0; held < 50; held++) app.closing.addEventListener('abort', () => {});
    await new Promise(setImmediate); // warnings are told a moment later
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('cuts what does not end in its grace', async () => {
    ({ app } = await testGateway({ closeGraceMs: 100 }, (gateway) => {
      gateway.get('/forever', { config: { access: 'public' } }, () => new Promise(() => {}));
    }));
    const held = await rawConnection(app);
    held.socket.write('GET /forever HTTP/1.1\r\nHost: a\r\n\r\n');
    await held.heard(50);
    const started = performance.now();
    await app.close();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
