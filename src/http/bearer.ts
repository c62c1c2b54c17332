import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { queueUnavailable, unauthorized } from '../base/api-error.ts';
import { EMPTY_LIST_MESSAGE, splitList } from '../base/settings.ts';
import type { AccessToken } from './access-tokens.ts';
import { principalOf, type TokenSnapshot } from './token-store.ts';

/**
 * Who may call a route. `task`: like `bearer`, but responds 503 while no tokens are configured. `session`: a token or a
 * browser session. `visitor`: anyone; a token or session identifies the client if present.
 */
export type Access = 'public' | 'bearer' | 'task' | 'session' | 'visitor' | 'moderator';

/**
 * Authenticates a request: returns the principal's short name (safe to store and log), or undefined if authorization is
 * disabled; throws an `ApiError`.
 */
export type Guard = (
  request: FastifyRequest,
  access: Exclude<Access, 'public'>,
) => string | undefined | Promise<string | undefined>;

/** `digest` is the token's SHA-256 as hex text. */
export type TokenEntry = { readonly digest: Buffer; readonly principal: string };

export type TokenSet =
  | { readonly state: 'enforced'; readonly entries: readonly TokenEntry[]; readonly unread?: boolean }
  | { readonly state: 'disabled' }
  /** `unread`: issued tokens have not been loaded yet. */
  | { readonly state: 'unconfigured'; readonly unread?: boolean };

/**
 * Evaluates a service's token settings. Any token enforces authorization. `authSetting` disables it, as do two defined but
 * empty settings (as specified). Otherwise the service is unconfigured. Throws for a list without entries, an entry that is
 * not a valid bearer token, and disabling with `mayDisable: false`.
 */
export function parseTokenSettings(options: {
  list?: string | undefined;
  /** One token, which may contain commas. */
  single?: string | undefined;
  authSetting?: 'disabled' | undefined;
  mayDisable?: boolean;
}): TokenSet {
  const { list, single, authSetting, mayDisable = true } = options;
  const listed = splitList(list ?? '');
  if (list && listed.length === 0) throw new Error(`The list of access tokens ${EMPTY_LIST_MESSAGE}`);
  const entries = [...new Set([...listed, ...(single ? [single] : [])])].map(entryFrom);
  if (authSetting === 'disabled') {
    if (!mayDisable) throw new Error('Authorization cannot be disabled for this service.');
    if (entries.length > 0)
      throw new Error('Authorization is set to `disabled`, but tokens are configured. Remove one of the two.');
    return { state: 'disabled' };
  }
  if (entries.length > 0) return { state: 'enforced', entries };
  return { state: mayDisable && list === '' && single === '' ? 'disabled' : 'unconfigured' };
}

/** The current tokens: those in the settings plus the issued ones; recomputed on change. Disabled authorization stays disabled. */
export function currentTokens(configured: TokenSet, issued: () => TokenSnapshot): () => TokenSet {
  if (configured.state === 'disabled') return () => configured;
  const fixed = configured.state === 'enforced' ? configured.entries : [];
  let previous: TokenSnapshot | undefined;
  let current: TokenSet = configured;
  return () => {
    const latest = issued();
    if (latest === previous) return current;
    previous = latest;
    const unread = !latest.known;
    const entries = [...fixed, ...latest.tokens.map(toTokenEntry)];
    current = entries.length > 0 ? { state: 'enforced', entries, unread } : { state: 'unconfigured', unread };
    return current;
  };
}

export const toTokenEntry = ({ digest, role }: Pick<AccessToken, 'digest'> & Partial<AccessToken>): TokenEntry => ({
  digest: Buffer.from(digest, 'latin1'),
  principal: principalOf(digest, role),
});

export function createBearerGuard(tokens: TokenSet | (() => TokenSet)): Guard {
  const current = typeof tokens === 'function' ? tokens : () => tokens;
  return (request, access) => {
    const set = current();
    if (set.state === 'disabled') return undefined;
    const token = bearerToken(request.headers.authorization);
    const entry = token === undefined || set.state === 'unconfigured' ? undefined : findTokenEntry(set.entries, token);
    if (entry !== undefined) return entry.principal;
    if (token !== undefined && set.unread)
      throw queueUnavailable('Access tokens cannot be checked because the database is unavailable.');
    // Fail closed. Only task endpoints report that the server is not configured.
    if (set.state === 'unconfigured' && access === 'task') {
      throw queueUnavailable('No access tokens are configured; nothing was accepted.');
    }
    throw unauthorized();
  };
}

/** Returns a function that finds the requests whose tokens are no longer valid; for long responses. */
export const findEndedTokens =
  (tokens: () => TokenSet) =>
  (requests: readonly FastifyRequest[]): FastifyRequest[] => {
    const set = tokens();
    if (set.state === 'disabled') return [];
    const principals = new Set(set.state === 'enforced' ? set.entries.map(({ principal }) => principal) : []);
    return requests.filter(({ principal }) => !principals.has(principal));
  };

/** Whether `header` contains one of these tokens; for routes that authenticate by themselves (metrics). */
export function hasValidToken(header: string | undefined, entries: readonly TokenEntry[]): boolean {
  const token = bearerToken(header);
  return token !== undefined && findTokenEntry(entries, token) !== undefined;
}

// Node joins repeated headers with ", ", which this pattern rejects.
const HEADER = /^bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,512}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;

export const isDigest = (token: string) => DIGEST.test(token);

/** The token of an `Authorization` header; undefined for an invalid or repeated header. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : HEADER.exec(header)?.[1];
}

// One reused buffer for hex digests: allocating a buffer per digest takes three times as long.
const presented = Buffer.alloc(64);

/** Finds the entry of a token in constant time: compares all entries without an early exit. */
export function findTokenEntry(entries: readonly TokenEntry[], token: string): TokenEntry | undefined {
  presented.write(hash('sha256', token, 'hex'), 'latin1');
  let found: TokenEntry | undefined;
  for (const entry of entries) if (timingSafeEqual(entry.digest, presented)) found = entry;
  return found;
}

function entryFrom(token: string, index: number): TokenEntry {
  const written = DIGEST.exec(token)?.[1];
  // The message contains the position, not the value: it may be a mistyped secret.
  if (written === undefined && !TOKEN.test(token)) {
    throw new Error(
      `Access token number ${index + 1} is neither a bearer token nor "sha256:" followed by 64 hex digits.`,
    );
  }
  return toTokenEntry({ digest: written?.toLowerCase() ?? hash('sha256', token, 'hex') });
}
