import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import type { Resolve } from '../../src/base/guarded-connector.ts';

/** The records of a name: addresses of both families and an optional CNAME. */
export interface DnsRecords {
  readonly addresses: readonly string[];
  readonly alias?: string;
}

/** A DNS server that plays an attacker's: each query may get a different answer. */
export interface DnsServer {
  readonly port: number;
  /** The queries in order: name and record type. */
  readonly queries: readonly string[];
  /** Looks up both families over UDP, without a cache. */
  readonly resolve: Resolve;
  close(): void;
}

/** `answers` returns the records for the `n`-th query of a name (from 0); undefined is NXDOMAIN. */
export async function startDnsServer(answers: (name: string, n: number) => DnsRecords | undefined): Promise<DnsServer> {
  const asked: string[] = [];
  const times = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const { name, type, end } = parseQuestion(question);
    const key = `${name} ${type === A ? 'A' : 'AAAA'}`;
    const n = times.get(key) ?? 0;
    times.set(key, n + 1);
    asked.push(key);
    socket.send(answer(question.subarray(0, end), type, answers(name, n)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();

  async function resolve(host: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: 2000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = families.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (found.length === 0 && families[0]!.status === 'rejected') throw families[0]!.reason;
    return found;
  }
  return { port, queries: asked, resolve, close: () => socket.close() };
}

const A = 1;
const CNAME = 5;
const AAAA = 28;
const NXDOMAIN = 3;

/** Parses the single question of a message (RFC 1035 §4.1.2). */
function parseQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answer(question: Buffer, type: number, zone: DnsRecords | undefined): Buffer {
  const records: Buffer[] = [];
  let owner: Buffer = Buffer.from([0xc0, 12]);
  if (zone?.alias !== undefined) {
    records.push(record(owner, CNAME, encodeName(zone.alias)));
    owner = encodeName(zone.alias);
  }
  for (const address of zone?.addresses ?? []) {
    if (isIPv4(address) !== (type === A) || (type !== A && type !== AAAA)) continue;
    records.push(record(owner, type, isIPv4(address) ? bytes4(address) : bytes6(address)));
  }
  const message = Buffer.concat([question, ...records]);
  message.writeUInt16BE(0x8180 | (zone === undefined ? NXDOMAIN : 0), 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(records.length, 6);
  message.writeUInt32BE(0, 8);
  return message;
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

const bytes4 = (address: string) => Buffer.from(address.split('.').map(Number));

/** Encodes an IPv6 address from the normalized form of `URL`. */
function bytes6(address: string): Buffer {
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [read(before), read(after ?? '')];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
