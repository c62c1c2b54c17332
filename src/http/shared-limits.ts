import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { loop, sleep } from '../base/loop.ts';
import {
  deleteExpiredPoints,
  type GatewayCounts,
  KEPT_SECONDS,
  leasePoints,
  MAX_LOCKS,
  recordGatewayHeartbeat,
  unregisterGateway,
  writePoints,
} from './rate-lease.ts';
import {
  type Allowance,
  createSlidingWindow,
  type LeaseRequest,
  type Limiter,
  type SharedWindow,
} from './rate-limit.ts';

/** Rate limiters shared by all gateways on the same database. */
export type SharedLimits = ReturnType<typeof createSharedLimits>;

/**
 * `joining`: looking for other gateways. `alone`: counts in memory with the whole limit. `sharing`: allows as many requests as
 * it holds points. `unshared`: the database is unavailable; fails open and counts for itself.
 */
export type SharingMode = 'joining' | 'alone' | 'sharing' | 'unshared';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Shorter than the heartbeat interval, because the first requests wait for the join. */
const JOIN_MS = 50;
const CLEANUP_EVERY = 10;
/** Maximum wait of a request for the join or for the database. */
const LEASE_TIMEOUT_MS = 5_000;

/** Shares limits until `signal` aborts. Returns at once; the first counted requests wait for the join. */
export function createSharedLimits(deps: {
  db: Db;
  id: string;
  registry: Registry;
  log: Log;
  signal: AbortSignal;
  now?: () => number;
  heartbeatIntervalMs?: number;
}) {
  const { db, id, registry, log, signal, now = () => performance.now() } = deps;
  const { heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS } = deps;
  const windows: SharedWindow[] = [];
  let mode: SharingMode = 'joining';
  let others = 0;
  let seenAt = Number.NEGATIVE_INFINITY;
  let joined: () => void;
  const hasJoined = new Promise<void>((resolve) => {
    joined = resolve;
  });
  const failures = registerMetrics(registry, () => (mode === 'sharing' ? others + 1 : 1));

  /** Statements on points run one at a time, in order. */
  let last: Promise<unknown> = Promise.resolve();
  function inSequence<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  }

  function enter(next: SharingMode): void {
    if (next !== mode) log.info({ mode: next, others }, MODES[next]);
    mode = next;
    if (next !== 'joining') joined();
  }

  function failOpen(err: unknown): void {
    if (signal.aborted || mode === 'alone') return;
    failures.inc();
    if (mode !== 'unshared') log.warn({ err }, 'sharing rate limits failed; counting for this gateway alone');
    enter('unshared');
  }

  const recordPoints = (scope: 'all' | 'changed') =>
    inSequence(async () => {
      const claims = windows.flatMap((window) => window.takeUnrecorded(scope));
      for (let from = 0; from < claims.length; from += MAX_LOCKS)
        await writePoints(db, id, claims.slice(from, from + MAX_LOCKS));
    });

  async function beginSharing(): Promise<void> {
    for (const window of windows) window.beginSharing();
    enter('sharing');
    await recordPoints('all');
    await recordGatewayHeartbeat(db, { id, shares: true });
  }

  async function sendHeartbeat(): Promise<GatewayCounts> {
    const seen = await recordGatewayHeartbeat(db, { id, shares: mode === 'joining' || mode === 'sharing' });
    others = seen.living;
    if (seen.others > 0) seenAt = performance.now();
    return seen;
  }

  async function join(): Promise<void> {
    // Twice: of two gateways that start at once, the first heartbeat of one may not see the other.
    await sendHeartbeat();
    for (let seen = await sendHeartbeat(); !signal.aborted; seen = await sendHeartbeat()) {
      if (seen.others === 0 && (await staysAlone())) return enter('alone');
      if (seen.others > 0 && seen.silent === 0) return enter('sharing');
      await sleep(Math.min(JOIN_MS, heartbeatIntervalMs), signal);
    }
  }

  /** Announces `alone` before entering it, then checks for gateways that joined meanwhile. */
  async function staysAlone(): Promise<boolean> {
    await recordGatewayHeartbeat(db, { id, shares: false });
    return (await recordGatewayHeartbeat(db, { id, shares: false })).others === 0;
  }

  let iterations = 0;
  async function iterate(): Promise<void> {
    if (mode === 'joining') return join();
    await sendHeartbeat();
    // Requests counted by a departed gateway still count for a while.
    const shared = performance.now() - seenAt < KEPT_SECONDS * 1000;
    if (!shared) enter('alone');
    else if (mode === 'sharing') await recordPoints('changed');
    else await beginSharing();
    if (iterations++ % CLEANUP_EVERY === 0) await deleteExpiredPoints(db);
  }

  const pending: LeaseRequest[] = [];
  function ask(request: LeaseRequest): Promise<void> {
    pending.push(request);
    const ended = new AbortController();
    const timeout = sleep(LEASE_TIMEOUT_MS, ended.signal).then(() => {
      throw new Error('The database did not respond to a rate limit request in time.');
    });
    // Requests that arrive during a statement are batched into the next one.
    const response = hasJoined.then(() => inSequence(leasePending));
    return Promise.race([response, timeout])
      .catch(failOpen)
      .finally(() => ended.abort());
  }

  async function leasePending(): Promise<void> {
    const requests = pending.splice(0, MAX_LOCKS);
    if (mode !== 'sharing' || requests.length === 0) return;
    const claims = requests.map(({ toClaim }) => toClaim());
    const grants = await leasePoints(db, id, claims);
    const byBucket = new Map(grants.map((grant) => [grant.bucket, grant]));
    for (const [i, { onGranted }] of requests.entries()) onGranted(byBucket.get(claims[i]!.bucket)!);
  }

  const running = loop(iterate, {
    intervalMs: heartbeatIntervalMs,
    maxIntervalMs: 2 * heartbeatIntervalMs,
    signal,
    onError: failOpen,
  });
  return {
    mode: () => mode,
    /** Resolves after `signal` has aborted and the gateway is unregistered. */
    left: running.then(() => unregisterGateway(db, id)).catch(() => {}),
    /** The limiter with this name; undefined for the limit 0 (unlimited). */
    window(name: string, allowance: Allowance): Limiter | undefined {
      const shares = () => mode === 'sharing' || mode === 'joining';
      const window = createSlidingWindow({ ...allowance, name, now, sharing: { isSharing: shares, lease: ask } });
      if (window) windows.push(window);
      return window;
    },
  };
}

const MODES: Readonly<Record<SharingMode, string>> = {
  joining: 'looking for other gateways',
  alone: 'the only gateway: rate limits are counted in memory',
  sharing: 'one of several gateways: rate limits are shared',
  unshared: 'rate limits are counted for this gateway alone',
};

function registerMetrics(registry: Registry, gateways: () => number): Counter {
  const registers = [registry];
  new Gauge({
    name: 'assay_rate_limit_gateways',
    help: 'Gateways that share rate limits, as seen by this one; 1: it counts for itself.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(gateways());
    },
  });
  return new Counter({
    name: 'assay_rate_limit_store_failures_total',
    help: 'Failures to share rate limits; each gateway then counts for itself.',
    registers,
  });
}
