import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTls } from 'node:tls';
import { createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../test/support/certificate.ts';
import { parseAllowList } from './addresses.ts';
import { FetchFailed } from './fetch-failed.ts';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions, retryAfterSeconds } from './guarded-fetch.ts';
import { sleep } from './loop.ts';
import type { UrlPolicy } from './outbound-url.ts';

// A test resolver resolves every name here, and every server listens on loopback. `cdn.test` is on the allow list and
// stands for a public host; everything else on loopback must never be reached.
const { ca, issue } = createAuthority();
const identity = issue('cdn.test', 'other.test', 'evil.test', 'localhost', '127.0.0.1', '::1');
let servers: Server[];
let fetches: GuardedFetch[];
let names: Record<string, string[] | (() => Promise<string[]>)>;
let lookups: string[];
let blocked: string[];

beforeEach(() => {
  [servers, fetches, lookups, blocked] = [[], [], [], []];
  names = { 'cdn.test': ['127.0.0.1'], 'evil.test': ['127.0.0.1'] };
});
afterEach(async () => {
  await Promise.all(fetches.map((each) => each.close()));
  for (const server of servers) server.close();
});

function guarded(options: GuardedFetchOptions = {}): GuardedFetch {
  const resolve = async (host: string) => {
    lookups.push(host);
    const answer = names[host] ?? [];
    return typeof answer === 'function' ? answer() : answer;
  };
  const fetch = createGuardedFetch({ ca, resolve, connectMs: 500, onBlocked: (why) => blocked.push(why), ...options });
  fetches.push(fetch);
  return fetch;
}

interface Listening {
  port: number;
  /** Number of all connections so far. */
  connections: () => number;
}

async function listen(server: Server, host = '127.0.0.1'): Promise<Listening> {
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    socket.on('error', () => {});
    server.once('close', () => socket.destroy());
  });
  server.on('tlsClientError', () => {});
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

const https = (handler: RequestListener) => listen(createHttps(identity, handler));
const http = (handler: RequestListener) => listen(createHttp(handler));
/** A TCP server that responds with raw bytes. */
const raw = (say: (socket: Socket) => void) =>
  listen(createTls(identity, (socket) => socket.on('error', () => {}).once('data', () => say(socket))));
const openListener = (host?: string) => listen(createTcp(), host);

const listed = (...hosts: string[]): UrlPolicy => ({
  kind: 'allowlist',
  hosts,
  allowList: parseAllowList({ hosts: ['cdn.test'] }),
});
const hook: UrlPolicy = { kind: 'webhook', loopback: true };

/** The failure of a download from `cdn.test`, with short budgets. */
async function failure(port: number, more: object = {}): Promise<FetchFailed> {
  const budgets = { headersMs: 150, idleMs: 150, totalMs: 2_000 };
  return failed(
    guarded({ connectMs: 200 })(`https://cdn.test:${port}/`, { policy: listed(`cdn.test:${port}`), budgets, ...more }),
  );
}

async function failed(attempt: Promise<unknown>): Promise<FetchFailed> {
  const error = await attempt.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof FetchFailed)) throw error;
  return error;
}

describe('a download', () => {
  it('returns bytes and content type, and sends the host name in SNI and Host', async () => {
    let seen: Record<string, unknown> = {};
    const { port } = await https((request, response) => {
      seen = {
        host: request.headers.host,
        url: request.url,
        sni: (request.socket as { servername?: string }).servername,
      };
      response.setHeader('content-type', 'image/png').end('picture');
    });
    const answer = await guarded()(`https://cdn.test:${port}/a%20b?c=d`, { policy: listed(`cdn.test:${port}`) });
    expect([answer.status, answer.contentType, String(answer.body)]).toEqual([200, 'image/png', 'picture']);
    expect(seen).toEqual({ host: `cdn.test:${port}`, url: '/a%20b?c=d', sni: 'cdn.test' });
    expect(blocked).toEqual([]);
  });

  it('decodes a compressed response although it requested identity', async () => {
    const bodies: Record<string, Buffer> = { gzip: gzipSync('text'), deflate: deflateSync('text') };
    const { port } = await https((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      const encoding = request.url!.slice(1);
      response.setHeader('content-encoding', encoding).end(bodies[encoding] ?? 'text');
    });
    const get = (path: string) => guarded()(`https://cdn.test:${port}/${path}`, { policy: listed(`cdn.test:${port}`) });
    expect(String((await get('gzip')).body)).toBe('text');
    expect(String((await get('deflate')).body)).toBe('text');
    expect((await failed(get('zstd'))).reason).toBe('unreadable');
    bodies['gzip'] = Buffer.from('not gzip at all');
    expect(await failed(get('gzip'))).toMatchObject({ reason: 'unreadable', transient: false });
  });

  it('can be consumed as a stream, and rejects with an error of the consumer', async () => {
    const { port } = await https((_request, response) => void response.end(Buffer.alloc(300_000, 1)));
    const policy = listed(`cdn.test:${port}`);
    const get = guarded();
    const into = async (pieces: AsyncIterable<Buffer>) => {
      let sum = 0;
      for await (const piece of pieces) sum += piece.length;
      return sum;
    };
    expect((await get(`https://cdn.test:${port}/`, { policy, into })).body).toBe(300_000);
    const full = async (pieces: AsyncIterable<Buffer>) => {
      for await (const _ of pieces) throw new Error('disk full');
    };
    await expect(get(`https://cdn.test:${port}/`, { policy, into: full })).rejects.toThrow('disk full');
  });

  it('reuses a connection only under the same policy', async () => {
    const { port, connections } = await https((_request, response) => void response.end('x'));
    const [one, two] = [listed(`cdn.test:${port}`), listed(`cdn.test:${port}`)];
    const get = guarded();
    for (let i = 0; i < 3; i++) {
      await get(`https://cdn.test:${port}/${i}`, { policy: one });
      // undici reuses a connection only after one event loop iteration.
      await sleep(10);
    }
    expect([connections(), lookups.length]).toEqual([1, 1]);
    await get(`https://cdn.test:${port}/`, { policy: two });
    expect([connections(), lookups.length]).toEqual([2, 2]);
  });

  it('from the reserved host of the file store opens no connection', async () => {
    const policy: UrlPolicy = { kind: 'public', filesHost: 'files.assay.internal' };
    expect((await failed(guarded()('https://files.assay.internal/01ABC', { policy }))).reason).toBe('blocked_address');
    expect(lookups).toEqual([]);
  });
});

describe('guardedFetch blocks, without sending anything,', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', '10.0.0.1', '169.254.169.254', '64:ff9b::7f00:1'])(
    'a name that resolves to %s',
    async (ip) => {
      const listener = await openListener();
      names['evil.test'] = [ip];
      const policy = listed(`evil.test:${listener.port}`);
      const error = await failed(guarded()(`https://evil.test:${listener.port}/`, { policy }));
      expect(error).toMatchObject({
        reason: 'blocked_address',
        transient: false,
        message: 'The address may not be contacted.',
      });
      expect([listener.connections(), blocked]).toEqual([0, ['address']]);
    },
  );

  it('a name that resolves to public and private addresses', async () => {
    const listener = await openListener();
    names['evil.test'] = ['8.8.8.8', '127.0.0.1'];
    const error = await failed(
      guarded()(`https://evil.test:${listener.port}/`, { policy: listed(`evil.test:${listener.port}`) }),
    );
    expect([error.reason, listener.connections()]).toEqual(['blocked_address', 0]);
  });

  it('a private IP literal, without a name lookup', async () => {
    const { port, connections } = await https((_request, response) => void response.end('x'));
    const policy = listed(`127.0.0.1:${port}`);
    expect((await failed(guarded()(`https://127.0.0.1:${port}/`, { policy }))).reason).toBe('blocked_address');
    expect([connections(), lookups]).toEqual([0, []]);
    const answer = await guarded()(`https://127.0.0.1:${port}/`, {
      policy: { ...policy, allowPrivate: true } as UrlPolicy,
    });
    expect(String(answer.body)).toBe('x');
  });

  it('a name that resolves differently for the check and the connection (DNS rebinding)', async () => {
    const listener = await openListener('127.0.0.1');
    // 192.0.2.1 is unassigned and stands for the public address: it passes the check, but does not connect.
    const answers = [['192.0.2.1'], ['127.0.0.1']];
    names['evil.test'] = async () => answers.shift()!;
    const allowList = parseAllowList({ cidrs: ['192.0.2.1'] });
    const policy: UrlPolicy = { kind: 'allowlist', hosts: [`evil.test:${listener.port}`], allowList };
    const get = guarded({ connectMs: 200 });
    const first = await failed(get(`https://evil.test:${listener.port}/`, { policy }));
    expect(['timeout', 'connect_error']).toContain(first.reason);
    expect([lookups.length, listener.connections()]).toEqual([1, 0]);
    expect((await failed(get(`https://evil.test:${listener.port}/`, { policy }))).reason).toBe('blocked_address');
    expect([lookups.length, listener.connections()]).toEqual([2, 0]);
  });

  it('a connection whose peer differs from the requested address', async () => {
    let requests = 0;
    const { port } = await https((_request, response) => void response.end(String(requests++)));
    // 0.0.0.0 is on the allow list, but the system connects it to 127.0.0.1, which is not.
    const policy: UrlPolicy = {
      kind: 'allowlist',
      hosts: [`other.test:${port}`],
      allowList: parseAllowList({ cidrs: ['0.0.0.0'] }),
    };
    names['other.test'] = ['0.0.0.0'];
    expect((await failed(guarded()(`https://other.test:${port}/`, { policy }))).reason).toBe('blocked_address');
    expect([requests, blocked]).toEqual([0, ['peer']]);
  });

  it('private storage hosts unless `allowPrivate` is set or the allow list contains exactly this host', async () => {
    const { port } = await https((_request, response) => void response.end('x'));
    const hosts = [`other.test:${port}`];
    names['other.test'] = ['127.0.0.1'];
    const get = (policy: UrlPolicy) => guarded()(`https://other.test:${port}/`, { policy });
    const closed: UrlPolicy[] = [
      { kind: 'allowlist', hosts },
      { kind: 'public', hosts },
      { kind: 'allowlist', hosts, allowList: parseAllowList({ cidrs: ['127.0.0.2'], hosts: ['cdn.test'] }) },
    ];
    const open: UrlPolicy[] = [
      { kind: 'allowlist', hosts, allowPrivate: true },
      { kind: 'public', hosts, allowList: parseAllowList({ cidrs: ['127.0.0.0/30'] }) },
      { kind: 'public', hosts, allowList: parseAllowList({ hosts: ['other.test'] }) },
    ];
    for (const policy of closed) expect((await failed(get(policy))).reason).toBe('blocked_address');
    for (const policy of open) expect(String((await get(policy)).body)).toBe('x');
  });
});

describe('a download with redirects', () => {
  /** Redirects /3 to /2 and so on; /0 is the picture. */
  const redirectChain = () =>
    https((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end('picture');
      else response.writeHead(302, { location: `/${left - 1}#top` }).end('moved');
    });

  it('follows three redirects and rejects a fourth', async () => {
    const { port } = await redirectChain();
    const get = (steps: number) =>
      guarded()(`https://cdn.test:${port}/${steps}`, { policy: listed(`cdn.test:${port}`) });
    expect(String((await get(3)).body)).toBe('picture');
    expect(await failed(get(4))).toMatchObject({ reason: 'redirect', status: 302, transient: false });
  });

  it('rejects a redirect loop', async () => {
    let requests = 0;
    const { port } = await https((_request, response) => {
      requests++;
      response.writeHead(301, { location: '/' }).end();
    });
    expect((await failure(port)).reason).toBe('redirect');
    expect(requests).toBe(4);
  });

  it.each([
    (port: number) => `https://evil.test:${port}/`,
    (port: number) => `https://127.0.0.1:${port}/`,
    (port: number) => `http://cdn.test:${port}/`,
    (port: number) => `//evil.test:${port}/`,
    (port: number) => `https://2130706433:${port}/`,
    (port: number) => `\\\\evil.test:${port}\\`,
    (port: number) => `https://cdn.test:1@evil.test:${port}/`,
    () => 'file:///etc/passwd',
  ])('rejects a redirect to a URL that violates the policy: %s', async (place) => {
    const listener = await openListener();
    const { port } = await https((_request, response) =>
      response.writeHead(307, { location: place(listener.port) }).end(),
    );
    expect((await failure(port)).reason).toBe('blocked_address');
    expect([listener.connections(), blocked]).toEqual([0, ['url']]);
  });

  it('rejects a redirect to an allowed host with a private address', async () => {
    const listener = await openListener();
    const { port } = await https((_request, response) =>
      response.writeHead(308, { location: `https://evil.test:${listener.port}/` }).end(),
    );
    const policy = listed(`cdn.test:${port}`, `evil.test:${listener.port}`);
    expect((await failure(port, { policy })).reason).toBe('blocked_address');
    expect(listener.connections()).toBe(0);
  });

  it('rejects a redirect without Location and a 304 response', async () => {
    const { port } = await https((request, response) => response.writeHead(request.url === '/' ? 302 : 304).end());
    expect(await failure(port)).toMatchObject({ reason: 'redirect', status: 302 });
    const error = failed(guarded()(`https://cdn.test:${port}/304`, { policy: listed(`cdn.test:${port}`) }));
    expect(await error).toMatchObject({ reason: 'http_status', status: 304, transient: false });
  });

  it('does not forward request headers to another host', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const second = await https((request, response) => {
      seen.push(request.headers);
      response.end('x');
    });
    const first = await https((request, response) => {
      seen.push(request.headers);
      response.writeHead(302, { location: `https://cdn.test:${second.port}/` }).end();
    });
    const policy = listed(`cdn.test:${first.port}`, `cdn.test:${second.port}`);
    await guarded()(`https://cdn.test:${first.port}/`, { policy, headers: { authorization: 'Bearer t' } });
    expect(seen.map((headers) => headers.authorization)).toEqual(['Bearer t', undefined]);
  });
});

describe('guardedFetch limits the time of', () => {
  it('name resolution, and reports a missing name', async () => {
    names['cdn.test'] = () => new Promise(() => {});
    expect(await failure(443)).toMatchObject({ reason: 'timeout', transient: true });
    names['cdn.test'] = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    expect(await failure(443)).toMatchObject({ reason: 'dns_error', transient: true });
    names['cdn.test'] = [];
    expect(await failure(443)).toMatchObject({ reason: 'dns_error', transient: true });
  });

  it('a TLS handshake that never ends', async () => {
    const { port } = await openListener();
    expect(await failure(port)).toMatchObject({ reason: 'timeout', transient: true });
  });

  it('headers that never arrive or arrive one byte at a time', async () => {
    const started = Date.now();
    const listener = await raw(() => {});
    expect(await failure(listener.port)).toMatchObject({ reason: 'timeout', transient: true });
    const drip = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const timer = setInterval(() => socket.write('y'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await failure(drip.port)).toMatchObject({ reason: 'timeout', transient: true });
    // Each within its own limit, long before the total of 2 s.
    expect(Date.now() - started).toBeLessThan(1_600);
  });

  it('a body that stalls or arrives too slowly', async () => {
    const stall = await https((_request, response) => void response.write('a'));
    expect(await failure(stall.port)).toMatchObject({ reason: 'timeout', transient: true });
    const drip = await https((_request, response) => {
      const timer = setInterval(() => response.write('y'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const started = Date.now();
    const budgets = { headersMs: 150, idleMs: 150, totalMs: 400 };
    expect(await failure(drip.port, { budgets })).toMatchObject({ reason: 'timeout', transient: true });
    expect(Date.now() - started).toBeGreaterThan(350);
  });

  it('a request that the caller aborts before or during it', async () => {
    const { port } = await https((_request, response) => void response.write('a'));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await failure(port, { signal: stop.signal })).toMatchObject({ reason: 'aborted', transient: true });
    expect((await failure(port, { signal: stop.signal })).reason).toBe('aborted');
  });

  it('the host only, not of a slow consumer', async () => {
    const { port } = await https((_request, response) => void response.end(Buffer.alloc(300_000)));
    const into = async (pieces: AsyncIterable<Buffer>) => {
      let waited = false;
      for await (const _ of pieces) {
        if (!waited) await sleep(250);
        waited = true;
      }
    };
    const budgets = { headersMs: 150, idleMs: 100 };
    const answer = guarded()(`https://cdn.test:${port}/`, { policy: listed(`cdn.test:${port}`), budgets, into });
    expect((await answer).status).toBe(200);
  });
});

describe('guardedFetch limits the size of', () => {
  it('an endless body', async () => {
    let closed = false;
    const { port } = await https((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more).on('close', () => {
        closed = true;
      });
      more();
    });
    expect(await failure(port, { maxBytes: 1_000_000 })).toMatchObject({ reason: 'too_large', transient: false });
    await expect.poll(() => closed).toBe(true);
  });

  it('a small response that decompresses to a huge one', async () => {
    let closed = false;
    const { port } = await https((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      const gzip = createGzip({ level: 9 });
      gzip.pipe(response);
      const zeros = Buffer.alloc(2 ** 20);
      const more = () => {
        if (!response.destroyed) gzip.write(zeros, () => setImmediate(more));
      };
      response.on('close', () => {
        closed = true;
      });
      more();
    });
    const before = process.memoryUsage().rss;
    // The first bytes come after 16 MiB are compressed, which takes longer than the other limits on a slow machine.
    const budgets = { headersMs: 10_000, idleMs: 10_000, totalMs: 30_000 };
    expect((await failure(port, { maxBytes: 1_000_000, budgets })).reason).toBe('too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    await expect.poll(() => closed).toBe(true);
  });

  it('a body to exactly `maxBytes`', async () => {
    const { port } = await https((_request, response) => void response.writeHead(200).end(Buffer.alloc(1000)));
    const policy = listed(`cdn.test:${port}`);
    expect((await guarded()(`https://cdn.test:${port}/`, { policy, maxBytes: 1000 })).body).toHaveLength(1000);
    expect((await failure(port, { maxBytes: 999 })).reason).toBe('too_large');
  });

  it('a body whose Content-Length is too large or wrong', async () => {
    const answer = (length: number, body: string) =>
      raw((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`));
    expect((await failure((await answer(10 ** 12, 'x')).port)).reason).toBe('too_large');
    expect(await failure((await answer(1000, 'x')).port)).toMatchObject({ reason: 'connect_error', transient: true });
    const { port } = await answer(3, 'abcdef');
    const short = await guarded()(`https://cdn.test:${port}/`, { policy: listed(`cdn.test:${port}`) });
    expect(String(short.body)).toBe('abc');
  });

  it('endless headers', async () => {
    const { port } = await raw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${'x: yyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(4000)}`),
    );
    expect((await failure(port)).reason).toBe('too_large');
  });
});

describe('FetchFailed', () => {
  it('has the reason tls_error for a wrong or untrusted certificate and a server without TLS', async () => {
    const wrong = await listen(createHttps(issue('somebody.else'), (_request, response) => void response.end('x')));
    expect(await failure(wrong.port)).toMatchObject({ reason: 'tls_error', transient: false });
    const untrusted = createAuthority().issue('cdn.test');
    const unknown = await listen(createHttps(untrusted, (_request, response) => void response.end('x')));
    expect((await failure(unknown.port)).reason).toBe('tls_error');
    const plain = await http((_request, response) => void response.end('x'));
    expect((await failure(plain.port)).reason).toBe('tls_error');
  });

  it('has the reason connect_error for a refused or reset connection and a response that is not HTTP', async () => {
    const closed = await openListener();
    servers.pop()!.close();
    const reset = await listen(createTcp((socket) => socket.once('data', () => socket.resetAndDestroy())));
    const mute = await raw((socket) => socket.destroy());
    const half = await https((_request, response) => {
      response.write('a', () => response.socket!.destroy());
    });
    const garbage = await raw((socket) => socket.end('220 smtp.example.com ESMTP\r\n'));
    for (const { port } of [closed, reset, mute, half, garbage]) {
      expect(await failure(port)).toMatchObject({ reason: 'connect_error', transient: true });
    }
  });

  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [410, false],
    [425, true],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [504, true],
  ])('for status %i has transient = %s', async (status, transient) => {
    const { port } = await https((_request, response) => response.writeHead(status, { 'retry-after': '7' }).end('why'));
    expect(await failure(port)).toMatchObject({ reason: 'http_status', status, transient, retryAfterSeconds: 7 });
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterSeconds('120', now)).toBe(120);
    expect(retryAfterSeconds('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60);
    expect(retryAfterSeconds('Wed, 31 Dec 2025 00:01:00 GMT', now)).toBe(0);
    for (const text of [undefined, '', 'soon', '-1', '1.5', '9'.repeat(40)])
      expect(retryAfterSeconds(text, now)).toBeUndefined();
  });
});

describe('a webhook', () => {
  const post = (url: string, more: object = {}) =>
    guarded(more)(url, {
      policy: hook,
      method: 'POST',
      body: '{"ok":true}',
      headers: { 'content-type': 'application/json' },
    });

  it('is sent to loopback hosts by http and https, and its response body is discarded', async () => {
    const bodies: string[] = [];
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      bodies.push(`${request.method} ${request.headers['content-type']} ${String(await buffer(request))}`);
      response.writeHead(202, { 'x-seen': 'yes' }).end('secret answer');
    };
    const [plain, secure] = [await http((q, s) => void take(q, s)), await https((q, s) => void take(q, s))];
    names['localhost'] = ['127.0.0.1'];
    for (const url of [
      `http://127.0.0.1:${plain.port}/`,
      `http://localhost:${plain.port}/`,
      `https://localhost:${secure.port}/`,
    ]) {
      const answer = await post(url);
      expect([answer.status, answer.headers['x-seen'], answer.body.length]).toEqual([202, 'yes', 0]);
    }
    expect(new Set(bodies)).toEqual(new Set(['POST application/json {"ok":true}']));
    expect(bodies).toHaveLength(3);
  });

  it('never follows a redirect', async () => {
    const listener = await openListener();
    for (const status of [300, 301, 302, 303, 307, 308]) {
      const { port } = await http((_request, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${listener.port}/` }).end(),
      );
      expect(await failed(post(`http://127.0.0.1:${port}/`))).toMatchObject({ reason: 'redirect', status });
    }
    expect(listener.connections()).toBe(0);
  });

  it('does not reach the listening ports of the product', async () => {
    const product = await http((_request, response) => void response.end());
    names['localhost'] = ['127.0.0.1'];
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await failed(post(`http://${host}:${product.port}/`, { blockedPorts: [product.port] }));
      expect([error.reason, product.connections()]).toEqual(['blocked_address', 0]);
    }
    expect(blocked).toEqual(['port', 'port']);
  });

  it('is blocked if localhost resolves to another machine or another name to this machine', async () => {
    const listener = await openListener();
    names['localhost'] = ['8.8.8.8'];
    names['hooks.example.com'] = ['127.0.0.1'];
    for (const url of [`http://localhost:${listener.port}/`, `https://hooks.example.com:${listener.port}/`]) {
      expect((await failed(post(url))).reason).toBe('blocked_address');
    }
    expect(listener.connections()).toBe(0);
  });

  it('succeeds on the response status even if the body never ends or never arrives', async () => {
    const endless = await http((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const stalled = await http((_request, response) => void response.write('a'));
    const started = Date.now();
    expect((await post(`http://127.0.0.1:${endless.port}/`)).status).toBe(200);
    expect((await post(`http://127.0.0.1:${stalled.port}/`)).status).toBe(200);
    expect(Date.now() - started).toBeLessThan(2_500);
  });

  it('reports the status and Retry-After of the receiver', async () => {
    const { port } = await http((request, response) =>
      request.url === '/gone' ? response.writeHead(410).end() : response.writeHead(503, { 'retry-after': '30' }).end(),
    );
    expect(await failed(post(`http://127.0.0.1:${port}/gone`))).toMatchObject({ reason: 'http_status', status: 410 });
    expect(await failed(post(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 503, retryAfterSeconds: 30 });
  });
});

describe('a request', () => {
  it('keeps its Range header after a redirect to another host', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const second = await https((request, response) => {
      seen.push(request.headers);
      response.writeHead(206).end('tail');
    });
    const first = await https((_request, response) =>
      response.writeHead(302, { location: `https://cdn.test:${second.port}/` }).end(),
    );
    const policy = listed(`cdn.test:${first.port}`, `cdn.test:${second.port}`);
    const headers = { range: 'bytes=4-', authorization: 'Bearer t' };
    const { body } = await guarded()(`https://cdn.test:${first.port}/`, {
      policy,
      headers,
      into: async (pieces, status) => {
        let text = `${status} `;
        for await (const piece of pieces) text += piece.toString();
        return text;
      },
    });
    expect(body).toBe('206 tail');
    expect(seen).toMatchObject([{ range: 'bytes=4-' }]);
    expect(seen[0]).not.toHaveProperty('authorization');
  });

  it('returns the start of an error response only if requested', async () => {
    const { port } = await https((_request, response) => response.writeHead(429).end('{"code":"quota"}'));
    const policy = listed(`cdn.test:${port}`);
    const excerpt = async (options: { errorExcerptBytes?: number }) => {
      const error = await failed(guarded()(`https://cdn.test:${port}/`, { policy, ...options }));
      return (error as FetchFailed).excerpt?.toString();
    };
    expect(await excerpt({})).toBeUndefined();
    expect(await excerpt({ errorExcerptBytes: 100 })).toBe('{"code":"quota"}');
    expect(await excerpt({ errorExcerptBytes: 5 })).toBeUndefined();
  });

  it('reaches a private http origin under the operator policy, but follows no redirect to another origin', async () => {
    const elsewhere = await http((_request, response) => response.end('elsewhere'));
    const { port } = await http((request, response) =>
      request.url === '/away'
        ? response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/` }).end()
        : response.end('here'),
    );
    const policy: UrlPolicy = { kind: 'operator', origin: `http://127.0.0.1:${port}` };
    const fetch = guarded();
    expect((await fetch(`http://127.0.0.1:${port}/`, { policy })).body.toString()).toBe('here');
    const error = await failed(fetch(`http://127.0.0.1:${port}/away`, { policy }));
    expect(error).toMatchObject({ reason: 'blocked_address' });
    expect(elsewhere.connections()).toBe(0);
  });
});
