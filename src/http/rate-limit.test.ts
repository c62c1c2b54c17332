import { afterEach, describe, expect, it } from 'vitest';
import { bearerGuard, tokensFrom } from './bearer.ts';
import { clientKey } from './gate.ts';
import type { Gateway } from './gateway.ts';
import { slidingWindow, type Verdict } from './rate-limit.ts';
import { BEARER, testGateway } from './testing/gateway.ts';

/** The window of a gateway that is alone: its verdicts are there at once. */
function alone(options: Parameters<typeof slidingWindow>[0]) {
  const window = slidingWindow(options)!;
  return { take: (key: string) => window.take(key) as Verdict };
}

let app: Gateway | undefined;
afterEach(() => app?.close());

describe('the sliding window', () => {
  it('lets exactly 1000 of 100 requests a second pass in 60 s', () => {
    let at = 0;
    const limiter = alone({ limit: 1000, now: () => at });
    let passed = 0;
    for (at = 0; at < 60_000; at += 10) if (limiter.take('a').allowed) passed++;
    expect(passed).toBe(1000);
  });

  it('never lets more than the limit pass in any window, wherever it starts, and never refuses below it', () => {
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

  it('lets a refused client through when it has waited exactly as long as it was told', () => {
    for (const offset of [0, 1, 499, 500, 999]) {
      let at = 5000;
      const limiter = alone({ limit: 3, now: () => at });
      for (let i = 0; i < 3; i++) expect(limiter.take('a').allowed).toBe(true);
      at += offset;
      const refused = limiter.take('a');
      expect(refused.allowed).toBe(false);
      expect(Number.isInteger(refused.resetSeconds) && refused.resetSeconds >= 1).toBe(true);
      at += refused.resetSeconds * 1000;
      expect(limiter.take('a').allowed).toBe(true);
    }
  });

  it('counts each key by itself, and a flood of new keys frees no busy one', () => {
    const limiter = alone({ limit: 2, maxKeys: 10, now: () => 0 });
    limiter.take('busy');
    limiter.take('busy');
    for (let i = 0; i < 100; i++) {
      expect(limiter.take(`new-${i}`).allowed).toBe(true);
      expect(limiter.take('busy').allowed).toBe(false);
    }
  });

  it('means no limit when it is 0', () => {
    expect(slidingWindow({ limit: 0 })).toBeUndefined();
  });
});

describe('limited routes', () => {
  it('carry RateLimit headers on every answer and refuse the 1001st request of a frozen minute', async () => {
    let at = 0;
    ({ app } = await testGateway({ limiter: slidingWindow({ limit: 1000, now: () => at }) }));
    const read = () => app!.inject({ url: '/result/a', headers: BEARER });
    const first = await read();
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=999;t=60',
    });
    for (let i = 0; i < 999; i++) await read();
    at = 42_500;
    const refused = await read();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '18']);
    expect(refused.json()).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=0;t=18',
    });
    expect((await app.inject({ url: '/classes', headers: BEARER })).headers['ratelimit']).toBeUndefined();
    at += 18_000;
    expect((await read()).statusCode).toBe(200);
  });

  it('share one quota per token, and a 401 spends none', async () => {
    ({ app } = await testGateway({
      guard: bearerGuard(tokensFrom({ list: 'secret-token,second' })),
      limiter: slidingWindow({ limit: 2, now: () => 0 }),
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

  it('count by client address when authorization is disabled, behind a proxy only if that is trusted', async () => {
    const guard = bearerGuard(tokensFrom({ list: '', single: '' }));
    const read = async (forwarded: string) =>
      (await app!.inject({ url: '/result/a', headers: { 'x-forwarded-for': forwarded } })).statusCode;
    ({ app } = await testGateway({ guard, limiter: slidingWindow({ limit: 1, now: () => 0 }) }));
    expect([await read('203.0.113.1'), await read('203.0.113.2')]).toEqual([200, 429]);
    await app.close();
    ({ app } = await testGateway({ guard, limiter: slidingWindow({ limit: 1, now: () => 0 }), trustProxy: 1 }));
    expect([await read('203.0.113.1'), await read('203.0.113.2'), await read('203.0.113.2')]).toEqual([200, 200, 429]);
  });

  it('answer 429 to an address that sends too many wrong tokens, and never to a valid token or to one that is missing', async () => {
    ({ app } = await testGateway({ wrongTokensPerMinute: 3, limiter: slidingWindow({ limit: 2 }) }));
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
    // The whole quota of the valid token is there.
    expect([await codes(BEARER), await codes(BEARER), await codes(BEARER)]).toEqual([200, 200, 429]);
  });

  it('count a whole IPv6 network as one client', () => {
    expect(clientKey('2001:db8:1:2:3:4:5:6')).toBe(clientKey('2001:db8:1:2::1'));
    expect(clientKey('2001:db8:1:3::1')).not.toBe(clientKey('2001:db8:1:2::1'));
    expect(clientKey('::ffff:192.0.2.1')).toBe(clientKey('192.0.2.1'));
    expect(clientKey('192.0.2.2')).not.toBe(clientKey('192.0.2.1'));
  });
});
