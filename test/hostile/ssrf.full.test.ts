import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowList } from '../../src/base/addresses.ts';
import { FetchFailed } from '../../src/base/fetch-failed.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/base/guarded-fetch.ts';
import type { UrlPolicy } from '../../src/base/outbound-url.ts';
import { parseUrl } from '../../src/base/parse-url.ts';
import { createAuthority } from '../support/certificate.ts';
import { type Canaries, startCanaries, watchConnections } from './canaries.ts';
import { type DnsRecords, type DnsServer, startDnsServer } from './dns-server.ts';
import { ADDRESSES_V4, ADDRESSES_V6, ssrfHosts, ssrfUrls } from './ssrf-urls.ts';

// Tests the guarded fetch with a controlled DNS server; ssrf-entry-points.test.ts tests the product.
const { ca, issue } = createAuthority();
let canaries: Canaries;
let names: DnsServer;
let zones: (name: string, n: number) => DnsRecords | undefined;
let dials: ReturnType<typeof watchConnections>;
let fetch: GuardedFetch;

beforeAll(async () => {
  canaries = await startCanaries();
  names = await startDnsServer((name, n) => zones(name, n));
  dials = watchConnections();
  fetch = createGuardedFetch({ ca, resolve: names.resolve, connectMs: 2000 });
});
afterAll(async () => {
  await fetch.close();
  dials.end();
  names.close();
  canaries.close();
});
beforeEach(() => {
  // By default every name resolves to this machine.
  zones = () => ({ addresses: ['127.0.0.1', '::1'] });
});

const allowlist: UrlPolicy = { kind: 'allowlist', hosts: ['storage.example.com'], filesHost: 'files.assay.internal' };
const anyPublic: UrlPolicy = { kind: 'public', filesHost: 'files.assay.internal' };
const webhook: UrlPolicy = { kind: 'webhook', loopback: false };
const loopbackWebhook: UrlPolicy = { kind: 'webhook', loopback: true };
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/;

const BUDGETS = { headersMs: 500, idleMs: 500, totalMs: 2000 };
async function reasonOf(url: string, policy: UrlPolicy, of = fetch): Promise<string> {
  const error = await of(url, { policy, budgets: BUDGETS }).then(
    () => 'nothing was refused',
    (reason: unknown) => reason,
  );
  if (error instanceof FetchFailed) return error.reason;
  throw error instanceof Error ? error : new Error(`${error}: ${url}`);
}

async function leaksOf(forms: readonly string[], policy: UrlPolicy): Promise<string[]> {
  const unexpectedResults: string[] = [];
  for (const form of forms) {
    const reason = await reasonOf(form, policy);
    if (reason !== 'blocked_address') unexpectedResults.push(`${JSON.stringify(form)}: ${reason}`);
  }
  return unexpectedResults;
}

describe('The guarded fetch blocks', () => {
  it.each([
    ['an allowlist of hosts', allowlist],
    ['any public host', anyPublic],
    ['webhooks', webhook],
  ])('every URL of the SSRF table under the policy: %s', async (_, policy) => {
    const before = dials.dialled().length;
    expect(await leaksOf(ssrfUrls(canaries.port), policy)).toEqual([]);
    expect([dials.dialled().length - before, canaries.connections]).toEqual([0, []]);
  });

  it('every URL of the SSRF table for loopback webhooks, except the three literal loopback hosts', async () => {
    const forms = ssrfUrls(canaries.port);
    const [meant, others] = [
      forms.filter((form) => LOOPBACK.test(form) && form.includes(`:${canaries.port}`)),
      forms.filter((form) => !LOOPBACK.test(form)),
    ];
    const before = dials.dialled().length;
    expect(await leaksOf(others, loopbackWebhook)).toEqual([]);
    expect([dials.dialled().length - before, canaries.connections]).toEqual([0, []]);

    // Checks that the canaries do detect connections.
    expect(meant.length).toBeGreaterThan(4);
    for (const form of meant) expect(await reasonOf(form, loopbackWebhook), form).toBe('connect_error');
    expect(new Set(canaries.connections)).toEqual(
      new Set(['127.0.0.1', '::1'].filter((ip) => canaries.addresses.includes(ip))),
    );
    (canaries.connections as string[]).length = 0;
  });

  it("the product's own ports on every local address", async () => {
    const guarded = createGuardedFetch({ resolve: names.resolve, blockedPorts: [canaries.port] });
    const before = dials.dialled().length;
    const allowList = parseAllowList({ cidrs: ['0.0.0.0/0', '::/0'] });
    for (const address of canaries.addresses) {
      const host = address.includes(':') ? `[${address}]` : address;
      const policy: UrlPolicy = { ...loopbackWebhook, allowList };
      expect(await reasonOf(`https://${host}:${canaries.port}/`, policy, guarded), host).toBe('blocked_address');
      zones = () => ({ addresses: [address] });
      const named = `https://receiver.example.com:${canaries.port}/`;
      expect(await reasonOf(named, policy, guarded), `a name at ${host}`).toBe('blocked_address');
    }
    expect([dials.dialled().length - before, canaries.connections]).toEqual([0, []]);
    await guarded.close();
  });
});

describe('A host name', () => {
  const private4 = Object.keys(ADDRESSES_V4);
  const private6 = Object.keys(ADDRESSES_V6)
    .map((host) => host.slice(1, -1))
    .filter((address) => !address.includes('%'));
  const ANSWERS: readonly [what: string, zone: DnsRecords][] = [
    ...private4.map((ip): [string, DnsRecords] => [ip, { addresses: [ip] }]),
    ...private6.map((ip): [string, DnsRecords] => [ip, { addresses: [ip] }]),
    ...private4.map((ip): [string, DnsRecords] => [`${ip}, mapped`, { addresses: [`::ffff:${ip}`] }]),
    ...private4.map((ip): [string, DnsRecords] => [`${ip}, translated`, { addresses: [`64:ff9b::${ip}`] }]),
    ['a public and a private address', { addresses: ['8.8.8.8', '10.0.0.1'] }],
    ['a private and a public address', { addresses: ['10.0.0.1', '8.8.8.8'] }],
    ['a public IPv4 and a private IPv6 address', { addresses: ['8.8.8.8', 'fd00::1'] }],
    ['a private IPv4 and a public IPv6 address', { addresses: ['127.0.0.1', '2606:4700:4700::1111'] }],
    [
      'many public addresses and a private one',
      { addresses: [...Array.from({ length: 20 }, (_, i) => `8.8.4.${i}`), '::1'] },
    ],
    ['an alias with a private address', { addresses: ['169.254.169.254'], alias: 'metadata.google.internal' }],
    ['an alias of localhost', { addresses: ['127.0.0.1', '::1'], alias: 'localhost' }],
  ];

  it.each(ANSWERS)('is blocked when it resolves to: %s', async (_, zone) => {
    zones = () => zone;
    const before = dials.dialled().length;
    const { port } = canaries;
    const listed: UrlPolicy = { kind: 'allowlist', hosts: ['a.example.com', `a.example.com:${port}`] };
    const open: UrlPolicy = { kind: 'public', hosts: [`a.example.com:${port}`] };
    for (const policy of [listed, open, webhook, loopbackWebhook]) {
      expect(await reasonOf(`https://a.example.com:${port}/`, policy)).toBe('blocked_address');
    }
    expect(await reasonOf('https://a.example.com/', anyPublic)).toBe('blocked_address');
    expect([dials.dialled().length - before, canaries.connections]).toEqual([0, []]);
  });

  it('is resolved once per connection, and only that answer is dialled (DNS rebinding)', async () => {
    // 192.0.2.1 (TEST-NET-1) stands for a public address that does not respond.
    const allowList = parseAllowList({ cidrs: ['192.0.2.1'] });
    for (const [first, later] of [
      [['192.0.2.1'], ['127.0.0.1', '::1']],
      [['192.0.2.1'], ['192.0.2.1', '127.0.0.1']],
    ] as const) {
      zones = (_, n) => ({ addresses: n === 0 ? first : later });
      const name = `rebind-${later.length}-${later[0]}.example.com`;
      const policy: UrlPolicy = { kind: 'public', hosts: [`${name}:${canaries.port}`], allowList };
      const [queried, dialled] = [names.queries.length, dials.dialled().length];
      const shortTimeoutFetch = createGuardedFetch({ resolve: names.resolve, connectMs: 400 });
      expect(['timeout', 'connect_error']).toContain(
        await reasonOf(`https://${name}:${canaries.port}/`, policy, shortTimeoutFetch),
      );
      expect(names.queries.slice(queried).sort()).toEqual([`${name} A`, `${name} AAAA`]);
      expect(new Set(dials.dialled().slice(dialled))).toEqual(new Set([`192.0.2.1 ${canaries.port}`]));
      expect(await reasonOf(`https://${name}:${canaries.port}/`, policy, shortTimeoutFetch)).toBe('blocked_address');
      await shortTimeoutFetch.close();
    }
    expect(canaries.connections).toEqual([]);
  });

  it('fails with dns_error when it does not exist or has no addresses', async () => {
    zones = () => undefined;
    expect(await reasonOf('https://nobody.example.com/', anyPublic)).toBe('dns_error');
    zones = () => ({ addresses: [] });
    expect(await reasonOf('https://empty.example.com/', anyPublic)).toBe('dns_error');
  });
});

describe('A redirect is blocked', () => {
  let port: number;
  let location: Buffer;
  let requests: number;
  let server: ReturnType<typeof createTls>;

  beforeAll(async () => {
    // A raw TLS server, so that Location may contain any bytes.
    server = createTls(issue('cdn.test'), (socket: Socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        requests++;
        const status = /^GET \/(\d+) /.exec(request.toString('latin1'))?.[1];
        const head = status === undefined ? 'HTTP/1.1 404 No' : `HTTP/1.1 ${status} Moved\r\nLocation: `;
        const rest = '\r\nContent-Length: 0\r\n\r\n';
        socket.write(
          Buffer.concat([Buffer.from(head), status === undefined ? Buffer.of() : location, Buffer.from(rest)]),
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  async function unexpectedResults(forms: readonly string[], statuses: readonly number[]): Promise<string[]> {
    zones = (name) => ({ addresses: ['127.0.0.1', ...(name === 'cdn.test' ? [] : ['::1'])] });
    const allowList = parseAllowList({ hosts: ['cdn.test'] });
    const policies: UrlPolicy[] = [
      { kind: 'public', hosts: [`cdn.test:${port}`], allowList },
      { kind: 'allowlist', hosts: [`cdn.test:${port}`], allowList },
      { kind: 'operator', origin: `https://cdn.test:${port}` },
    ];
    const found: string[] = [];
    for (const status of statuses) {
      for (const policy of policies) {
        for (const form of forms) {
          location = Buffer.from(form);
          requests = 0;
          const reason = await reasonOf(`https://cdn.test:${port}/${status}`, policy);
          // Header bytes are Latin-1. A relative URL stays on the host, which answers 404 or redirects in a loop.
          const read = parseUrl(location.toString('latin1'), new URL(`https://cdn.test:${port}/`));
          const stays = read?.port === String(port) && read.hostname === 'cdn.test' && read.protocol === 'https:';
          const expectedReason = read === undefined || form === '' || requests === 4 ? 'redirect' : 'http_status';
          const isExpected = reason === (read && !stays ? 'blocked_address' : expectedReason);
          if (!isExpected) found.push(`${status} ${policy.kind} ${JSON.stringify(form)}: ${reason}`);
        }
      }
    }
    return found;
  }
  const forms = () => ssrfUrls(canaries.port).filter((form) => !/[\r\n\0]/.test(form));

  it('for every URL of the SSRF table', async () => {
    expect(await unexpectedResults(forms(), [302])).toEqual([]);
    expect(canaries.connections).toEqual([]);
  });

  it('for every redirect status', async () => {
    const targets = [...Object.keys(ADDRESSES_V4), ...ssrfHosts().filter((host) => host.startsWith('['))]
      .map((host) => `https://${host}:${canaries.port}/`)
      .filter((form) => parseUrl(form) !== undefined);
    targets.push(
      `http://cdn.test:${canaries.port}/`,
      `//127.0.0.1:${canaries.port}/`,
      `\\\\127.0.0.1:${canaries.port}\\`,
    );
    expect(await unexpectedResults(targets, [301, 303, 307, 308])).toEqual([]);
    expect(canaries.connections).toEqual([]);
  });

  it('or fails when Location is malformed', async () => {
    const garbage = ['https://[::1', 'https://exa mple.com/', 'https://%zz/', 'https://a:b:c/', '', '\xff\xfe'];
    const policy: UrlPolicy = {
      kind: 'public',
      hosts: [`cdn.test:${port}`],
      allowList: parseAllowList({ hosts: ['cdn.test'] }),
    };
    zones = () => ({ addresses: ['127.0.0.1'] });
    for (const text of garbage) {
      location = Buffer.from(text, 'latin1');
      expect(['redirect', 'http_status'], text).toContain(await reasonOf(`https://cdn.test:${port}/302`, policy));
    }
    expect(canaries.connections).toEqual([]);
  });
});
