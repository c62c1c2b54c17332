import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { queueUnavailable, unauthorized } from '../base/faults.ts';
import { NO_ENTRY, split } from '../base/settings.ts';
import type { AccessToken } from './access-tokens.ts';
import type { Issued } from './issued-tokens.ts';

/**
 * Who may call a route: anyone; a valid token; a valid token where a task is at stake (which matters when unconfigured);
 * a valid token or a browser's session; anyone, known by token or session where there is one; or a moderator's token.
 */
export type Access = 'public' | 'bearer' | 'task' | 'session' | 'visitor' | 'moderator';

/**
 * Answers "who is asking?" with the principal's short name, or `undefined` where nobody has to say; throws the refusal.
 * The name is safe to store and to log: it is never the credential itself.
 */
export type Guard = (
  request: FastifyRequest,
  access: Exclude<Access, 'public'>,
) => string | undefined | Promise<string | undefined>;

/** `digest` is the token's SHA-256 as hex text. */
export type TokenEntry = { readonly digest: Buffer; readonly principal: string };

/** What the operator said about tokens. "None are needed" and "nothing was said" are different things to say. */
export type TokenSet =
  | { readonly state: 'enforced'; readonly entries: readonly TokenEntry[]; readonly unread?: boolean }
  | { readonly state: 'disabled' }
  /** `unread`: there may be more, but the database that knows them has not answered yet. */
  | { readonly state: 'unconfigured'; readonly unread?: boolean };

/**
 * The verdict on a service's token settings. Any token in either place enforces. Authorization is disabled by
 * `authSetting`, or where both settings are defined and empty, as the specification has it; everything else without a
 * token is unconfigured. `mayDisable: false` is for a service that has no "disabled". A list that is written but has no
 * entry, and an entry that no header could carry, throw: the one would open the service, the other lock everybody out.
 */
export function tokensFrom(options: {
  list?: string | undefined;
  /** One token, whatever characters it has. */
  single?: string | undefined;
  authSetting?: 'disabled' | undefined;
  mayDisable?: boolean;
}): TokenSet {
  const { list, single, authSetting, mayDisable = true } = options;
  const listed = split(list ?? '');
  if (list && listed.length === 0) throw new Error(`The list of access tokens ${NO_ENTRY}`);
  const entries = [...new Set([...listed, ...(single ? [single] : [])])].map(entryFrom);
  if (authSetting === 'disabled') {
    if (!mayDisable) throw new Error('Authorization cannot be disabled for this service.');
    if (entries.length > 0)
      throw new Error('Authorization is set to `disabled`, yet tokens are configured: remove one.');
    return { state: 'disabled' };
  }
  if (entries.length > 0) return { state: 'enforced', entries };
  return { state: mayDisable && list === '' && single === '' ? 'disabled' : 'unconfigured' };
}

/**
 * What opens a service at the moment: the tokens of its settings and those that were issued since. One that was issued
 * counts as configured; where the settings switch authorization off, it stays off. Made anew only when something changed.
 */
export function tokensNow(settled: TokenSet, issued: () => Issued): () => TokenSet {
  if (settled.state === 'disabled') return () => settled;
  const configured = settled.state === 'enforced' ? settled.entries : [];
  let of: Issued | undefined;
  let now: TokenSet = settled;
  return () => {
    const latest = issued();
    if (latest === of) return now;
    of = latest;
    const unread = !latest.known;
    const entries = [...configured, ...latest.tokens.map(entryFor)];
    now = entries.length > 0 ? { state: 'enforced', entries, unread } : { state: 'unconfigured', unread };
    return now;
  };
}

/** The entry of a token that was issued. */
export const entryFor = ({ digest }: Pick<AccessToken, 'digest'>): TokenEntry => ({
  digest: Buffer.from(digest, 'latin1'),
  principal: `token-${digest.slice(0, 12)}`,
});

/** The guard of a service whose callers carry a bearer token: one set of them, or whatever is good at the moment. */
export function bearerGuard(tokens: TokenSet | (() => TokenSet)): Guard {
  const current = typeof tokens === 'function' ? tokens : () => tokens;
  return (request, access) => {
    const set = current();
    if (set.state === 'disabled') return undefined;
    const token = bearerToken(request.headers.authorization);
    const entry = token === undefined || set.state === 'unconfigured' ? undefined : entryOf(set.entries, token);
    if (entry !== undefined) return entry.principal;
    if (token !== undefined && set.unread) throw queueUnavailable('Tokens cannot be checked now.');
    // Fail closed: no token can be right. Only a task endpoint tells that the reason is on our side.
    if (set.state === 'unconfigured' && access === 'task') {
      throw queueUnavailable('No access tokens are configured; nothing was accepted.');
    }
    throw unauthorized();
  };
}

/** True when `header` carries one of these tokens; for a route that guards itself, as the metrics do. */
export function carries(header: string | undefined, entries: readonly TokenEntry[]): boolean {
  const token = bearerToken(header);
  return token !== undefined && entryOf(entries, token) !== undefined;
}

// The gateway's server joins repeated headers with ", ", which this grammar refuses: so exactly one header passes.
const HEADER = /^bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,512}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** Whether a token is written as its digest. */
export const isDigest = (token: string) => DIGEST.test(token);

/** The token of an `Authorization` header; undefined where it is no such header, or where there were several. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : HEADER.exec(header)?.[1];
}

// Digests are compared as hex text in one buffer used again and again: a digest as a new buffer takes three times as long.
const presented = Buffer.alloc(64);

/**
 * The entry of this token, compared with every one without an early exit: the time taken tells nothing about which one
 * was near.
 */
export function entryOf(entries: readonly TokenEntry[], token: string): TokenEntry | undefined {
  presented.write(hash('sha256', token, 'hex'), 'latin1');
  let found: TokenEntry | undefined;
  for (const entry of entries) if (timingSafeEqual(entry.digest, presented)) found = entry;
  return found;
}

function entryFrom(word: string, index: number): TokenEntry {
  const written = DIGEST.exec(word)?.[1];
  // The sentence names the place and never the word: it may be a secret with a typing error.
  if (written === undefined && !TOKEN.test(word)) {
    throw new Error(`Access token number ${index + 1} is neither a bearer token nor "sha256:" and 64 hex digits.`);
  }
  return entryFor({ digest: written?.toLowerCase() ?? hash('sha256', word, 'hex') });
}
