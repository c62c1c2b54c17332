import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  isAllowListed,
  isLoopbackAddress,
  isOwnAddress,
  isPublicAddress,
  normalizeAddress,
  parseAllowList,
  validateNetwork,
} from './addresses.ts';

describe('isOwnAddress', () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  it.each(own.map(({ address }) => address).filter((address) => !address.startsWith('fe80')))(
    'returns true for %s',
    (address) => {
      expect(isOwnAddress(address)).toBe(true);
    },
  );

  it.each(['203.0.113.77', '2001:db8::77', 'localhost', '', '127.1', 'x'])('returns false for %j', (address) => {
    expect(isOwnAddress(address)).toBe(false);
  });

  it.each(['localhost', '', 'x', '::ffff:127.0.0.256'])(
    'and isLoopbackAddress returns false for the invalid text %j',
    (address) => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
});

it('normalizeAddress returns the canonical spelling, or undefined for invalid text', () => {
  expect(normalizeAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(normalizeAddress('2001:0DB8:0::1')).toBe('2001:db8::1');
  expect(normalizeAddress('10.1')).toBeUndefined();
});

describe('the allow list of the operator', () => {
  it('accepts valid networks and rejects others with a message', () => {
    expect(validateNetwork('10.1.0.0/16')).toBe('10.1.0.0/16');
    for (const text of ['10.1.0.0/33', '10.1.0.0/-1', '10.1.0.0/', 'fd00::/129', 'x', '10.1.0.0/1e1']) {
      expect(() => validateNetwork(text)).toThrow(/is not a network: write it like/);
    }
  });

  it('may contain all addresses', () => {
    expect(isAllowListed(parseAllowList({ cidrs: ['0.0.0.0/0'] }), { ip: '10.0.0.1' })).toBe(true);
  });

  it('matches hosts case-insensitively and nothing if it is missing', () => {
    const allowList = parseAllowList({ hosts: ['Intra'], cidrs: ['10.0.0.0/8'] });
    expect(isAllowListed(allowList, { host: 'INTRA' })).toBe(true);
    expect(isAllowListed(allowList, { host: 'other' })).toBe(false);
    expect(isAllowListed(allowList, {})).toBe(false);
    expect(isAllowListed(undefined, { host: 'intra' })).toBe(false);
  });
});

describe('isPublicAddress for an IPv4 address inside an IPv6 address (RFC 6052, 64:ff9b:1::/48)', () => {
  it.each<[string, boolean]>([
    ['64:ff9b:1:808:8:800::', true], // 8.8.8.8, behind a prefix of 48 bits
    ['64:ff9b:1:808:8:100::', true], // 8.8.8.1
    ['64:ff9b:1:7f00:0:100::', false], // 127.0.0.1
    ['64:ff9b:1:a9fe:a9:fe00::', false], // 169.254.169.254
    ['64:ff9b:1:c0a8:1:200::', false], // 192.168.1.2
    ['64:ff9b:1:c0a9:1:200::', true], // 192.169.1.2
    ['64:ff9b:1:a83f:81:1000::', false], // 168.63.129.16, the platform below a machine at Azure
    ['64:ff9b:1:a83f:81:1100::', true], // 168.63.129.17
    ['64:ff9b:1:a83f:80:1000::', true], // 168.63.128.16
    ['64:ff9b:1:c000:2:100::', false], // 192.0.2.1
    ['64:ff9b:1:c000:3:100::', true], // 192.0.3.1
    ['64:ff9b::a83f:8110', false],
    ['64:ff9b::a83f:8111', true],
    ['64:ff9b::a83f:8010', true],
    ['64:ff9b:1::808:808', true],
    ['64:ff9b:1::a00:1', false],
    ['64:ff9b:1::1:0:808:808', false],
    ['64:ff9b:1:0:1::808:808', false],
    ['64:ff9b:1:808:108:800::', false],
    ['64:ff9b:1:808:8:801::', false],
    ['64:ff9b:1:808:8:800:1:0', false],
    ['64:ff9b:1:808:8:800:0:1', false],
    ['64:ff9b::1:0:808:808', false],
    ['64:ff9b::1:808:808', false],
  ])('for %s returns %s', (address, good) => {
    expect(isPublicAddress(address)).toBe(good);
  });
});

it('isPublicAddress inverts the bits of the client in a Teredo address', () => {
  expect(isPublicAddress('2001:0:808:808::80ff:fffe')).toBe(false);
  expect(isPublicAddress('2001:0:808:808::f7f7:f7f7')).toBe(true);
  expect(isPublicAddress('2001:0:a00:1::f7f7:f7f7')).toBe(false);
  expect(isPublicAddress('2001:0:808:808::57c0:7eef')).toBe(false);
  expect(isPublicAddress('2001:0:808:808::57c0:7eee')).toBe(true);
});

it('isPublicAddress detects ISATAP addresses with and without the universal bit', () => {
  expect(isPublicAddress('2606:4700::5efe:a00:1')).toBe(false);
  expect(isPublicAddress('2606:4700::200:5efe:a00:1')).toBe(false);
  expect(isPublicAddress('2606:4700::1:5efe:a00:1')).toBe(true);
  expect(isPublicAddress('2606:4700::201:5efe:a00:1')).toBe(true);
});
