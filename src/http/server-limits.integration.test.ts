import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { rawConnection, TOKEN, testGateway } from '../../test/support/gateway.ts';
import type { Gateway } from './gateway.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './server-limits.ts';

let app: Gateway | undefined;
afterEach(() => app?.close());

/** Sends `text` over TCP; resolves with the response when the gateway closes the connection. */
async function exchange(text: string | string[], patience: Partial<Timeouts> = {}) {
  ({ app } = await testGateway({ timeouts: { ...DEFAULT_TIMEOUTS, ...patience } }));
  const { socket, received } = await rawConnection(app);
  for (const part of [text].flat()) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return received();
}

const post = (length: number | string) =>
  `POST /predict HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
  (typeof length === 'number' ? `Content-Length: ${length}\r\n\r\n` : `${length}\r\n\r\n`);

describe('slow clients', () => {
  it('receive 408 for incomplete headers', async () => {
    const started = performance.now();
    const answer = await exchange('GET /open HTTP/1.1\r\nHost: a\r\nX-Slow: ', { headersMs: 300 });
    expect(performance.now() - started).toBeLessThan(DEFAULT_TIMEOUTS.headersMs);
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it('receive 408 for an incomplete body', async () => {
    const answer = await exchange([post(50), '{"image_url":'], { bodyIdleMs: 200 });
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"ok":false');
  });

  it('are served while they keep sending', async () => {
    const body = '{"image_url":"x"}';
    const { app: gateway } = await testGateway({ timeouts: { ...DEFAULT_TIMEOUTS, bodyIdleMs: 300 } });
    app = gateway;
    const { socket, received } = await rawConnection(app);
    socket.write(post(body.length).replace('Host', 'Connection: close\r\nHost'));
    for (const character of body) {
      socket.write(character);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(await received()).toContain('HTTP/1.1 202');
  });

  it('receive the response to a complete request that is handled for longer than the limit', async () => {
    const timeouts = { ...DEFAULT_TIMEOUTS, bodyIdleMs: 100 };
    ({ app } = await testGateway({ timeouts }, (gateway) => {
      gateway.get('/slow', { config: { access: 'public' } }, async () => {
        await once(gateway.server, 'timeout');
        return { slow: true };
      });
    }));
    const { socket, received } = await rawConnection(app);
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await received()).toContain('{"slow":true}');
  });
});

describe('size limits', () => {
  it('return 414 for a long URL', async () => {
    ({ app } = await testGateway());
    const rejected = await app.inject(`/open?${'x'.repeat(9000)}`);
    expect([rejected.statusCode, rejected.json()]).toMatchObject([414, { error: { code: 'URI_TOO_LONG' } }]);
  });

  it('return 431 for large headers', async () => {
    const answer = await exchange(`GET /open HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 431');
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
  });

  it('return 431 to a client that reads later than it sends headers, and close the connection', async () => {
    ({ app } = await testGateway());
    const { socket, received } = await rawConnection(app);
    socket.pause();
    socket.write(`GET /open HTTP/1.1\r\nHost: a\r\n${'X-Large: x\r\n'.repeat(2_000_000)}`);
    await sleep(100);
    socket.resume();
    const answer = await received(6000);
    expect(answer).toContain('HTTP/1.1 431');
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
    expect(answer.match(/HTTP\/1/g)).toHaveLength(1);
  });

  it('return 431 for large headers on a reused connection', async () => {
    const answer = await exchange([
      'GET /open HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET /open HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]);
    expect(answer).toMatch(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 431/);
  });

  it('return 413 for a chunked body as soon as it is too large', async () => {
    ({ app } = await testGateway({ timeouts: { ...DEFAULT_TIMEOUTS, lingerMs: 300 } }));
    const { socket, received } = await rawConnection(app);
    socket.write(post('Transfer-Encoding: chunked'));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const sending = setInterval(() => socket.writable && socket.write(chunk), 5);
    const answer = await received(6000);
    clearInterval(sending);
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
    expect(socket.destroyed || !socket.writable).toBe(true);
  });

  it('do not apply before authentication: a large body with an invalid token returns 401', async () => {
    ({ app } = await testGateway({ timeouts: { ...DEFAULT_TIMEOUTS, lingerMs: 300 } }));
    const { socket, received } = await rawConnection(app);
    socket.write(post(100_000_000).replace(TOKEN, 'wrong'));
    for (let i = 0; i < 200; i++) socket.write('x'.repeat(10_000));
    expect(await received(6000)).toContain('HTTP/1.1 401');
  });
});

describe('the error response to invalid HTTP', () => {
  const large = `X-Large: ${'x'.repeat(20_000)}`;
  const head = (...lines: string[]) => `${['HEAD /open HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;
  const bodiless = (status: number) =>
    new RegExp(`HTTP/1\\.1 ${status} [^{]*content-length: \\d\\d+\\r\\n[^{]*\\r\\n\\r\\n$`, 'i');

  it.each([
    ['too many headers', head(large), 431],
    ['an invalid header', head('X-A : b'), 400],
    ['too many headers after a body', `${post(2)}{}${head(large)}`, 431],
    ['too many headers after a valid request', ['GET /open HTTP/1.1\r\nHost: a\r\n\r\n', head(large)], 431],
  ])('has no body for HEAD with %s', async (_name, text, status) => {
    expect(await exchange(text)).toMatch(bodiless(status));
  });

  it.each([
    ['appears in a header', `GET /open HTTP/1.1\r\nHost: a\r\nX-Line: HEAD / HTTP/1.1${large}\r\n\r\n`],
    ['follows', `GET /open HTTP/1.1\r\nHost: a\r\n${large}\r\n\r\n${head()}`],
  ])('has a body for GET when HEAD %s', async (_name, text) => {
    expect(await exchange(text)).toContain('HEADERS_TOO_LARGE');
  });
});

describe('ambiguous requests (request smuggling)', () => {
  it.each([
    ['both a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['two lengths', post('Content-Length: 5\r\nContent-Length: 6')],
    ['an invalid length', post('Content-Length: +5')],
    ['an unknown transfer coding', post('Transfer-Encoding: chunkedx')],
    ['a space before the colon', 'GET /open HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a folded header', 'GET /open HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n'],
    ['a bare line feed in a header', 'GET /open HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n'],
    ['no host', 'GET /open HTTP/1.1\r\n\r\n'],
    ['an invalid chunk size', [post('Transfer-Encoding: chunked'), 'zz\r\n{}\r\n0\r\n\r\n']],
  ])('are rejected with 400 and a closed connection: %s', async (_name, text) => {
    const answer = await exchange([...[text].flat(), 'GET /open HTTP/1.1\r\nHost: a\r\n\r\n']);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).not.toContain('HTTP/1.1 200');
  });
});
