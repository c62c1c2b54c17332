import { Agent, type Dispatcher } from 'undici';
import { FetchFailed } from './fetch-failed.ts';
import { type BlockReason, guardedConnector, type Resolve, systemResolve } from './guarded-connector.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from './outbound-url.ts';
import { parseUrl } from './parse-url.ts';
import { type RequestTimeouts, startRequestTimeouts } from './request-timeouts.ts';
import { collect, discardBody, readChunks } from './response-body.ts';

export interface GuardedFetchOptions {
  readonly resolve?: Resolve;
  /** Ports of this machine that requests must not reach. */
  readonly blockedPorts?: Iterable<number>;
  /** Trusted certificates, replacing the built-in ones and NODE_EXTRA_CA_CERTS. */
  readonly ca?: string | Buffer | (string | Buffer)[];
  /** Includes name lookup and TLS handshake. */
  readonly connectMs?: number;
  readonly onBlocked?: (why: BlockReason) => void;
}

export interface Budgets {
  /** From the open connection to the end of the response headers. */
  readonly headersMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface GuardedRequest<Body> {
  readonly policy: UrlPolicy;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Of the decoded body. */
  readonly maxBytes?: number;
  readonly budgets?: Partial<Budgets>;
  readonly signal?: AbortSignal;
  /** Number of bytes of an error response to keep in `FetchFailed.excerpt`; default: none. */
  readonly errorExcerptBytes?: number;
  /** Consumes the body as a stream; without it the body is returned as one Buffer. A range has the status 206. */
  readonly into?: (pieces: AsyncIterable<Buffer>, status: number, headers: Fetched<Body>['headers']) => Promise<Body>;
}

export interface Fetched<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly contentType: string | undefined;
  readonly body: Body;
}

export interface GuardedFetch {
  /** Resolves with a 2xx response only; throws {@link FetchFailed} for everything else. */
  <Body = Buffer>(url: string | URL, request: GuardedRequest<Body>): Promise<Fetched<Body>>;
  close(): Promise<void>;
}

/**
 * Fetches untrusted URLs with limits on bytes, time, redirects and addresses. Downloads follow at most three redirects
 * under the same policy. Webhooks follow none, and their response bodies are discarded.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { resolve = systemResolve, connectMs = 5_000, onBlocked = () => {}, ca } = options;
  const refusedPorts = new Set(options.blockedPorts);
  // One agent per policy: a connection is reused only under the policy it was opened with.
  const agents = new Map<UrlPolicy, Agent>();
  const agentFor = (policy: UrlPolicy) => {
    const known = agents.get(policy);
    if (known) return known;
    const connect = guardedConnector({ policy, resolve, connectMs, blockedPorts: refusedPorts, ca, onBlocked });
    // Shorter than the keep-alive timeout of common servers, so that requests rarely hit a closing connection.
    const agent = new Agent({ connect, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
    agents.set(policy, agent);
    return agent;
  };

  async function guardedFetch<Body>(first: string | URL, request: GuardedRequest<Body>): Promise<Fetched<Body>> {
    const { policy, method = 'GET', body = null } = request;
    const budgets = { ...DEFAULT_BUDGETS, ...request.budgets };
    let url = permitted(String(first), policy, onBlocked);
    let headers: Record<string, string> = { ...DEFAULT_HEADERS, ...request.headers };
    const time = startRequestTimeouts(budgets.totalMs, request.signal);
    try {
      for (let hops = 0; ; hops++) {
        time.startStep(connectMs + budgets.headersMs);
        const response = await send(agentFor(policy), url, { method, headers, body, signal: time.signal });
        if (response.statusCode >= 200 && response.statusCode < 300)
          return await received(response, request, budgets, time);
        const excerpt = await errorExcerpt(response, request, budgets, time);
        const next = redirected(response, url, policy, excerpt);
        if (hops === MAX_REDIRECTS) throw new FetchFailed('redirect', { status: response.statusCode });
        // Headers for one host (for example a token) are not sent to another one, except the range.
        if (next.origin !== url.origin) headers = { ...DEFAULT_HEADERS, ...rangeOf(request) };
        url = permitted(next.href, policy, onBlocked);
      }
    } finally {
      time.end();
    }
  }

  return Object.assign(guardedFetch, {
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  });
}

export function retryAfterSeconds(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const value = String(header ?? '').trim();
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

const DEFAULT_BUDGETS: Budgets = { headersMs: 15_000, idleMs: 15_000, totalMs: 30_000 };
const DEFAULT_MAX_BYTES = 20 * 2 ** 20;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_HEADERS = { 'user-agent': 'assay', 'accept-encoding': 'identity' };

const rangeOf = ({ headers = {} }: Pick<GuardedRequest<never>, 'headers'>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'range' || name === 'if-range'));

function permitted(raw: string, policy: UrlPolicy, onBlocked: (why: BlockReason) => void): URL {
  try {
    // The reserved host of the file store is never contacted over the network.
    return checkUrl(raw, 'filesHost' in policy ? { ...policy, filesHost: undefined } : policy);
  } catch (error) {
    if (!(error instanceof UrlRejected)) throw error;
    onBlocked('url');
    throw new FetchFailed('blocked_address', { cause: error });
  }
}

type RequestParts = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'signal'> & { body: string | Buffer | null };

async function send(agent: Agent, url: URL, parts: RequestParts): Promise<Dispatcher.ResponseData> {
  try {
    const path = url.pathname + url.search;
    // `RequestTimeouts` limits the time: undici's own timeouts restart with every received byte.
    return await agent.request({ origin: url.origin, path, headersTimeout: 0, bodyTimeout: 0, ...parts });
  } catch (error) {
    if (error instanceof FetchFailed) throw error;
    const endless = (error as { code?: unknown }).code === 'UND_ERR_HEADERS_OVERFLOW';
    throw new FetchFailed(endless ? 'too_large' : 'connect_error', { cause: error });
  }
}

/** Target of a redirect response; throws for an error response and for a redirect that may not be followed. */
function redirected(response: Dispatcher.ResponseData, url: URL, policy: UrlPolicy, excerpt: Buffer | undefined): URL {
  const { statusCode: status, headers } = response;
  if (policy.kind === 'webhook' && status < 400) throw new FetchFailed('redirect', { status });
  if (!REDIRECTS.has(status)) {
    const seconds = retryAfterSeconds(headers['retry-after']);
    throw new FetchFailed('http_status', { status, retryAfterSeconds: seconds, excerpt });
  }
  const location = String(headers['location'] ?? '');
  const next = location === '' ? undefined : parseUrl(location, url);
  if (next === undefined) throw new FetchFailed('redirect', { status });
  next.hash = '';
  return next;
}

async function errorExcerpt(
  response: Dispatcher.ResponseData,
  { errorExcerptBytes: maxBytes }: GuardedRequest<unknown>,
  { idleMs }: Budgets,
  time: RequestTimeouts,
): Promise<Buffer | undefined> {
  if (maxBytes === undefined) {
    await discardBody(response);
    return undefined;
  }
  try {
    return await collect(readChunks(response, { maxBytes, idleMs, time }));
  } catch {
    return undefined;
  } finally {
    response.body.on('error', () => {}).destroy();
  }
}

async function received<Body>(
  response: Dispatcher.ResponseData,
  request: GuardedRequest<Body>,
  { idleMs }: Budgets,
  time: RequestTimeouts,
): Promise<Fetched<Body>> {
  const { statusCode: status, headers } = response;
  const { maxBytes = DEFAULT_MAX_BYTES } = request;
  const into = request.into ?? (collect as (pieces: AsyncIterable<Buffer>) => Promise<Body>);
  const fetched = { status, headers, contentType: headers['content-type'] as string | undefined };
  if (request.policy.kind === 'webhook') {
    await discardBody(response);
    return { ...fetched, body: await into(emptyBody(), status, headers) };
  }
  try {
    return { ...fetched, body: await into(readChunks(response, { maxBytes, idleMs, time }), status, headers) };
  } finally {
    response.body.on('error', () => {}).destroy();
  }
}

async function* emptyBody(): AsyncGenerator<Buffer, void, void> {}
