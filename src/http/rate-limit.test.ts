import { afterEach, describe, expect, it } from 'vitest';
import { BEARER, testGateway } from '../../test/support/gateway.ts';
import { clientKey } from './auth-and-limit.ts';
import { createBearerGuard, parseTokenSettings } from './bearer.ts';
import type { Gateway } from './gateway.ts';
import { createSlidingWindow, type LimitResult } from './rate-limit.ts';

/** The window of a single gateway, which is synchronous. */
function alone(options: Parameters<typeof createSlidingWindow>[0]) {
  const window = createSlidingWindow(options)!;
  return { take: (key: string) => window.take(key) as LimitResult };
}

let app: Gateway | undefined;
afterEach(() => app?.close());

describe('the sliding window', () => {
  it('allows exactly 1000 requests in 60 s at 100 requests per second', () => {
    let at = 0;
    const limiter = alone({ limit: 1000, now: () => at });
    let passed = 0;
    for (at = 0; at < 60_000; at += 10) if (limiter.take('a').allowed) passed++;
    expect(passed).toBe(1000);
  });

  it('never exceeds the limit in any window and never rejects below it', () => {
    let at = 0;
    const limiter = alone({ limit: 20, windowMs: 1000, now: () => at });
    const passed: number[] = [];
    for (let i = 0; i < 20_000; i++) {
      at += Math.floor(Math.random() ** 4 * 200);
      const recent = passed.filter((time) => time > at - 1000).length;
      const verdict = limiter.take('a');
      expect(verdict.allowed).toBe(recent < 20);
      if (verdict.allowed) passed.push(at);
      expect(verdict.remaining).toBe(20 - recent - (verdict.allowed ? 1 : 0));
      if (passed.length > 100) passed.splice(0, 50);
    }
  });

  it('allows a request after exactly resetSeconds', () => {
    for (const offset of [0, 1, 499, 500, 999]) {
      let at = 5000;
      const limiter = alone({ limit: 3, now: () => at });
      for (let i = 0; i < 3; i++) expect(limiter.take('a').allowed).toBe(true);
      at += offset;
      const rejected = limiter.take('a');
      expect(rejected.allowed).toBe(false);
      expect(Number.isInteger(rejected.resetSeconds) && rejected.resetSeconds >= 1).toBe(true);
      at += rejected.resetSeconds * 1000;
      expect(limiter.take('a').allowed).toBe(true);
    }
  });

  it('counts keys separately and keeps active keys when many new keys arrive', () => {
    const limiter = alone({ limit: 2, maxKeys: 10, now: () => 0 });
    limiter.take('busy');
    limiter.take('busy');
    for (let i = 0; i < 100; i++) {
      expect(limiter.take(`new-${i}`).allowed).toBe(true);
      expect(limiter.take('busy').allowed).toBe(false);
    }
  });

  it('is undefined for the limit 0', () => {
    expect(createSlidingWindow({ limit: 0 })).toBeUndefined();
  });
});

describe('rate-limited routes', () => {
  it('send RateLimit headers and reject the 1001st request in a minute', async () => {
    let at = 0;
    ({ app } = await testGateway({ limiter: createSlidingWindow({ limit: 1000, now: () => at }) }));
    const read = () => app!.inject({ url: '/result/a', headers: BEARER });
    const first = await read();
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=999;t=60',
    });
    for (let i = 0; i < 999; i++) await read();
    at = 42_500;
    const rejected = await read();
    expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '18']);
    expect(rejected.json()).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(rejected.headers).toMatchObject({
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=0;t=18',
    });
    expect((await app.inject({ url: '/classes', headers: BEARER })).headers['ratelimit']).toBeUndefined();
    at += 18_000;
    expect((await read()).statusCode).toBe(200);
  });

  it('share one quota per token and do not count 401 responses', async () => {
    ({ app } = await testGateway({
      guard: createBearerGuard(parseTokenSettings({ list: 'secret-token,second' })),
      limiter: createSlidingWindow({ limit: 2, now: () => 0 }),
    }));
    const read = async (token: string) =>
      (await app!.inject({ url: '/result/a', headers: { authorization: `Bearer ${token}` } })).statusCode;
    for (let i = 0; i < 5; i++) expect(await read('wrong')).toBe(401);
    expect(await read('second')).toBe(200);
    const payload = { image_url: 'x' };
    expect((await app.inject({ method: 'POST', url: '/predict', headers: BEARER, payload })).statusCode).toBe(202);
    expect([await read('secret-token'), await read('secret-token')]).toEqual([200, 429]);
    expect(await read('second')).toBe(200);
  });

  it('count by client address without authorization, and use forwarded addresses only of trusted proxies', async () => {
    const guard = createBearerGuard(parseTokenSettings({ list: '', single: '' }));
    const read = async (forwarded: string) =>
      (await app!.inject({ url: '/result/a', headers: { 'x-forwarded-for': forwarded } })).statusCode;
    ({ app } = await testGateway({ guard, limiter: createSlidingWindow({ limit: 1, now: () => 0 }) }));
    expect([await read('203.0.113.1'), await read('203.0.113.2')]).toEqual([200, 429]);
    await app.close();
    ({ app } = await testGateway({ guard, limiter: createSlidingWindow({ limit: 1, now: () => 0 }), trustProxy: 1 }));
    expect([await read('203.0.113.1'), await read('203.0.113.2'), await read('203.0.113.2')]).toEqual([200, 200, 429]);
  });

  it('respond 429 to an address with too many wrong tokens, but not to valid or missing tokens', async () => {
    ({ app } = await testGateway({ wrongTokenLimitPerMinute: 3, limiter: createSlidingWindow({ limit: 2 }) }));
    const read = (headers: Record<string, string>, remoteAddress = '192.0.2.1') =>
      app!.inject({ url: '/result/a', headers, remoteAddress });
    const wrong = { authorization: 'Bearer wrong' };
    const codes = async (headers: Record<string, string>, from?: string) => (await read(headers, from)).statusCode;
    expect([await codes(wrong), await codes(wrong), await codes({}), await codes(wrong)]).toEqual([401, 401, 401, 401]);
    const limited = await read(wrong);
    expect([limited.statusCode, limited.json().error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(limited.headers).toMatchObject({ 'ratelimit-policy': '"default";q=3;w=60' });
    expect(limited.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect([await codes({}), await codes(wrong, '192.0.2.2')]).toEqual([401, 401]);
    // The quota of the valid token is unused.
    expect([await codes(BEARER), await codes(BEARER), await codes(BEARER)]).toEqual([200, 200, 429]);
  });

  it('count an IPv6 /64 network as one client', () => {
    expect(clientKey('2001:db8:1:2:3:4:5:6')).toBe(clientKey('2001:db8:1:2::1'));
    expect(clientKey('2001:db8:1:3::1')).not.toBe(clientKey('2001:db8:1:2::1'));
    expect(clientKey('::ffff:192.0.2.1')).toBe(clientKey('192.0.2.1'));
    expect(clientKey('192.0.2.2')).not.toBe(clientKey('192.0.2.1'));
  });
});
