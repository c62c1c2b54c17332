import type { Queryable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop, rest } from '../base/loop.ts';
import { type AccessToken, inForce } from './access-tokens.ts';

/** What has been issued for one service; the same object for as long as nothing changes. */
export interface Issued {
  readonly tokens: readonly AccessToken[];
  /** False while the database has not answered yet: then nobody can say of a token that it was not issued. */
  readonly known: boolean;
}

/** What `assay tokens` has issued, as this process knows it: about a second old. */
export interface IssuedTokens {
  of(service: string): Issued;
}

interface Known extends AccessToken {
  /** By this process's own clock, which nobody sets. */
  readonly goodUntilMs: number;
}

const UNKNOWN: Issued = { tokens: [], known: false };
export const NONE_ISSUED: Issued = { tokens: [], known: true };

/**
 * Reads what has been issued, now and every `refreshMs` until `signal` aborts, so that a new token opens every gateway
 * and a revoked one none within two seconds. While the database is away those that are known stay good, until they expire.
 */
export async function keepIssuedTokens(needs: {
  db: Queryable;
  log: Log;
  signal: AbortSignal;
  refreshMs?: number;
  clockMs?: () => number;
}): Promise<IssuedTokens> {
  const { db, log, signal, refreshMs = 1000, clockMs = () => performance.now() } = needs;
  let known: readonly Known[] = [];
  let soonestMs = Number.POSITIVE_INFINITY;
  let services: ReadonlyMap<string, Issued> | undefined;

  function take(tokens: readonly Known[]): void {
    soonestMs = Math.min(...tokens.map(({ goodUntilMs }) => goodUntilMs));
    const before = new Set(known.map(keyOf));
    const after = new Set(tokens.map(keyOf));
    const came = tokens.filter((token) => !before.has(keyOf(token)));
    const went = known.filter((token) => !after.has(keyOf(token)));
    const first = services === undefined;
    known = tokens;
    if (!first && came.length + went.length === 0) return;
    services = byService(tokens, services, new Set([...came, ...went].map(({ service }) => service)));
    // What was there at the start is no news.
    if (!first) for (const token of came) log.info(wordsOf(token), 'a token is good from now on');
    for (const token of went) log.info(wordsOf(token), 'a token is good no more');
  }

  async function refresh(): Promise<void> {
    const askedMs = clockMs();
    const tokens = await inForce(db);
    take(
      tokens.map(({ leftMs, ...token }) => ({
        ...token,
        goodUntilMs: leftMs === null ? Number.POSITIVE_INFINITY : askedMs + leftMs,
      })),
    );
  }

  let failing = false;
  const onError = (err: unknown) => {
    if (!signal.aborted && !failing)
      log.warn({ err }, 'the issued tokens cannot be read: those that are known stay good');
    failing = true;
  };
  const turn = async () => {
    await refresh();
    if (failing) log.info('the issued tokens are read again');
    failing = false;
  };
  await turn().catch(onError);
  void rest(refreshMs, signal).then(() =>
    loop(turn, { restMs: refreshMs, maxRestMs: Math.max(refreshMs, 1000), signal, onError }),
  );

  return {
    of(service) {
      if (soonestMs !== Number.POSITIVE_INFINITY && clockMs() >= soonestMs) {
        take(known.filter(({ goodUntilMs }) => clockMs() < goodUntilMs));
      }
      return services === undefined ? UNKNOWN : (services.get(service) ?? NONE_ISSUED);
    },
  };
}

const keyOf = ({ service, name, role, digest }: AccessToken) => JSON.stringify([service, name, role, digest]);
const wordsOf = ({ service, name, role, digest }: AccessToken) => ({
  ...{ service, name, role },
  principal: `token-${digest.slice(0, 12)}`,
});

/** A service of which nothing changed keeps its object. */
function byService(
  tokens: readonly AccessToken[],
  before: ReadonlyMap<string, Issued> | undefined,
  changed: ReadonlySet<string>,
): ReadonlyMap<string, Issued> {
  const services = new Set(tokens.map(({ service }) => service));
  return new Map(
    [...services].map((service) => {
      const had = changed.has(service) ? undefined : before?.get(service);
      return [service, had ?? { tokens: tokens.filter((token) => token.service === service), known: true }];
    }),
  );
}
