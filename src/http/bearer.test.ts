import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { rawConnection, TOKEN, testGateway } from '../../test/support/gateway.ts';
import { createBearerGuard, parseTokenSettings } from './bearer.ts';
import type { Gateway } from './gateway.ts';

let app: Gateway | undefined;
afterEach(() => app?.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the token settings', () => {
  // Rows: list, single token, state, and status codes [no header, wrong, valid] by access.
  const enforced = { task: [401, 401, 200], bearer: [401, 401, 200], public: [200, 200, 200] };
  const disabled = { task: [200, 200, 200], bearer: [200, 200, 200], public: [200, 200, 200] };
  const unconfigured = { task: [503, 503, 503], bearer: [401, 401, 401], public: [200, 200, 200] };
  const rows = [
    [undefined, undefined, 'unconfigured', unconfigured],
    [undefined, '', 'unconfigured', unconfigured],
    [undefined, TOKEN, 'enforced', enforced],
    ['', undefined, 'unconfigured', unconfigured],
    ['', '', 'disabled', disabled],
    ['', TOKEN, 'enforced', enforced],
    [TOKEN, undefined, 'enforced', enforced],
    [TOKEN, '', 'enforced', enforced],
    [TOKEN, 'another', 'enforced', enforced],
  ] as const;
  const paths = { task: '/result/a', bearer: '/classes', public: '/open' };

  it.each(rows)('with the list %j and the single token %j are %s', async (list, single, state, answers) => {
    const tokens = parseTokenSettings({ list, single });
    expect(tokens.state).toBe(state);
    ({ app } = await testGateway({ guard: createBearerGuard(tokens) }));
    for (const kind of ['task', 'bearer', 'public'] as const) {
      const codes: number[] = [];
      for (const authorization of [undefined, 'Bearer wrong', `Bearer ${TOKEN}`]) {
        const answer = await app.inject({
          url: paths[kind],
          headers: authorization === undefined ? {} : { authorization },
        });
        codes.push(answer.statusCode);
        if (answer.statusCode === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
        if (answer.statusCode === 503) {
          expect(answer.json()).toMatchObject({ error: { code: 'QUEUE_UNAVAILABLE' } });
          expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
        }
      }
      expect([kind, codes]).toEqual([kind, answers[kind]]);
    }
  });

  it.each([',', ' , ', ',\n,'])('reject the list %j, which has no entry', (list) => {
    expect(() => parseTokenSettings({ list })).toThrow('has no entry');
    expect(() => parseTokenSettings({ list, single: '', mayDisable: false })).toThrow('has no entry');
  });

  it('are unconfigured for an empty list of a service that must not be disabled', () => {
    expect(parseTokenSettings({ list: '', single: '', mayDisable: false }).state).toBe('unconfigured');
    expect(parseTokenSettings({ list: undefined, mayDisable: false }).state).toBe('unconfigured');
    expect(() => parseTokenSettings({ authSetting: 'disabled', mayDisable: false })).toThrow('cannot be disabled');
  });

  it('accept "disabled", but not together with tokens', () => {
    expect(parseTokenSettings({ authSetting: 'disabled' }).state).toBe('disabled');
    expect(() => parseTokenSettings({ authSetting: 'disabled', list: 'a' })).toThrow('Remove one');
  });

  it('reject an invalid bearer token without repeating it', () => {
    for (const bad of ['pass word', 'sha256:12', 'naïve', 'x'.repeat(513)]) {
      expect(() => parseTokenSettings({ list: `good,${bad}` })).toThrow(/^Access token number 2 /);
      expect(() => parseTokenSettings({ list: `good,${bad}` })).not.toThrow(bad);
    }
  });
});

describe('the Authorization header', () => {
  const ask = async (authorization: string, list = TOKEN) => {
    ({ app } = await testGateway({ guard: createBearerGuard(parseTokenSettings({ list })) }));
    return app.inject({ url: '/result/a', headers: { authorization } });
  };

  it.each([`bearer ${TOKEN}`, `BEARER ${TOKEN}`, `Bearer   ${TOKEN}`])('%j is accepted', async (header) => {
    expect((await ask(header)).statusCode).toBe(200);
  });

  it.each([
    TOKEN,
    `Basic ${TOKEN}`,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN} x`,
    `Bearer "${TOKEN}"`,
    `Bearer ${TOKEN},x`,
    `Bearer${TOKEN}`,
    `Bearer ${'x'.repeat(600)}`,
  ])('%j is rejected', async (header) => {
    expect((await ask(header)).statusCode).toBe(401);
  });

  it('is rejected when repeated, even with valid tokens', async () => {
    ({ app } = await testGateway());
    const { socket, received } = await rawConnection(app);
    const line = `Authorization: Bearer ${TOKEN}\r\n`;
    socket.write(`GET /classes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}${line}\r\n`);
    expect(await received()).toContain('HTTP/1.1 401');
  });

  it('matches a token configured as a digest, with the same principal', async () => {
    const plain = await ask(`Bearer ${TOKEN}`);
    await app?.close();
    const digest = await ask(`Bearer ${TOKEN}`, `other,sha256:${sha256(TOKEN).toUpperCase()}`);
    expect(digest.json()).toEqual(plain.json());
    expect(digest.json()).toMatchObject({ data: { who: `token-${sha256(TOKEN).slice(0, 12)}` } });
  });

  it('is rejected with a digest in place of the token', async () => {
    expect((await ask(`Bearer ${sha256(TOKEN)}`, `sha256:${sha256(TOKEN)}`)).statusCode).toBe(401);
  });

  it('can be checked by an asynchronous guard', async () => {
    ({ app } = await testGateway({ guard: async () => 'someone' }));
    expect((await app.inject('/result/a')).json()).toMatchObject({ data: { who: 'someone' } });
    await app.close();
    ({ app } = await testGateway({ guard: () => Promise.reject(new Error('lost')) }));
    expect((await app.inject('/result/a')).statusCode).toBe(500);
  });
});
