import { Agent, type Dispatcher } from 'undici';
import { bodyPieces, collect, dropBody } from './answer-body.ts';
import { FetchFailed } from './fetch-failed.ts';
import { type Blocked, guardedConnector, type Resolve, systemResolve } from './guarded-connector.ts';
import { checkUrl, type UrlPolicy, UrlRefused } from './outbound-url.ts';
import { parsedUrl } from './parsed-url.ts';
import { type RequestTime, startRequestTime } from './request-time.ts';

export interface GuardedFetchOptions {
  readonly resolve?: Resolve;
  /** Ports of this machine that no stranger's URL may reach: our own listeners. */
  readonly refusedPorts?: Iterable<number>;
  /** Certificates to trust instead of the built-in ones (to which NODE_EXTRA_CA_CERTS adds). */
  readonly ca?: string | Buffer | (string | Buffer)[];
  /** For the look-up of the name, the connection and the handshake together. */
  readonly connectMs?: number;
  readonly onBlocked?: (why: Blocked) => void;
}

export interface Budgets {
  /** From the connection (which has its own budget) to the end of the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface GuardedRequest<Body> {
  readonly policy: UrlPolicy;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The most bytes the answer may have, counted after decoding. */
  readonly maxBytes?: number;
  readonly budgets?: Partial<Budgets>;
  readonly signal?: AbortSignal;
  /** So much of the body of an answer that is no success is kept, in `FetchFailed.said`; none if not given. */
  readonly keepRefusalBytes?: number;
  /**
   * Takes the body piece by piece, for what is too large to hold; without it the body comes back as one Buffer. `status`
   * tells a part (206) from the whole.
   */
  readonly into?: (pieces: AsyncIterable<Buffer>, status: number) => Promise<Body>;
}

export interface Fetched<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly contentType: string | undefined;
  readonly body: Body;
}

export interface GuardedFetch {
  /** Resolves with a 2xx answer and nothing else; throws {@link FetchFailed} for all that went wrong on the way. */
  <Body = Buffer>(url: string | URL, request: GuardedRequest<Body>): Promise<Fetched<Body>>;
  close(): Promise<void>;
}

/**
 * The one way to a stranger's URL: bytes, time, redirects and addresses are bounded. A download follows at most three
 * redirects, each under the same policy; a webhook follows none, and its answer's body is dropped unread.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { resolve = systemResolve, connectMs = 5_000, onBlocked = () => {}, ca } = options;
  const refusedPorts = new Set(options.refusedPorts);
  // A connection serves only the policy under which it was opened.
  const agents = new Map<UrlPolicy, Agent>();
  const agentFor = (policy: UrlPolicy) => {
    const known = agents.get(policy);
    if (known) return known;
    const connect = guardedConnector({ policy, resolve, connectMs, refusedPorts, ca, onBlocked });
    // A second of rest is shorter than any common server's patience: a request seldom meets a closing connection.
    const agent = new Agent({ connect, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
    agents.set(policy, agent);
    return agent;
  };

  async function guardedFetch<Body>(first: string | URL, request: GuardedRequest<Body>): Promise<Fetched<Body>> {
    const { policy, method = 'GET', body = null } = request;
    const budgets = { ...DEFAULT_BUDGETS, ...request.budgets };
    let url = permitted(String(first), policy, onBlocked);
    let headers: Record<string, string> = { ...OUR_HEADERS, ...request.headers };
    const time = startRequestTime(budgets.totalMs, request.signal);
    try {
      for (let hops = 0; ; hops++) {
        time.allow(connectMs + budgets.headersMs);
        const answer = await ask(agentFor(policy), url, { method, headers, body, signal: time.signal });
        if (answer.statusCode >= 200 && answer.statusCode < 300) return await received(answer, request, budgets, time);
        const said = await refusal(answer, request, budgets, time);
        const next = redirected(answer, url, policy, said);
        if (hops === MOST_HOPS) throw new FetchFailed('redirect', { status: answer.statusCode });
        // What was meant for one host (a token, say) is not told to another; which part is wanted is no secret.
        if (next.origin !== url.origin) headers = { ...OUR_HEADERS, ...rangeOf(request) };
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

/** The seconds a `Retry-After` header asks for, whether it counts them or names a date. */
export function retryAfterSeconds(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const value = String(header ?? '').trim();
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

const DEFAULT_BUDGETS: Budgets = { headersMs: 15_000, idleMs: 15_000, totalMs: 30_000 };
const DEFAULT_MAX_BYTES = 20 * 2 ** 20;
const MOST_HOPS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const OUR_HEADERS = { 'user-agent': 'assay', 'accept-encoding': 'identity' };

const rangeOf = ({ headers }: Pick<GuardedRequest<never>, 'headers'>) =>
  headers?.['range'] === undefined ? {} : { range: headers['range'] };

function permitted(raw: string, policy: UrlPolicy, onBlocked: (why: Blocked) => void): URL {
  try {
    // What lies in our own file store is not the network's business: its reserved name opens no connection, ever.
    return checkUrl(raw, 'filesHost' in policy ? { ...policy, filesHost: undefined } : policy);
  } catch (error) {
    if (!(error instanceof UrlRefused)) throw error;
    onBlocked('url');
    throw new FetchFailed('blocked_address', { cause: error });
  }
}

type Question = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'signal'> & { body: string | Buffer | null };

async function ask(agent: Agent, url: URL, question: Question): Promise<Dispatcher.ResponseData> {
  try {
    const path = url.pathname + url.search;
    // Our own clock sees to time: undici's starts anew with every byte of a header that drips.
    return await agent.request({ origin: url.origin, path, headersTimeout: 0, bodyTimeout: 0, ...question });
  } catch (error) {
    if (error instanceof FetchFailed) throw error;
    const endless = (error as { code?: unknown }).code === 'UND_ERR_HEADERS_OVERFLOW';
    throw new FetchFailed(endless ? 'too_large' : 'connect_error', { cause: error });
  }
}

/** Where an answer that is no success points to; throws when it is no redirect, or none that may be followed. */
function redirected(answer: Dispatcher.ResponseData, url: URL, policy: UrlPolicy, said: Buffer | undefined): URL {
  const { statusCode: status, headers } = answer;
  if (policy.kind === 'webhook' && status < 400) throw new FetchFailed('redirect', { status });
  if (!REDIRECTS.has(status)) {
    const seconds = retryAfterSeconds(headers['retry-after']);
    throw new FetchFailed('http_status', { status, retryAfterSeconds: seconds, said });
  }
  const location = String(headers['location'] ?? '');
  const next = location === '' ? undefined : parsedUrl(location, url);
  if (next === undefined) throw new FetchFailed('redirect', { status });
  next.hash = '';
  return next;
}

/** What a host says that does not do what it was asked, as far as the caller wants to know. */
async function refusal(
  answer: Dispatcher.ResponseData,
  { keepRefusalBytes: maxBytes }: GuardedRequest<unknown>,
  { idleMs }: Budgets,
  time: RequestTime,
): Promise<Buffer | undefined> {
  if (maxBytes === undefined) {
    await dropBody(answer);
    return undefined;
  }
  try {
    return await collect(bodyPieces(answer, { maxBytes, idleMs, time }));
  } catch {
    return undefined;
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

async function received<Body>(
  answer: Dispatcher.ResponseData,
  request: GuardedRequest<Body>,
  { idleMs }: Budgets,
  time: RequestTime,
): Promise<Fetched<Body>> {
  const { statusCode: status, headers } = answer;
  const { maxBytes = DEFAULT_MAX_BYTES } = request;
  const into = request.into ?? (collect as (pieces: AsyncIterable<Buffer>) => Promise<Body>);
  const fetched = { status, headers, contentType: headers['content-type'] as string | undefined };
  if (request.policy.kind === 'webhook') {
    await dropBody(answer);
    return { ...fetched, body: await into(nothing(), status) };
  }
  try {
    return { ...fetched, body: await into(bodyPieces(answer, { maxBytes, idleMs, time }), status) };
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

async function* nothing(): AsyncGenerator<Buffer, void, void> {}
