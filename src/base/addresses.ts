import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * True only for globally routable addresses. IPv6 addresses that embed an IPv4 address (mapped, translated, 6to4,
 * Teredo, ISATAP) are classified by the IPv4 address. Invalid text is not public.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parse(ip);
  if (!address) return false;
  if (isV4(address)) return isPublicV4(address);
  const tunnelled = isatapV4(address.parts);
  if (tunnelled && !isPublicV4(tunnelled)) return false;
  const inner = embeddedV4(address.parts);
  if (inner) return inner.length > 0 && inner.every(isPublicV4);
  return within(address, GLOBAL_V6) && !within(address, NOT_PUBLIC_V6);
}

/** True for 127.0.0.0/8 (also mapped into IPv6) and ::1. */
export function isLoopbackAddress(ip: string): boolean {
  const address = parse(ip);
  return address !== undefined && within(address, LOOPBACK);
}

export function isOwnAddress(ip: string): boolean {
  const address = parse(ip);
  if (!address) return false;
  if (within(address, LOOPBACK) || within(address, UNSPECIFIED)) return true;
  const local = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return local.some((each) => normalizeAddress(each.address) === address.toString());
}

/** The canonical spelling, for comparisons; undefined for invalid text. */
export function normalizeAddress(ip: string): string | undefined {
  return parse(ip)?.toString();
}

/** Private host names and networks that the operator allows for outbound requests. */
export interface AllowList {
  readonly hosts: ReadonlySet<string>;
  readonly networks: readonly Network[];
}

export function parseAllowList(lists: { hosts?: readonly string[]; cidrs?: readonly string[] }): AllowList {
  return {
    hosts: new Set((lists.hosts ?? []).map((host) => host.toLowerCase())),
    networks: (lists.cidrs ?? []).map(network),
  };
}

/** Returns `text`, or throws a message for the operator. */
export function validateNetwork(text: string): string {
  network(text);
  return text;
}

export function isAllowListed(allowList: AllowList | undefined, target: { host?: string; ip?: string }): boolean {
  if (!allowList) return false;
  if (target.host !== undefined && allowList.hosts.has(target.host.toLowerCase())) return true;
  const address = target.ip === undefined ? undefined : parse(target.ip);
  return address !== undefined && within(address, allowList.networks);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

function parse(ip: string): Address | undefined {
  // node:net accepts the strict grammar only (no 127.1, no 0x7f.1, no leading zeros). A zone names a local interface.
  if (isIP(ip) === 0 || ip.includes('%')) return undefined;
  // ipaddr.js reads the deprecated ::8.8.8.8 as ::ffff:8.8.8.8; URL rewrites IPv6 addresses as plain groups first.
  return ipaddr.process(isIP(ip) === 4 ? ip : new URL(`http://[${ip}]`).hostname.slice(1, -1));
}

function network(cidr: string): Network {
  const [ip = '', bits] = cidr.split('/');
  const address = parse(ip);
  const width = address && isV4(address) ? 32 : 128;
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!address || !(prefix >= 0 && prefix <= width)) {
    throw new Error(`"${cidr}" is not a network: write it like 10.1.0.0/16, fd00:1::/32 or 10.1.2.3.`);
  }
  return [address, prefix];
}

function within(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

const isV4 = (address: Address): address is ipaddr.IPv4 => address.kind() === 'ipv4';
const isPublicV4 = (address: ipaddr.IPv4): boolean => !within(address, NOT_PUBLIC_V4);
const v4 = (high: number, low: number) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);

/** IPv4 targets of a translator or tunnel address; empty if ambiguous, undefined for plain IPv6. */
function embeddedV4(parts: number[]): ipaddr.IPv4[] | undefined {
  const [a, b, c, d, e, f, g, h] = parts as [number, number, number, number, number, number, number, number];
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return [v4(g, h)];
  if (a === 0x64 && b === 0xff9b && c === 1) {
    // The position of the IPv4 bits depends on the translator's prefix (RFC 6052). Only the two spellings that mean the
    // same address under every prefix are evaluated.
    if (d === 0 && e === 0 && f === 0) return [v4(g, h)];
    if (e >> 8 === 0 && (f & 255) === 0 && g === 0 && h === 0) return [v4(d, ((e & 255) << 8) | (f >> 8))];
    return [];
  }
  if (a === 0x2002) return [v4(b, c)];
  // Teredo contains the server, and the client with inverted bits.
  if (a === 0x2001 && b === 0) return [v4(c, d), v4(g ^ 0xffff, h ^ 0xffff)];
  return undefined;
}

/** The IPv4 tunnel endpoint of an ISATAP address, in any network (RFC 5214 §6.1). */
function isatapV4(parts: number[]): ipaddr.IPv4 | undefined {
  const [, , , , e, f, g, h] = parts as [number, number, number, number, number, number, number, number];
  return (e & ~0x200) === 0 && f === 0x5efe ? v4(g, h) : undefined;
}

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's platform endpoint (WireServer), which serves a machine's settings and credentials.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(network);

// The only allocated global unicast range, so ranges that are reserved in future are excluded too.
const GLOBAL_V6 = [network('2000::/3')];
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map(network);
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(network);
const UNSPECIFIED = ['0.0.0.0/8', '::/128'].map(network);
