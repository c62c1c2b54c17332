import { createHash } from 'node:crypto';
import { POINTS_VALID_MS, type PointsClaim, type PointsGrant } from './rate-lease.ts';
import { createLruCache, RingBuffer } from './ring-buffer.ts';

/** `remaining`: requests still available; more become available in `resetSeconds`. */
export interface LimitResult {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Limiter {
  /** The `RateLimit-Policy` header of this limiter. */
  readonly policy: string;
  /**
   * Counts one request of `key`; rejected requests do not count. Returns a promise only if the gateway must lease more points;
   * it never rejects.
   */
  take(key: string): LimitResult | Promise<LimitResult>;
}

/** Requests per window and client; `maxKeys` bounds the clients in memory. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs?: number;
  readonly maxKeys?: number;
}

/** Sharing between gateways, see shared-limits.ts. */
export interface Sharing {
  /** False: this gateway has the whole limit. */
  isSharing(): boolean;
  /** Leases points from the database; resolves also if that fails. */
  lease(request: LeaseRequest): Promise<void>;
}

/** A request for more points of one client. */
export interface LeaseRequest {
  /** The current need, read when the request is sent. */
  toClaim(): PointsClaim;
  onGranted(grant: PointsGrant): void;
}

/** A limiter that can share its count. */
export interface SharedWindow extends Limiter {
  /** Reduces the held points to the requests already counted. */
  beginSharing(): void;
  /** Points to be recorded in the database: all, or changes only. Releases unused points. */
  takeUnrecorded(scope: 'all' | 'changed'): PointsClaim[];
}

/** One client's state in this gateway; the ring has one entry per allowed request. */
interface Count {
  readonly bucket: string;
  readonly ring: RingBuffer;
  /** Points held by this gateway: its requests per window. */
  points: number;
  /** Points held by no gateway at the last lease. */
  free: number;
  /** Number of requests that wait for `answer`. */
  waiting: number;
  answer?: Promise<void> | undefined;
  /** Requests allowed since the points were last recorded. */
  recent: number;
  recorded?: { readonly at: number; readonly points: number };
  /** Earliest time of the next lease request. */
  askAt: number;
  /** When another gateway will have an unused point. */
  othersAt: number;
}

/** Gateways release unused points once a second; until then a point is not available. */
const RELEASE_DELAY_MS = 2_000;
/** After a lease without points, the next one for this client follows after this time. */
const LEASE_INTERVAL_MS = 1_000;
/** Maximum share of a limit that a gateway leases in advance. */
const BLOCK_SHARE = 0.1;
const ALONE: Sharing = { isSharing: () => false, lease: () => Promise.resolve() };

/**
 * Exact sliding window: at most `limit` requests per key in any window. Returns undefined for the limit 0 (unlimited).
 *
 * With several gateways, each allows as many requests as it holds points. One gateway at a time holds a point, and releases
 * it only when no request of the last window has used it, so all gateways together never exceed the limit. Unused points
 * of others are unavailable for 1 to 2 s.
 */
export function createSlidingWindow(
  options: Allowance & { name?: string; sharing?: Sharing; now?: () => number },
): SharedWindow | undefined {
  const { limit, windowMs = 60_000, maxKeys = 10_000, name = '' } = options;
  const { sharing = ALONE, now = () => performance.now() } = options;
  if (limit === 0) return undefined;
  const counts = createLruCache(maxKeys, (key) => newCount(bucketOf(name, key), limit));

  function spend(count: Count, at: number): LimitResult | undefined {
    const { ring, recorded } = count;
    ring.removeUntil(at - windowMs);
    const shares = sharing.isSharing();
    // Idle points that were not recorded in time may have been given to another gateway.
    if (shares && recorded && at - recorded.at > POINTS_VALID_MS) count.points = ring.size;
    const available = shares ? Math.min(count.points, limit) : limit;
    if (ring.size >= available) return undefined;
    ring.push(at);
    count.recent++;
    const remaining = shares ? Math.min(limit, available - ring.size + count.free) : limit - ring.size;
    return { allowed: true, remaining, resetSeconds: seconds(ring.oldest() + windowMs - at) };
  }

  function reject({ ring, othersAt }: Count, at: number): LimitResult {
    const own = ring.size > 0 ? ring.oldest() + windowMs : at + windowMs;
    const others = sharing.isSharing() ? Math.max(othersAt, at) + RELEASE_DELAY_MS : own;
    return { allowed: false, remaining: 0, resetSeconds: seconds(Math.min(own, others) - at) };
  }

  const claimOf = ({ bucket, points, ring }: Count, at: number): PointsClaim => ({
    ...{ bucket, held: points, wanted: 0, block: 0, most: limit },
    freesInMs: points > ring.size ? 0 : ring.size > 0 ? ring.oldest() + windowMs - at : undefined,
  });

  const leaseRequest = (count: Count): LeaseRequest => ({
    toClaim() {
      const at = now();
      count.recorded = { at, points: count.points };
      return { ...claimOf(count, at), wanted: Math.max(1, count.waiting), block: Math.ceil(limit * BLOCK_SHARE) };
    },
    onGranted({ points, free, freesInMs }) {
      const at = now();
      count.points = points;
      count.free = free;
      count.recorded = { at: count.recorded?.at ?? at, points };
      count.othersAt = freesInMs === null ? Number.POSITIVE_INFINITY : at + freesInMs;
      count.askAt = points > count.ring.size ? at : at + LEASE_INTERVAL_MS;
    },
  });

  async function leasePoints(count: Count): Promise<LimitResult> {
    count.waiting++;
    count.answer ??= sharing.lease(leaseRequest(count)).finally(() => {
      count.answer = undefined;
    });
    await count.answer;
    count.waiting--;
    const at = now();
    return spend(count, at) ?? reject(count, at);
  }

  return {
    policy: `"default";q=${limit};w=${Math.ceil(windowMs / 1000)}`,

    take(key) {
      const at = now();
      const count = counts.of(key);
      const result = spend(count, at);
      if (result) return result;
      return sharing.isSharing() && at >= count.askAt ? leasePoints(count) : reject(count, at);
    },

    beginSharing() {
      const at = now();
      for (const count of counts.all()) {
        count.ring.removeUntil(at - windowMs);
        count.points = count.ring.size;
        count.askAt = at;
      }
    },

    takeUnrecorded(scope) {
      const at = now();
      const found: PointsClaim[] = [];
      for (const count of counts.all()) {
        const { ring, recorded } = count;
        ring.removeUntil(at - windowMs);
        // Keeps points for the rate of the last second and for waiting requests.
        count.points = Math.min(count.points, ring.size + 2 * count.recent + count.waiting);
        count.recent = 0;
        const hasChanged =
          recorded?.points !== count.points || (count.points > 0 && at - recorded.at > POINTS_VALID_MS / 2);
        if (count.points === 0 && !recorded?.points) continue;
        if (scope === 'changed' && !hasChanged) continue;
        count.recorded = { at, points: count.points };
        found.push(claimOf(count, at));
      }
      return found;
    },
  };
}

const newCount = (bucket: string, limit: number): Count => ({
  ...{ bucket, ring: new RingBuffer(limit), points: 0, free: 0, waiting: 0, recent: 0 },
  ...{ askAt: Number.NEGATIVE_INFINITY, othersAt: Number.POSITIVE_INFINITY },
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

/** Hashed, so that the database contains no client names and addresses. */
const bucketOf = (limiter: string, key: string) =>
  createHash('sha256').update(`${limiter}\n${key}`).digest('base64url').slice(0, 22);
