import { isIPv4, isIPv6 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type Holes, inHole, isPublicAddress } from './addresses.ts';
import { composeCharacters } from './compose-characters.ts';
import { parsedUrl } from './parsed-url.ts';

/**
 * Which URLs of strangers are acceptable.
 * - `allowlist`: https to exactly these hosts (`host` means port 443, `host:port` that port).
 * - `public`: https to a public DNS name on port 443, or to one of `hosts`; never to an IP address.
 * - `webhook`: https to a public host or address, any harmless port; and, with `loopback`, http or https to a host
 *   written exactly `localhost`, `127.0.0.1` or `[::1]`.
 * - `operator`: whatever lies under one origin that the operator named: no stranger's URL, so http and private
 *   addresses are as good as any; redirects stay there.
 *
 * `filesHost` is the reserved name for bytes this product already holds. Make a policy once and hand the same value to
 * the check and to the fetch.
 */
export type UrlPolicy =
  | {
      readonly kind: 'allowlist';
      readonly hosts: readonly string[];
      /** The listed hosts may have private addresses (a storage on the same premises). */
      readonly allowPrivate?: boolean | undefined;
      readonly filesHost?: string | undefined;
      readonly holes?: Holes | undefined;
    }
  | {
      readonly kind: 'public';
      readonly hosts?: readonly string[] | undefined;
      readonly filesHost?: string | undefined;
      readonly holes?: Holes | undefined;
    }
  | { readonly kind: 'webhook'; readonly loopback: boolean; readonly holes?: Holes | undefined }
  | { readonly kind: 'operator'; readonly origin: string; readonly holes?: undefined };

export type UrlRefusal =
  | 'too_long'
  | 'syntax'
  | 'scheme'
  | 'userinfo'
  | 'fragment'
  | 'host'
  | 'port'
  | 'not_listed'
  | 'not_public';

/** A URL that is refused by its text alone; `message` is a sentence for the client. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused';
  readonly reason: UrlRefusal;

  constructor(reason: UrlRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * The URL that `raw` plainly says, when `policy` accepts it; throws {@link UrlRefused} otherwise. Looks at text only:
 * what a name resolves to is for the moment of connecting.
 */
export function checkUrl(raw: string, policy: UrlPolicy): URL {
  const { url, host } = plainUrl(raw);
  switch (policy.kind) {
    case 'allowlist':
      requireHttps(url);
      if (raw.includes('#')) throw new UrlRefused('fragment', 'The URL must not have a fragment (#…).');
      if (!isListed(url, policy.hosts) && !isFilesHost(url, policy.filesHost)) {
        throw new UrlRefused('not_listed', 'The host of the URL is not one of the allowed hosts.');
      }
      return url;
    case 'public':
      requireHttps(url);
      if (isFilesHost(url, policy.filesHost)) return url;
      if (isAddress(url)) throw new UrlRefused('host', 'The URL must name its host; an IP address is not accepted.');
      if (isListed(url, policy.hosts ?? [])) return url;
      if (url.port !== '') throw new UrlRefused('port', 'The URL must use the standard https port, 443.');
      requirePublicName(url, policy.holes);
      return url;
    case 'webhook':
      requireHarmlessPort(url);
      // The text decides, not what it normalises to: 127.1, 0x7f.1 and 2130706433 all end at 127.0.0.1 too.
      if (policy.loopback && LOOPBACK_HOSTS.has(host)) return url;
      requireHttps(url, policy.loopback ? ' Plain http:// is only for localhost, 127.0.0.1 and [::1].' : '');
      if (isAddress(url)) requirePublicAddress(url, policy.holes);
      else requirePublicName(url, policy.holes);
      return url;
    case 'operator':
      if (url.origin === policy.origin) return url;
      throw new UrlRefused('not_listed', 'The URL leads away from the address that was configured.');
  }
}

/**
 * One entry of an operator's list of hosts, as URLs are compared with it: lower case, ASCII, and with a port only where
 * ports are listed. Throws a sentence for what is more than a host: it would look allowed and match nothing.
 */
export function listedHost(text: string, { ports = false } = {}): string {
  const form = ports ? 'storage.example.com or storage.example.com:8443' : 'storage.example.com';
  const wrong = new Error(`"${text}" is not a host: write it like ${form}, without scheme, path or wildcard.`);
  if (/[/?#]/.test(text) || (!ports && text.replace(/^\[[^\]]*\]/, '').includes(':'))) throw wrong;
  try {
    return plainUrl(`https://${text}`).url.host;
  } catch {
    throw wrong;
  }
}

const LONGEST_URL = 2048;
const LONGEST_HOST = 253;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
// Names that mean "near me" by convention; what they lead to is never the public internet.
const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', 'local', 'internal']);

/** Whether a webhook to this origin stays on this machine by its text. */
export const isLoopback = (origin: string): boolean => LOOPBACK_HOSTS.has(parsedUrl(origin)?.hostname ?? '');

/** Parses once, and only what every parser reads alike: an authority of plain host and port, no trick characters. */
function plainUrl(raw: string): { url: URL; host: string } {
  if (raw.length > LONGEST_URL) throw new UrlRefused('too_long', `The URL is longer than ${LONGEST_URL} characters.`);
  // URL() itself would drop tabs and line ends and read a backslash as a slash.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(raw)) {
    throw new UrlRefused('syntax', 'The URL contains a space, a control character or a backslash.');
  }
  const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(raw);
  if (!shape) throw new UrlRefused('syntax', 'The value is not an absolute URL like https://host/path.');
  const [, scheme = '', authority = ''] = shape;
  if (!/^https?$/i.test(scheme)) throw new UrlRefused('scheme', 'The URL must begin with https://.');
  if (authority.includes('@')) throw new UrlRefused('userinfo', 'The URL must not contain a user name or password.');

  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(?::(.*))?$/iu.exec(authority) ?? [];
  if (host === undefined) throw new UrlRefused('host', 'The host of the URL is not a plain host name.');
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) {
    throw new UrlRefused('port', 'The port of the URL is not a number from 1 to 65535.');
  }
  const url = parsedUrl(raw);
  if (!url || !isPlainHost(host, url.hostname)) {
    throw new UrlRefused('host', 'The host of the URL is not a plain host name or a plain IP address.');
  }
  return { url, host };
}

/** True when the host was written as it is read: nothing was folded, dropped or counted on the way to `hostname`. */
function isPlainHost(host: string, hostname: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  if (hostname.length > LONGEST_HOST || /^\.|\.\.|\.$/.test(hostname)) return false;
  const written = composeCharacters(host.toLowerCase(), 'NFC');
  return written === hostname || written === domainToUnicode(hostname);
}

function isAddress(url: URL): boolean {
  return url.hostname.startsWith('[') || isIPv4(url.hostname);
}

function isListed(url: URL, hosts: readonly string[]): boolean {
  // URL writes port 443 as no port, so `host` in the list means exactly that port.
  return hosts.some((entry) => parsedUrl(`https://${entry}`)?.host === url.host);
}

function isFilesHost(url: URL, filesHost: string | undefined): boolean {
  return filesHost !== undefined && filesHost !== '' && isListed(url, [filesHost]);
}

function requireHttps(url: URL, unless = ''): void {
  if (url.protocol !== 'https:') throw new UrlRefused('scheme', `The URL must begin with https://.${unless}`);
}

function requirePublicName(url: URL, holes: Holes | undefined): void {
  const labels = url.hostname.split('.');
  if (labels.length > 1 && !LOCAL_NAMES.has(labels.at(-1)!)) return;
  if (!inHole(holes, { host: url.hostname })) throw notPublic();
}

function requirePublicAddress(url: URL, holes: Holes | undefined): void {
  const ip = url.hostname.replace(/^\[|\]$/g, '');
  if (!isPublicAddress(ip) && !inHole(holes, { host: url.hostname, ip })) throw notPublic();
}

const notPublic = () => new UrlRefused('not_public', 'The host of the URL is not a public one.');

function requireHarmlessPort(url: URL): void {
  if (HARMFUL_PORTS.has(Number(url.port))) {
    throw new UrlRefused('port', 'The port of the URL belongs to another protocol.');
  }
}

// Ports where a POST could be taken for commands of another protocol: the Fetch standard's list of bad ports, then
// databases, caches and control planes that a machine's own loopback may hold.
const HARMFUL_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 445, 873, 1433, 1521, 2375, 2376, 2379, 2380, 3306, 3389,
  5432, 5433, 5672, 6379, 6380, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]);
