import { isIPv4, isIPv6 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type AllowList, isAllowListed, isPublicAddress } from './addresses.ts';
import { composeCharacters } from './compose-characters.ts';
import { parseUrl } from './parse-url.ts';

/**
 * Which untrusted URLs are allowed.
 * - `allowlist`: https to exactly these hosts (`host` means port 443, `host:port` that port).
 * - `public`: https to a public DNS name on port 443, or to one of `hosts`; never to an IP address.
 * - `webhook`: https to a public host or address, any harmless port; and, with `loopback`, http or https to a host
 *   written exactly `localhost`, `127.0.0.1` or `[::1]`.
 * - `operator`: any URL under one origin that the operator configured, also http and private; redirects stay there.
 *
 * `filesHost` is the reserved host name of uploaded files. Use the same policy object for the check and the fetch.
 */
export type UrlPolicy = (
  | {
      readonly kind: 'allowlist';
      readonly hosts: readonly string[];
      /** The listed hosts may have private addresses, for example a local storage. */
      readonly allowPrivate?: boolean | undefined;
      readonly filesHost?: string | undefined;
    }
  | {
      readonly kind: 'public';
      readonly hosts?: readonly string[] | undefined;
      readonly filesHost?: string | undefined;
    }
  | {
      readonly kind: 'webhook';
      readonly loopback: boolean;
      /** The setting that allows loopback, for error messages. */
      readonly loopbackSetting?: string;
    }
  | { readonly kind: 'operator'; readonly origin: string }
) & { readonly allowList?: AllowList | undefined };

/** A URL rejected by its text; `message` is for the client. */
export class UrlRejected extends Error {
  override readonly name = 'UrlRejected';
}

/** Parses and checks `raw`; throws {@link UrlRejected}. Checks text only; addresses are checked when connecting. */
export function checkUrl(raw: string, policy: UrlPolicy): URL {
  const { url, host } = parseStrictly(raw);
  switch (policy.kind) {
    case 'allowlist':
      requireHttps(url);
      if (raw.includes('#')) throw new UrlRejected('The URL must not have a fragment (#…).');
      if (!isListed(url, policy.hosts) && !isFilesHost(url, policy.filesHost)) {
        throw new UrlRejected('The host of the URL is not one of the allowed hosts.');
      }
      return url;
    case 'public':
      requireHttps(url);
      if (isFilesHost(url, policy.filesHost)) return url;
      if (isAddress(url)) throw new UrlRejected('The URL must name its host; an IP address is not accepted.');
      if (isListed(url, policy.hosts ?? [])) return url;
      if (url.port !== '') throw new UrlRejected('The URL must use the standard https port, 443.');
      requirePublicName(url, policy.allowList);
      return url;
    case 'webhook':
      requireAllowedPort(url);
      // Compares the text, because 127.1, 0x7f.1 and 2130706433 also normalize to 127.0.0.1.
      if (policy.loopback && LOOPBACK_HOSTS.has(host)) return url;
      requireHttps(url, whenHttpIsAllowed(policy, host));
      if (isAddress(url)) requirePublicAddress(url, policy.allowList);
      else requirePublicName(url, policy.allowList);
      return url;
    case 'operator':
      if (url.origin === policy.origin) return url;
      throw new UrlRejected('The URL leaves the configured origin.');
  }
}

/**
 * One entry of an operator's host list in canonical form: lower case, ASCII, with a port only if `ports`. Throws a message
 * for anything else, because such an entry would never match.
 */
export function parseHost(text: string, { ports = false } = {}): string {
  const form = ports ? 'storage.example.com or storage.example.com:8443' : 'storage.example.com';
  const wrong = new Error(`"${text}" is not a host: write it like ${form}, without scheme, path or wildcard.`);
  if (/[/?#]/.test(text) || (!ports && text.replace(/^\[[^\]]*\]/, '').includes(':'))) throw wrong;
  try {
    return parseStrictly(`https://${text}`).url.host;
  } catch {
    throw wrong;
  }
}

const MAX_URL_CHARS = 2048;
const MAX_HOST_CHARS = 253;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', 'local', 'internal']);

export const isLoopback = (origin: string): boolean => LOOPBACK_HOSTS.has(parseUrl(origin)?.hostname ?? '');

/** Accepts only URLs that all parsers read alike: plain host and port, no ambiguous characters. */
function parseStrictly(raw: string): { url: URL; host: string } {
  if (raw.length > MAX_URL_CHARS) throw new UrlRejected(`The URL is longer than ${MAX_URL_CHARS} characters.`);
  // URL() drops tabs and line ends and reads a backslash as a slash.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(raw)) {
    throw new UrlRejected('The URL contains a space, a control character or a backslash.');
  }
  const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(raw);
  if (!shape) throw new UrlRejected('The value is not an absolute URL like https://host/path.');
  const [, scheme = '', authority = ''] = shape;
  if (!/^https?$/i.test(scheme)) throw new UrlRejected('The URL must begin with https://.');
  if (authority.includes('@')) throw new UrlRejected('The URL must not contain a user name or password.');

  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(?::(.*))?$/iu.exec(authority) ?? [];
  if (host === undefined) throw new UrlRejected('The host of the URL is not a plain host name.');
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) {
    throw new UrlRejected('The port of the URL is not a number from 1 to 65535.');
  }
  const url = parseUrl(raw);
  if (!url || !isPlainHost(host, url.hostname)) {
    throw new UrlRejected('The host of the URL is not a plain host name or a plain IP address.');
  }
  return { url, host };
}

/** True if parsing did not change the host, except for case and punycode. */
function isPlainHost(host: string, hostname: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  if (hostname.length > MAX_HOST_CHARS || /^\.|\.\.|\.$/.test(hostname)) return false;
  const written = composeCharacters(host.toLowerCase(), 'NFC');
  return written === hostname || written === domainToUnicode(hostname);
}

function isAddress(url: URL): boolean {
  return url.hostname.startsWith('[') || isIPv4(url.hostname);
}

function isListed(url: URL, hosts: readonly string[]): boolean {
  // URL omits port 443, so an entry without a port means exactly 443.
  return hosts.some((entry) => parseUrl(`https://${entry}`)?.host === url.host);
}

function isFilesHost(url: URL, filesHost: string | undefined): boolean {
  return filesHost !== undefined && filesHost !== '' && isListed(url, [filesHost]);
}

function requireHttps(url: URL, unless = ''): void {
  if (url.protocol !== 'https:') throw new UrlRejected(`The URL must begin with https://.${unless}`);
}

function whenHttpIsAllowed(
  { loopback, loopbackSetting }: Extract<UrlPolicy, { kind: 'webhook' }>,
  host: string,
): string {
  if (loopback) return ' Plain http:// is only for localhost, 127.0.0.1 and [::1].';
  if (loopbackSetting === undefined || !LOOPBACK_HOSTS.has(host)) return '';
  return ` URLs at ${host} need the setting ${loopbackSetting}.`;
}

function requirePublicName(url: URL, allowList: AllowList | undefined): void {
  const labels = url.hostname.split('.');
  if (labels.length > 1 && !LOCAL_NAMES.has(labels.at(-1)!)) return;
  if (!isAllowListed(allowList, { host: url.hostname })) throw notPublic();
}

function requirePublicAddress(url: URL, allowList: AllowList | undefined): void {
  const ip = url.hostname.replace(/^\[|\]$/g, '');
  if (!isPublicAddress(ip) && !isAllowListed(allowList, { host: url.hostname, ip })) throw notPublic();
}

const notPublic = () => new UrlRejected('The host of the URL is not a public one.');

function requireAllowedPort(url: URL): void {
  if (BLOCKED_PORTS.has(Number(url.port))) {
    throw new UrlRejected('The port of the URL belongs to another protocol.');
  }
}

// Ports where a POST could be read as commands of another protocol: the Fetch standard's list of bad ports, then
// databases, caches and control planes.
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 445, 873, 1433, 1521, 2375, 2376, 2379, 2380, 3306, 3389,
  5432, 5433, 5672, 6379, 6380, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]);
