import type { Queryable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop, sleep } from '../base/loop.ts';
import { type AccessToken, readValidTokens } from './access-tokens.ts';
import { SANDBOX_ROLE, sandboxPrincipal } from './sandbox-credential.ts';

/** The issued tokens of one service; the same object until they change. */
export interface TokenSnapshot {
  readonly tokens: readonly AccessToken[];
  /** False before the first successful read: then an unknown token may be valid. */
  readonly known: boolean;
}

/** Cached tokens of `assay tokens`, about a second old. */
export type TokenStore = Awaited<ReturnType<typeof createTokenStore>>;

interface CachedToken extends AccessToken {
  /** By the monotonic clock. */
  readonly validUntilMs: number;
}

const UNKNOWN: TokenSnapshot = { tokens: [], known: false };
export const NO_TOKENS: TokenSnapshot = { tokens: [], known: true };

/**
 * Reads the issued tokens now and every `refreshMs` until `signal` aborts, so that new and revoked tokens take effect in all
 * gateways within 2 s. Cached tokens stay valid until they expire while the database is unavailable.
 */
export async function createTokenStore(deps: {
  db: Queryable;
  log: Log;
  signal: AbortSignal;
  refreshMs?: number;
  clockMs?: () => number;
}) {
  const { db, log, signal, refreshMs = 1000, clockMs = () => performance.now() } = deps;
  let known: readonly CachedToken[] = [];
  let nextExpiryMs = Number.POSITIVE_INFINITY;
  let services: ReadonlyMap<string, TokenSnapshot> | undefined;

  function replace(tokens: readonly CachedToken[]): void {
    nextExpiryMs = Math.min(...tokens.map(({ validUntilMs }) => validUntilMs));
    const before = new Set(known.map(keyOf));
    const after = new Set(tokens.map(keyOf));
    const added = tokens.filter((token) => !before.has(keyOf(token)));
    const removed = known.filter((token) => !after.has(keyOf(token)));
    const first = services === undefined;
    known = tokens;
    if (!first && added.length + removed.length === 0) return;
    services = byService(tokens, services, new Set([...added, ...removed].map(({ service }) => service)));
    if (!first) for (const token of added) log.info(logFieldsOf(token), 'a token was added');
    for (const token of removed) log.info(logFieldsOf(token), 'a token was revoked or has expired');
  }

  async function refresh(): Promise<void> {
    const startedMs = clockMs();
    const tokens = await readValidTokens(db);
    replace(
      tokens.map(({ leftMs, ...token }) => ({
        ...token,
        validUntilMs: leftMs === null ? Number.POSITIVE_INFINITY : startedMs + leftMs,
      })),
    );
  }

  let failing = false;
  const onError = (err: unknown) => {
    if (!signal.aborted && !failing) log.warn({ err }, 'reading the issued tokens failed; known tokens stay valid');
    failing = true;
  };
  const iterate = async () => {
    await refresh();
    if (failing) log.info('reading the issued tokens works again');
    failing = false;
  };
  await iterate().catch(onError);
  void sleep(refreshMs, signal).then(() =>
    loop(iterate, { intervalMs: refreshMs, maxIntervalMs: Math.max(refreshMs, 1000), signal, onError }),
  );

  const of = (service: string): TokenSnapshot => {
    if (nextExpiryMs !== Number.POSITIVE_INFINITY && clockMs() >= nextExpiryMs) {
      replace(known.filter(({ validUntilMs }) => clockMs() < validUntilMs));
    }
    return services === undefined ? UNKNOWN : (services.get(service) ?? NO_TOKENS);
  };
  return {
    of,
    /** The client of a token, given its principal or the name of an API key. */
    ownerOf: (service: string, client: string): string => ownersIn(of(service)).get(client) ?? client,
  };
}

const owners = new WeakMap<TokenSnapshot, ReadonlyMap<string, AccessToken['owner']>>();

/** By name and by principal, once per snapshot: batches ask for thousands of tasks. */
function ownersIn(snapshot: TokenSnapshot): ReadonlyMap<string, AccessToken['owner']> {
  const known = owners.get(snapshot);
  if (known) return known;
  const found = new Map<string, AccessToken['owner']>();
  for (const { name, digest, owner } of snapshot.tokens) {
    for (const client of [name, principalOf(digest)]) if (!found.has(client)) found.set(client, owner);
  }
  owners.set(snapshot, found);
  return found;
}

const keyOf = ({ service, name, role, digest, owner }: AccessToken) =>
  JSON.stringify([service, name, role, digest, owner]);
const logFieldsOf = ({ service, name, role, digest }: AccessToken) => ({
  ...{ service, name, role },
  principal: principalOf(digest, role),
});

export const principalOf = (digest: string, role?: string) =>
  role === SANDBOX_ROLE ? sandboxPrincipal(digest.slice(0, 12)) : `token-${digest.slice(0, 12)}`;

/** Services without changes keep their object. */
function byService(
  tokens: readonly AccessToken[],
  before: ReadonlyMap<string, TokenSnapshot> | undefined,
  changed: ReadonlySet<string>,
): ReadonlyMap<string, TokenSnapshot> {
  const services = new Set(tokens.map(({ service }) => service));
  return new Map(
    [...services].map((service) => {
      const unchanged = changed.has(service) ? undefined : before?.get(service);
      return [service, unchanged ?? { tokens: tokens.filter((token) => token.service === service), known: true }];
    }),
  );
}
