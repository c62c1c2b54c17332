import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from './gateway.ts';
import { PATIENCE, type Patience } from './server-limits.ts';
import { rawConnection, TOKEN, testGateway } from './testing/gateway.ts';

let app: Gateway | undefined;
afterEach(() => app?.close());

/** Sends `text` on a bare connection; resolves with all that came back once the gateway closed it. */
async function say(text: string | string[], patience: Partial<Patience> = {}) {
  ({ app } = await testGateway({ patience: { ...PATIENCE, ...patience } }));
  const { socket, heard } = await rawConnection(app);
  for (const part of [text].flat()) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return heard();
}

const post = (length: number | string) =>
  `POST /predict HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
  (typeof length === 'number' ? `Content-Length: ${length}\r\n\r\n` : `${length}\r\n\r\n`);

describe('slow clients', () => {
  it('that do not finish their headers are told 408 in time', async () => {
    const started = performance.now();
    const answer = await say('GET /open HTTP/1.1\r\nHost: a\r\nX-Slow: ', { headersMs: 300 });
    expect(performance.now() - started).toBeLessThan(2500);
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it('that stop in the middle of a body are told 408', async () => {
    const answer = await say([post(50), '{"image_url":'], { bodyIdleMs: 200 });
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"ok":false');
  });

  it('that go on sending, however slowly, are not cut', async () => {
    const body = '{"image_url":"x"}';
    const { app: gateway } = await testGateway({ patience: { ...PATIENCE, bodyIdleMs: 300 } });
    app = gateway;
    const { socket, heard } = await rawConnection(app);
    socket.write(post(body.length).replace('Host', 'Connection: close\r\nHost'));
    for (const character of body) {
      socket.write(character);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(await heard()).toContain('HTTP/1.1 202');
  });
});

describe('sizes', () => {
  it('a too long address is 414', async () => {
    ({ app } = await testGateway());
    const refused = await app.inject(`/open?${'x'.repeat(9000)}`);
    expect([refused.statusCode, refused.json()]).toMatchObject([414, { error: { code: 'URI_TOO_LONG' } }]);
  });

  it('too many bytes of headers are 431', async () => {
    const answer = await say(`GET /open HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 431');
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
  });

  it('too many bytes of headers are 431 on a connection that was used before, too', async () => {
    const answer = await say([
      'GET /open HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET /open HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]);
    expect(answer).toMatch(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 431/);
  });

  it('a body without a declared length is 413 as soon as it is too large, and the answer arrives', async () => {
    ({ app } = await testGateway({ patience: { ...PATIENCE, lingerMs: 300 } }));
    const { socket, heard } = await rawConnection(app);
    socket.write(post('Transfer-Encoding: chunked'));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const sending = setInterval(() => socket.writable && socket.write(chunk), 5);
    const answer = await heard(6000);
    clearInterval(sending);
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
    expect(socket.destroyed || !socket.writable).toBe(true);
  });

  it('a large body behind a wrong token is refused before it is read, and the answer arrives', async () => {
    ({ app } = await testGateway({ patience: { ...PATIENCE, lingerMs: 300 } }));
    const { socket, heard } = await rawConnection(app);
    socket.write(post(100_000_000).replace(TOKEN, 'wrong'));
    for (let i = 0; i < 200; i++) socket.write('x'.repeat(10_000));
    expect(await heard(6000)).toContain('HTTP/1.1 401');
  });
});

describe('what is refused before it became a request has no body where HEAD asked:', () => {
  const large = `X-Large: ${'x'.repeat(20_000)}`;
  const head = (...lines: string[]) => `${['HEAD /open HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;
  const bodiless = (status: number) =>
    new RegExp(`HTTP/1\\.1 ${status} [^{]*content-length: \\d\\d+\\r\\n[^{]*\\r\\n\\r\\n$`, 'i');

  it.each([
    ['too many headers', head(large), 431],
    ['a header that is none', head('X-A : b'), 400],
    ['too many headers behind a body', `${post(2)}{}${head(large)}`, 431],
    ['too many headers behind a good request', ['GET /open HTTP/1.1\r\nHost: a\r\n\r\n', head(large)], 431],
  ])('%s', async (_name, text, status) => {
    expect(await say(text)).toMatch(bodiless(status));
  });

  it.each([
    ['a header says', `GET /open HTTP/1.1\r\nHost: a\r\nX-Line: HEAD / HTTP/1.1${large}\r\n\r\n`],
    ['comes behind it', `GET /open HTTP/1.1\r\nHost: a\r\n${large}\r\n\r\n${head()}`],
  ])('and has one where another method asked, whatever %s', async (_name, text) => {
    expect(await say(text)).toContain('HEADERS_TOO_LARGE');
  });
});

describe('requests that two readers could understand differently', () => {
  it.each([
    ['both a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['two lengths', post('Content-Length: 5\r\nContent-Length: 6')],
    ['a length that is no number', post('Content-Length: +5')],
    ['an unknown transfer coding', post('Transfer-Encoding: chunkedx')],
    ['a space before the colon', 'GET /open HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a folded header', 'GET /open HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n'],
    ['a bare line feed in a header', 'GET /open HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n'],
    ['no host', 'GET /open HTTP/1.1\r\n\r\n'],
    ['a chunk size that is none', [post('Transfer-Encoding: chunked'), 'zz\r\n{}\r\n0\r\n\r\n']],
  ])('are refused and the connection is closed: %s', async (_name, text) => {
    const answer = await say([...[text].flat(), 'GET /open HTTP/1.1\r\nHost: a\r\n\r\n']);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).not.toContain('HTTP/1.1 200');
  });
});
