import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isAllowListed, isLoopbackAddress, isOwnAddress, isPublicAddress, parseAllowList } from './addresses.ts';

// Both ends of every block, and the adjacent addresses.
const BLOCKED_V4 = `
  0.0.0.0 0.255.255.255
  10.0.0.0 10.255.255.255
  100.64.0.0 100.127.255.255
  127.0.0.0 127.0.0.1 127.255.255.255
  168.63.129.16
  169.254.0.0 169.254.169.254 169.254.255.255
  172.16.0.0 172.31.255.255
  192.0.0.0 192.0.0.255
  192.0.2.0 192.0.2.255
  192.88.99.0 192.88.99.255
  192.168.0.0 192.168.255.255
  198.18.0.0 198.19.255.255
  198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255
  224.0.0.0 239.255.255.255
  240.0.0.0 255.255.255.254 255.255.255.255`;
const PUBLIC_V4 = `
  1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  168.63.129.15 168.63.129.17
  169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255
  192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
  203.0.114.0 223.255.255.255`;
const BLOCKED_V6 = `
  :: ::1 0:0:0:0:0:0:0:1 ::2 ::127.0.0.1 ::8.8.8.8
  fc00:: fd00::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fe80::1 febf:: fec0::1 feff:: ff00:: ff02::1 ffff::
  2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff::1
  100:: 100::ffff:ffff:ffff:ffff 64:ff9a::8.8.8.8 64:ff9b:2::8.8.8.8
  2001:2::1 2001:10::1 2001:20::1 1fff::1 4000::1 5f00::1`;
const PUBLIC_V6 = '2000::1 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::1 3ffe::1';
// IPv6 addresses that embed an IPv4 address: a private and a public example each.
const EMBEDDED = [
  ['127.0.0.1', '8.8.8.8', (v4: string) => `::ffff:${v4}`],
  ['10.0.0.1', '8.8.8.8', (v4: string) => `::ffff:${hex(v4)}`],
  ['169.254.169.254', '1.1.1.1', (v4: string) => `64:ff9b::${v4}`],
  ['192.168.1.1', '1.1.1.1', (v4: string) => `64:ff9b:1::${v4}`],
  [
    '127.0.0.1',
    '8.8.8.8',
    (v4: string) => `64:ff9b:1:${hex(v4).replace(':', ':00')}00::`.replace(/:00(\w\w)(\w\w)00/, ':00$1:$200'),
  ],
  ['10.1.2.3', '9.9.9.9', (v4: string) => `2002:${hex(v4)}::1`],
  ['10.1.2.3', '9.9.9.9', (v4: string) => `2001:0:${hex('8.8.8.8')}:0:0:${hex(v4, 0xff)}`],
  ['127.0.0.1', '9.9.9.9', (v4: string) => `2001:0:${hex(v4)}:0:0:${hex('8.8.8.8', 0xff)}`],
  ['10.1.2.3', '9.9.9.9', (v4: string) => `2a00:1450::5efe:${v4}`],
  ['127.0.0.1', '9.9.9.9', (v4: string) => `2a00:1450::200:5efe:${v4}`],
] as const;

function hex(v4: string, turn = 0): string {
  const bytes = v4.split('.').map((byte) => ((Number(byte) ^ turn) & 255).toString(16).padStart(2, '0'));
  return `${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}`;
}

const list = (text: string) => text.trim().split(/\s+/);

describe('isPublicAddress', () => {
  it.each(list(BLOCKED_V4))('returns false for IPv4 %s', (ip) => expect(isPublicAddress(ip)).toBe(false));
  it.each(list(PUBLIC_V4))('returns true for IPv4 %s', (ip) => expect(isPublicAddress(ip)).toBe(true));
  it.each(list(BLOCKED_V6))('returns false for IPv6 %s', (ip) => expect(isPublicAddress(ip)).toBe(false));
  it.each(list(PUBLIC_V6))('returns true for IPv6 %s', (ip) => expect(isPublicAddress(ip)).toBe(true));

  it.each(EMBEDDED)('returns false for an IPv6 address with %s inside and true with %s', (bad, good, embed) => {
    expect([embed(bad), isPublicAddress(embed(bad))]).toEqual([embed(bad), false]);
    expect([embed(good), isPublicAddress(embed(good))]).toEqual([embed(good), true]);
  });

  it('returns false for a translation address that is ambiguous under RFC 6052', () => {
    expect(isPublicAddress('64:ff9b:1:a00:0:100:808:808')).toBe(false);
    expect(isPublicAddress('64:ff9b:1:808:8:800:a00:1')).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '8.8.8',
    '08.8.8.8',
    '8.8.8.8 ',
    '[::1]',
    '2606:4700::1%eth0',
    '8.8.8.8/32',
  ])('returns false for the invalid or ambiguous text "%s"', (text) => expect(isPublicAddress(text)).toBe(false));
});

describe('the allow list of OUTBOUND_ALLOW_CIDRS and OUTBOUND_ALLOW_HOSTS', () => {
  const allowList = parseAllowList({ cidrs: ['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32'], hosts: ['Minio.Local'] });

  it.each(['10.1.0.0', '10.1.255.255', '192.168.7.7', '::ffff:10.1.2.3', 'fd00:1::5'])('contains %s', (ip) =>
    expect(isAllowListed(allowList, { ip })).toBe(true),
  );
  it.each(['10.2.0.0', '10.0.255.255', '192.168.7.8', 'fd00:2::5', '64:ff9b::10.1.2.3', '2002:a01:203::1', 'x'])(
    'does not contain %s',
    (ip) => expect(isAllowListed(allowList, { ip })).toBe(false),
  );
  it('matches hosts by their exact name, case-insensitively', () => {
    expect(isAllowListed(allowList, { host: 'minio.local' })).toBe(true);
    expect(isAllowListed(allowList, { host: 'a.minio.local' })).toBe(false);
    expect(isAllowListed(undefined, { host: 'minio.local', ip: '10.1.0.0' })).toBe(false);
  });
  it.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/0x8', 'all', ''])(
    'rejects the network "%s" with a message',
    (cidr) => expect(() => parseAllowList({ cidrs: [cidr] })).toThrow('is not a network'),
  );
});

it('isOwnAddress and isLoopbackAddress recognize addresses of this machine', () => {
  const first = Object.values(networkInterfaces()).flatMap((each) => each ?? [])[0]!;
  for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', first.address]) {
    expect([ip, isOwnAddress(ip)]).toEqual([ip, true]);
  }
  expect(isOwnAddress('8.8.8.8')).toBe(false);
  expect(isLoopbackAddress('127.3.2.1')).toBe(true);
  expect(isLoopbackAddress('0.0.0.0')).toBe(false);
});
