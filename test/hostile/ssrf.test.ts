import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readHoles } from '../../src/base/addresses.ts';
import { FetchFailed } from '../../src/base/fetch-failed.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/base/guarded-fetch.ts';
import type { UrlPolicy } from '../../src/base/outbound-url.ts';
import { parsedUrl } from '../../src/base/parsed-url.ts';
import { createAuthority } from '../../src/base/testing/certificate.ts';
import { type Canaries, startCanaries, watchDials } from './canaries.ts';
import { type NamesServer, startNamesServer, type Zone } from './names-server.ts';
import { ADDRESSES_V4, ADDRESSES_V6, hosts, ssrfForms } from './ssrf-forms.ts';

// The guard itself, with a name server of the test; the doors of the product are in ssrf-doors.test.ts.
const { ca, issue } = createAuthority();
let canaries: Canaries;
let names: NamesServer;
let zones: (name: string, n: number) => Zone | undefined;
let dials: ReturnType<typeof watchDials>;
let fetch: GuardedFetch;

beforeAll(async () => {
  canaries = await startCanaries();
  names = await startNamesServer((name, n) => zones(name, n));
  dials = watchDials();
  fetch = createGuardedFetch({ ca, resolve: names.resolve, connectMs: 2000 });
});
afterAll(async () => {
  await fetch.close();
  dials.end();
  names.close();
  canaries.close();
});
beforeEach(() => {
  // An attacker's name server: whatever is asked, it leads here.
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

/** Those of `forms` that were not refused as the guard refuses, each with what happened. */
async function leaksOf(forms: readonly string[], policy: UrlPolicy): Promise<string[]> {
  const leaks: string[] = [];
  for (const form of forms) {
    const reason = await reasonOf(form, policy);
    if (reason !== 'blocked_address') leaks.push(`${JSON.stringify(form)}: ${reason}`);
  }
  return leaks;
}

describe('no form of the table leads anywhere', () => {
  it.each([
    ['a list of hosts', allowlist],
    ['any public host', anyPublic],
    ['a webhook', webhook],
  ])('where the rule is: %s', async (_, policy) => {
    const before = dials.dialled().length;
    expect(await leaksOf(ssrfForms(canaries.port), policy)).toEqual([]);
    expect([dials.dialled().length - before, canaries.heard]).toEqual([0, []]);
  });

  it('where a webhook may go to this machine, but for the three hosts that are written so, which it reaches', async () => {
    const forms = ssrfForms(canaries.port);
    const [meant, others] = [
      forms.filter((form) => LOOPBACK.test(form) && form.includes(`:${canaries.port}`)),
      forms.filter((form) => !LOOPBACK.test(form)),
    ];
    const before = dials.dialled().length;
    expect(await leaksOf(others, loopbackWebhook)).toEqual([]);
    expect([dials.dialled().length - before, canaries.heard]).toEqual([0, []]);

    // Canaries that cannot sing would prove nothing.
    expect(meant.length).toBeGreaterThan(4);
    for (const form of meant) expect(await reasonOf(form, loopbackWebhook), form).toBe('connect_error');
    expect(new Set(canaries.heard)).toEqual(
      new Set(['127.0.0.1', '::1'].filter((ip) => canaries.addresses.includes(ip))),
    );
    (canaries.heard as string[]).length = 0;
  });

  it('nor to a port of ours, by any address of this machine', async () => {
    const guarded = createGuardedFetch({ resolve: names.resolve, refusedPorts: [canaries.port] });
    const before = dials.dialled().length;
    const holes = readHoles({ cidrs: ['0.0.0.0/0', '::/0'] });
    for (const address of canaries.addresses) {
      const host = address.includes(':') ? `[${address}]` : address;
      const policy: UrlPolicy = { ...loopbackWebhook, holes };
      expect(await reasonOf(`https://${host}:${canaries.port}/`, policy, guarded), host).toBe('blocked_address');
      zones = () => ({ addresses: [address] });
      const named = `https://receiver.example.com:${canaries.port}/`;
      expect(await reasonOf(named, policy, guarded), `a name at ${host}`).toBe('blocked_address');
    }
    expect([dials.dialled().length - before, canaries.heard]).toEqual([0, []]);
    await guarded.close();
  });
});

describe('no name leads anywhere that it must not', () => {
  const private4 = Object.keys(ADDRESSES_V4);
  const private6 = Object.keys(ADDRESSES_V6)
    .map((host) => host.slice(1, -1))
    .filter((address) => !address.includes('%'));
  // What a name server may send: one line each.
  const ANSWERS: readonly [what: string, zone: Zone][] = [
    ...private4.map((ip): [string, Zone] => [ip, { addresses: [ip] }]),
    ...private6.map((ip): [string, Zone] => [ip, { addresses: [ip] }]),
    ...private4.map((ip): [string, Zone] => [`${ip}, mapped`, { addresses: [`::ffff:${ip}`] }]),
    ...private4.map((ip): [string, Zone] => [`${ip}, translated`, { addresses: [`64:ff9b::${ip}`] }]),
    ['a public one and a private one', { addresses: ['8.8.8.8', '10.0.0.1'] }],
    ['a private one and a public one', { addresses: ['10.0.0.1', '8.8.8.8'] }],
    ['a public IPv4 one and a private IPv6 one', { addresses: ['8.8.8.8', 'fd00::1'] }],
    ['a private IPv4 one and a public IPv6 one', { addresses: ['127.0.0.1', '2606:4700:4700::1111'] }],
    [
      'many public ones and a private one',
      { addresses: [...Array.from({ length: 20 }, (_, i) => `8.8.4.${i}`), '::1'] },
    ],
    ['another name, which is private', { addresses: ['169.254.169.254'], alias: 'metadata.google.internal' }],
    ['another name, which is localhost', { addresses: ['127.0.0.1', '::1'], alias: 'localhost' }],
  ];

  it.each(ANSWERS)('%s', async (_, zone) => {
    zones = () => zone;
    const before = dials.dialled().length;
    const { port } = canaries;
    const listed: UrlPolicy = { kind: 'allowlist', hosts: ['a.example.com', `a.example.com:${port}`] };
    const open: UrlPolicy = { kind: 'public', hosts: [`a.example.com:${port}`] };
    for (const policy of [listed, open, webhook, loopbackWebhook]) {
      expect(await reasonOf(`https://a.example.com:${port}/`, policy)).toBe('blocked_address');
    }
    expect(await reasonOf('https://a.example.com/', anyPublic)).toBe('blocked_address');
    expect([dials.dialled().length - before, canaries.heard]).toEqual([0, []]);
  });

  it('is asked for once a connection, and only what was said then is dialled, whatever is said later', async () => {
    // 192.0.2.1 is nobody's; the hole lets it play the public address, which is dialled in vain.
    const holes = readHoles({ cidrs: ['192.0.2.1'] });
    for (const [first, later] of [
      [['192.0.2.1'], ['127.0.0.1', '::1']],
      [['192.0.2.1'], ['192.0.2.1', '127.0.0.1']],
    ] as const) {
      zones = (_, n) => ({ addresses: n === 0 ? first : later });
      const name = `rebind-${later.length}-${later[0]}.example.com`;
      const policy: UrlPolicy = { kind: 'public', hosts: [`${name}:${canaries.port}`], holes };
      const [asked, dialled] = [names.asked.length, dials.dialled().length];
      const patient = createGuardedFetch({ resolve: names.resolve, connectMs: 400 });
      expect(['timeout', 'connect_error']).toContain(
        await reasonOf(`https://${name}:${canaries.port}/`, policy, patient),
      );
      expect(names.asked.slice(asked).sort()).toEqual([`${name} A`, `${name} AAAA`]);
      expect(new Set(dials.dialled().slice(dialled))).toEqual(new Set([`192.0.2.1 ${canaries.port}`]));
      expect(await reasonOf(`https://${name}:${canaries.port}/`, policy, patient)).toBe('blocked_address');
      await patient.close();
    }
    expect(canaries.heard).toEqual([]);
  });

  it('that nobody knows is an error of names, and nothing else', async () => {
    zones = () => undefined;
    expect(await reasonOf('https://nobody.example.com/', anyPublic)).toBe('dns_error');
    zones = () => ({ addresses: [] });
    expect(await reasonOf('https://empty.example.com/', anyPublic)).toBe('dns_error');
  });
});

describe('no redirect leads anywhere that the first address could not', () => {
  let port: number;
  let location: Buffer;
  let asked: number;
  let server: ReturnType<typeof createTls>;

  beforeAll(async () => {
    // Below HTTP, so that a Location may be any bytes.
    server = createTls(issue('cdn.test'), (socket: Socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        asked++;
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

  /** Those of `forms` behind whose redirect something happened that must not. */
  async function leaks(forms: readonly string[], statuses: readonly number[]): Promise<string[]> {
    zones = (name) => ({ addresses: ['127.0.0.1', ...(name === 'cdn.test' ? [] : ['::1'])] });
    const holes = readHoles({ hosts: ['cdn.test'] });
    const policies: UrlPolicy[] = [
      { kind: 'public', hosts: [`cdn.test:${port}`], holes },
      { kind: 'allowlist', hosts: [`cdn.test:${port}`], holes },
      { kind: 'operator', origin: `https://cdn.test:${port}` },
    ];
    const found: string[] = [];
    for (const status of statuses) {
      for (const policy of policies) {
        for (const form of forms) {
          location = Buffer.from(form);
          asked = 0;
          const reason = await reasonOf(`https://cdn.test:${port}/${status}`, policy);
          // Headers are bytes, each a letter. A relative address stays where it is: the host says 404 or sends in a circle.
          const read = parsedUrl(location.toString('latin1'), new URL(`https://cdn.test:${port}/`));
          const stays = read?.port === String(port) && read.hostname === 'cdn.test' && read.protocol === 'https:';
          const nowhere = read === undefined || form === '' || asked === 4 ? 'redirect' : 'http_status';
          const fine = reason === (read && !stays ? 'blocked_address' : nowhere);
          if (!fine) found.push(`${status} ${policy.kind} ${JSON.stringify(form)}: ${reason}`);
        }
      }
    }
    return found;
  }
  const forms = () => ssrfForms(canaries.port).filter((form) => !/[\r\n\0]/.test(form));

  it('by any form of the table', async () => {
    expect(await leaks(forms(), [302])).toEqual([]);
    expect(canaries.heard).toEqual([]);
  });

  it('by any status that redirects', async () => {
    const few = [...Object.keys(ADDRESSES_V4), ...hosts().filter((host) => host.startsWith('['))]
      .map((host) => `https://${host}:${canaries.port}/`)
      .filter((form) => parsedUrl(form) !== undefined);
    few.push(`http://cdn.test:${canaries.port}/`, `//127.0.0.1:${canaries.port}/`, `\\\\127.0.0.1:${canaries.port}\\`);
    expect(await leaks(few, [301, 303, 307, 308])).toEqual([]);
    expect(canaries.heard).toEqual([]);
  });

  it('by what is no address at all', async () => {
    const garbage = ['https://[::1', 'https://exa mple.com/', 'https://%zz/', 'https://a:b:c/', '', '\xff\xfe'];
    const policy: UrlPolicy = {
      kind: 'public',
      hosts: [`cdn.test:${port}`],
      holes: readHoles({ hosts: ['cdn.test'] }),
    };
    zones = () => ({ addresses: ['127.0.0.1'] });
    for (const text of garbage) {
      location = Buffer.from(text, 'latin1');
      expect(['redirect', 'http_status'], text).toContain(await reasonOf(`https://cdn.test:${port}/302`, policy));
    }
    expect(canaries.heard).toEqual([]);
  });
});
