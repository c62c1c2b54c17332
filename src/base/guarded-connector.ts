import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { isAllowListed, isLoopbackAddress, isOwnAddress, isPublicAddress, normalizeAddress } from './addresses.ts';
import { FetchFailed } from './fetch-failed.ts';
import type { UrlPolicy } from './outbound-url.ts';

export type Resolve = (host: string) => Promise<readonly string[]>;

/** Uses the system resolver, so that /etc/hosts and search domains apply. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map((each) => each.address);

/** Reason of a blocked request: for metrics only, never for a response. */
export type BlockReason = 'url' | 'address' | 'port' | 'peer';

export interface ConnectorOptions {
  readonly policy: UrlPolicy;
  readonly resolve: Resolve;
  /** Includes name lookup and TLS handshake. */
  readonly connectMs: number;
  readonly blockedPorts: ReadonlySet<number>;
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  readonly onBlocked: (why: BlockReason) => void;
}

/**
 * Opens connections under one policy. Every new connection resolves its host, requires that all addresses are allowed,
 * and connects only to one of them, which prevents DNS rebinding.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const started = Date.now();
    const secure = target.protocol === 'https:';
    const reject = (error: unknown) => callback(connectFailure(error, secure), null);
    const open = (addresses: readonly string[]) => {
      const connect = buildConnector({
        timeout: Math.max(1, options.connectMs - (Date.now() - started)),
        lookup: pinned(addresses),
        autoSelectFamily: true,
        // The default of 250 ms is too short for the first address of a distant host.
        autoSelectFamilyAttemptTimeout: 1_000,
        maxCachedSessions: 0,
        ...(options.ca && { ca: options.ca as string }),
      });
      connect(target, (error, socket) => {
        if (error) return reject(error);
        // An IP literal connects without a lookup, so the peer of the socket is checked.
        const peer = normalizeAddress(socket.remoteAddress ?? '');
        if (peer !== undefined && addresses.includes(peer)) return callback(null, socket);
        socket.destroy();
        options.onBlocked('peer');
        reject(new FetchFailed('blocked_address'));
      });
    };
    vettedAddresses(target.hostname, Number(target.port || (secure ? 443 : 80)), options)
      .then(open)
      .catch(reject);
  };
}

/** Resolves `host`; throws unless all its addresses may be contacted on `port`. */
async function vettedAddresses(host: string, port: number, options: ConnectorOptions): Promise<string[]> {
  const found = isIP(host) ? [host] : await resolved(host, options);
  for (const ip of found) {
    const why = !mayContact(ip, host, options.policy)
      ? 'address'
      : options.blockedPorts.has(port) && isOwnAddress(ip)
        ? 'port'
        : undefined;
    if (!why) continue;
    options.onBlocked(why);
    throw new FetchFailed('blocked_address', { cause: new Error(`${host} is at ${ip}, port ${port}`) });
  }
  return found.map((ip) => normalizeAddress(ip)!);
}

async function resolved(host: string, options: ConnectorOptions): Promise<readonly string[]> {
  // The system's lookup cannot be cancelled.
  const late = new AbortController();
  const timeout = delay(options.connectMs, undefined, { signal: late.signal }).then(() => {
    throw new FetchFailed('timeout');
  });
  try {
    const addresses = await Promise.race([options.resolve(host), timeout]);
    if (addresses.length === 0) throw new FetchFailed('dns_error');
    return addresses;
  } catch (error) {
    throw error instanceof FetchFailed ? error : new FetchFailed('dns_error', { cause: error });
  } finally {
    late.abort();
    timeout.catch(() => {});
  }
}

function mayContact(ip: string, host: string, policy: UrlPolicy): boolean {
  if (isPublicAddress(ip) && !isLoopbackHost(host)) return true;
  if (isAllowListed(policy.allowList, { host, ip })) return true;
  switch (policy.kind) {
    case 'allowlist':
      return policy.allowPrivate === true && normalizeAddress(ip) !== undefined;
    case 'public':
      return false;
    case 'webhook':
      return policy.loopback && isLoopbackHost(host) && isLoopbackAddress(ip);
    case 'operator':
      return true;
  }
}

const isLoopbackHost = (host: string) => host === 'localhost' || host === '127.0.0.1' || host === '::1';

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

function connectFailure(error: unknown, secure: boolean): FetchFailed {
  if (error instanceof FetchFailed) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return new FetchFailed('timeout', { cause: error });
  // System error codes are one word (ECONNREFUSED); all other https errors concern the certificate or the handshake.
  const system = /^E[A-Z]+$/.test(code) && code !== 'EPROTO';
  return new FetchFailed(secure && !system ? 'tls_error' : 'connect_error', { cause: error });
}
