import { isIPv6 } from 'node:net';
import { OperatorError } from '../base/operator-error.ts';
import { isLoopback } from '../base/outbound-url.ts';
import { parseUrl } from '../base/parse-url.ts';
import type { AssayOptions } from '../client/index.ts';

export interface ServerOptions {
  readonly server?: string;
  readonly token?: string;
  readonly apiKey?: string;
}

export interface Server extends Pick<AssayOptions, 'polling' | 'retries'> {
  readonly url: string;
  readonly token: string | undefined;
  readonly apiKey: string | undefined;
  readonly local: boolean;
  /** The credential is that of the service on this machine, which the command line and the environment do not name. */
  readonly isOwnCredential: boolean;
}

/** Credentials: command line, then ASSAY_TOKEN or ASSAY_API_KEY, then, for this machine only, its settings. */
export async function resolveServer(name: string, { server, token, apiKey }: ServerOptions): Promise<Server> {
  const explicitUrl = server === undefined ? undefined : parseServerUrl(server, '--server ');
  const local = explicitUrl === undefined || isLoopback(explicitUrl);
  const isKey = name === 'passports';
  const credential = isKey
    ? {
        token: validateToken(token),
        apiKey: token === undefined ? (apiKey ?? process.env['ASSAY_API_KEY']) : undefined,
      }
    : { token: validateToken(token ?? process.env['ASSAY_TOKEN']), apiKey: undefined };
  const hasCredential = credential.token || credential.apiKey;
  const own = explicitUrl === undefined || (local && !hasCredential) ? await localServer(name) : undefined;
  const url = explicitUrl ?? own?.url;
  if (url === undefined) throw new OperatorError(`SERVICES does not include ${name}; use --server for another server.`);
  if (!hasCredential) credential[isKey ? 'apiKey' : 'token'] = own?.credential;
  const isOwnCredential = !hasCredential && own?.credential !== undefined;
  return {
    url,
    ...credential,
    isOwnCredential,
    local,
    polling: local ? 'local' : 'specification',
    retries: local ? 0 : 3,
  };
}

const ALL_INTERFACES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

async function localServer(service: string) {
  // Not needed for a remote server.
  const { loadConfig } = await import('../config.ts');
  const { services, host } = await loadConfig(process.env, 'client');
  const found = services.find((each) => each.name === service);
  if (found === undefined) return undefined;
  const name = ALL_INTERFACES[host] ?? host;
  return { url: `http://${isIPv6(name) ? `[${name}]` : name}:${found.port}`, credential: found.credential };
}

/** The base address in `text`, without a slash at the end. `option` names its option in errors. */
export function parseServerUrl(text: string, option = ''): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OperatorError(`${option}${text} is not an http or https URL.`);
  }
  if (url.username || url.password) {
    throw new OperatorError('The URL contains a user name; pass credentials with --token.');
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

/** A copied token can contain look-alike characters. */
export function validateToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new OperatorError('The token contains characters that are not allowed in a token: copy it again.');
}
