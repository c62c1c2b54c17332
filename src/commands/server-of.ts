import { isIPv6 } from 'node:net';
import { OperatorError } from '../base/operator-error.ts';
import { parsedUrl } from '../base/parsed-url.ts';
import type { AssayOptions } from '../client/index.ts';
import { sendable } from './sendable.ts';

export interface ServerOptions {
  /** Absent: the listener of this machine's settings. */
  readonly server?: string;
  readonly token?: string;
  readonly apiKey?: string;
}

/** Where a service is, what opens it, and how it is to be asked. */
export interface Server extends Pick<AssayOptions, 'polling' | 'retries'> {
  readonly url: string;
  readonly token: string | undefined;
  readonly apiKey: string | undefined;
  readonly local: boolean;
}

/**
 * The server that the command line names. What opens it comes from there too, else from ASSAY_TOKEN or ASSAY_API_KEY; for
 * a server of this machine also from its settings, or from what the local profile has made: never for one elsewhere.
 */
export async function serverOf(name: string, { server, token, apiKey }: ServerOptions): Promise<Server> {
  const given = server === undefined ? undefined : addressOf(server);
  const local = given === undefined || LOOPBACK.includes(new URL(given).hostname);
  const isKey = name === 'passports';
  const opens = isKey
    ? { token: sendable(token), apiKey: token === undefined ? (apiKey ?? process.env['ASSAY_API_KEY']) : undefined }
    : { token: sendable(token ?? process.env['ASSAY_TOKEN']), apiKey: undefined };
  const own = given === undefined || (local && !opens.token && !opens.apiKey) ? await ownServer(name) : undefined;
  const url = given ?? own?.url;
  if (url === undefined) throw new OperatorError(`SERVICES leaves ${name} out; --server names another server.`);
  if (!opens.token && !opens.apiKey) opens[isKey ? 'apiKey' : 'token'] = own?.credential;
  return { url, ...opens, local, polling: local ? 'local' : 'specification', retries: local ? 0 : 3 };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

async function ownServer(service: string) {
  // The settings of every service, which a server elsewhere has no need of.
  const { plan } = await import('../plan.ts');
  const { services, host } = await plan(process.env, 'client');
  const found = services.find((each) => each.name === service);
  if (found === undefined) return undefined;
  const name = EVERYWHERE[host] ?? host;
  return { url: `http://${isIPv6(name) ? `[${name}]` : name}:${found.port}`, credential: found.credential };
}

function addressOf(server: string): string {
  const url = parsedUrl(server);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OperatorError(`--server ${server} is no http or https address.`);
  if (url.username || url.password) {
    throw new OperatorError('The address has a user name in it; --token is the place for credentials.');
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}
