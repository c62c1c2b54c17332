import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * True only for an address that anybody on the internet could mean. What carries an IPv4 address inside (mapped,
 * translated, 6to4, Teredo, ISATAP) is judged by that address; what is not an IP address at all is not public.
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

/** True for 127.0.0.0/8 and ::1, also when the former is mapped into IPv6. */
export function isLoopbackAddress(ip: string): boolean {
  const address = parse(ip);
  return address !== undefined && within(address, LOOPBACK);
}

/** True when a connection to `ip` would end on this very machine. */
export function isOwnAddress(ip: string): boolean {
  const address = parse(ip);
  if (!address) return false;
  if (within(address, LOOPBACK) || within(address, UNSPECIFIED)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((each) => normalAddress(each.address) === address.toString());
}

/** One spelling per address, so that two of them can be compared; undefined when it is none. */
export function normalAddress(ip: string): string | undefined {
  return parse(ip)?.toString();
}

/** What an operator opened on purpose: exact host names and exact networks that may be reached although private. */
export interface Holes {
  readonly hosts: ReadonlySet<string>;
  readonly networks: readonly Network[];
}

/** Reads the lists an operator wrote; a slip in them stops the process with a plain sentence, it never opens more. */
export function readHoles(lists: { hosts?: readonly string[]; cidrs?: readonly string[] }): Holes {
  return {
    hosts: new Set((lists.hosts ?? []).map((host) => host.toLowerCase())),
    networks: (lists.cidrs ?? []).map(network),
  };
}

/** `text` when it is a network as {@link readHoles} takes it; throws a sentence otherwise. */
export function networkText(text: string): string {
  network(text);
  return text;
}

/** True when the operator opened this host name or this address. */
export function inHole(holes: Holes | undefined, where: { host?: string; ip?: string }): boolean {
  if (!holes) return false;
  if (where.host !== undefined && holes.hosts.has(where.host.toLowerCase())) return true;
  const address = where.ip === undefined ? undefined : parse(where.ip);
  return address !== undefined && within(address, holes.networks);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

function parse(ip: string): Address | undefined {
  // node:net knows the strict grammar (no 127.1, no 0x7f.1, no leading zeros); a zone names an interface, so it is local.
  if (isIP(ip) === 0 || ip.includes('%')) return undefined;
  // ipaddr.js takes the outdated ::8.8.8.8 for ::ffff:8.8.8.8; URL writes every IPv6 address in plain groups first.
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

/** Every IPv4 address a translator or tunnel would send this to; empty when none can be told, undefined when it is plain. */
function embeddedV4(parts: number[]): ipaddr.IPv4[] | undefined {
  const [a, b, c, d, e, f, g, h] = parts as [number, number, number, number, number, number, number, number];
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return [v4(g, h)];
  if (a === 0x64 && b === 0xff9b && c === 1) {
    // Where the IPv4 bits lie depends on the translator's own prefix (RFC 6052). Only the two spellings that read the
    // same under every prefix are judged; anything else might mean one address to us and another to the translator.
    if (d === 0 && e === 0 && f === 0) return [v4(g, h)];
    if (e >> 8 === 0 && (f & 255) === 0 && g === 0 && h === 0) return [v4(d, ((e & 255) << 8) | (f >> 8))];
    return [];
  }
  if (a === 0x2002) return [v4(b, c)];
  // Teredo names two: the server in the clear, and the client with its bits turned over.
  if (a === 0x2001 && b === 0) return [v4(c, d), v4(g ^ 0xffff, h ^ 0xffff)];
  return undefined;
}

/** Where a host that speaks ISATAP would tunnel what goes to this address, whatever network it is in (RFC 5214 §6.1). */
function isatapV4(parts: number[]): ipaddr.IPv4 | undefined {
  const [, , , , e, f, g, h] = parts as [number, number, number, number, number, number, number, number];
  return (e & ~0x200) === 0 && f === 0x5efe ? v4(g, h) : undefined;
}

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Given out as any other, yet at Azure it is the platform that a machine runs on, with its settings and credentials.
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

// All that was ever given out as global unicast lies here; unspecified, loopback, unique local, link-local, site-local,
// multicast and discard do not, nor does anything that will be reserved tomorrow.
const GLOBAL_V6 = [network('2000::/3')];
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map(network);
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(network);
const UNSPECIFIED = ['0.0.0.0/8', '::/128'].map(network);
