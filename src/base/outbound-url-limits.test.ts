import { describe, expect, it } from 'vitest';
import { rejectionReasonOf } from '../../test/support/url-rejection-reason.ts';
import { parseAllowList } from './addresses.ts';
import { checkUrl, parseHost, type UrlPolicy, UrlRejected } from './outbound-url.ts';

const WEBHOOK: UrlPolicy = { kind: 'webhook', loopback: false };
const LISTED: UrlPolicy = { kind: 'allowlist', hosts: ['storage.example.com', 'storage.example.com:8443'] };
const OPERATOR: UrlPolicy = { kind: 'operator', origin: 'http://10.0.0.1:9000' };

function reasonOf(url: string, policy: UrlPolicy = WEBHOOK): string {
  try {
    checkUrl(url, policy);
    return 'good';
  } catch (error) {
    expect(error).toBeInstanceOf(UrlRejected);
    expect(error).toMatchObject({ name: 'UrlRejected' });
    return rejectionReasonOf(error as UrlRejected);
  }
}

/** https://fetch.spec.whatwg.org/#port-blocking, without 0, which is never allowed. */
const FETCH_BAD_PORTS = [
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];
/** Windows shares, rsync, databases, container engines, etcd, remote desktops, queues, caches, the kubelet. */
const OF_A_MACHINE = [
  ...[445, 873, 1433, 1521, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5433, 5672, 6379, 6380, 9042, 9092, 9200, 9300],
  ...[10250, 11211, 27017],
];

it('checkUrl allows webhooks on all ports except those of other protocols', () => {
  const rejected: number[] = [];
  for (let port = 1; port <= 65_535; port++) {
    if (reasonOf(`https://a.example.com:${port}/`) === 'port') rejected.push(port);
  }
  expect(rejected).toEqual([...FETCH_BAD_PORTS, ...OF_A_MACHINE].sort((a, b) => a - b));
});

describe('checkUrl', () => {
  const label = 'a'.repeat(61);
  const host = (length: number) => `${`${label}.`.repeat(4)}${'b'.repeat(length - 4 * 62)}`;
  it.each<[string, string, UrlPolicy?]>([
    ['https://a.example.com:65535/', 'good'],
    ['https://a.example.com:65536/', 'port'],
    ['https://a.example.com:99999/', 'port'],
    ['https://a.example.com:1x/', 'port'],
    ['https://a.example.com:/', 'port'],
    ['x https://a.example.com/', 'syntax'],
    ['"https://a.example.com/', 'syntax'],
    ['a.example.com', 'syntax'],
    ['xhttps://a.example.com/', 'scheme'],
    ['httpsx://a.example.com/', 'scheme'],
    ['ftp://a.example.com/', 'scheme'],
    ['HTTPS://A.EXAMPLE.COM/', 'good'],
    [`https://${host(253)}/`, 'good'],
    [`https://${host(254)}/`, 'host'],
    ['https://!a.example.com/', 'host'],
    ['https://a.example.com!/', 'host'],
    ['https://пример.рф/', 'good'],
    // One letter as two code points, which IDNA normalizes.
    ['https://e\u0301.example.com/', 'good'],
    ['https://other.example.com/', 'not_listed', LISTED],
    ['https://storage.example.com/', 'good', LISTED],
    ['https://storage.example.com:443/', 'good', LISTED],
    ['https://storage.example.com:8443/', 'good', LISTED],
    ['https://storage.example.com:8444/', 'not_listed', LISTED],
    ['http://10.0.0.1:9000/a', 'good', OPERATOR],
    ['http://10.0.0.1:9001/a', 'not_listed', OPERATOR],
    ['https://[2606:4700::1111]/', 'good'],
    ['https://[fd00::1]/', 'not_public'],
  ])('for %.60s returns %s', (url, reason, policy) => {
    expect(reasonOf(url, policy)).toBe(reason);
  });

  it('names the hosts that allow plain http in its message', () => {
    expect(() => checkUrl('http://a.example.com/', WEBHOOK)).toThrow(/^The URL must begin with https:\/\/\.$/);
    expect(() => checkUrl('http://a.example.com/', { kind: 'webhook', loopback: true })).toThrow(/only for localhost/);
  });

  it('names the setting that allows loopback for a loopback URL with http only', () => {
    const policy: UrlPolicy = { ...WEBHOOK, loopbackSetting: 'HOOKS=allow' };
    const messageOf = (url: string) => {
      try {
        return checkUrl(url, policy).href;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf('http://127.0.0.1:9000/hook')).toBe(
      'The URL must begin with https://. URLs at 127.0.0.1 need the setting HOOKS=allow.',
    );
    expect(messageOf('http://a.example.com/')).toBe('The URL must begin with https://.');
    expect(messageOf('https://localhost/')).not.toContain('HOOKS');
  });
});

it('checkUrl allows exactly the IPv6 networks on the allow list', () => {
  const allowList = parseAllowList({ cidrs: ['fd00:1::/32'] });
  expect(reasonOf('https://[fd00:1::7]/', { ...WEBHOOK, allowList })).toBe('good');
  expect(reasonOf('https://[fd00:2::7]/', { ...WEBHOOK, allowList })).toBe('not_public');
});

it('parseHost describes the required format, with a port only if ports are allowed', () => {
  expect(() => parseHost('https://a')).toThrow(/write it like storage\.example\.com, without/);
  expect(() => parseHost('https://a', { ports: true })).toThrow(
    /like storage\.example\.com or storage\.example\.com:8443,/,
  );
  expect(() => parseHost('a[::1]:443')).toThrow(/is not a host/);
});
