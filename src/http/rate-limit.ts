/** What became of one request: `remaining` more are free now, and quota grows again in `resetSeconds`. */
type Verdict = { readonly allowed: boolean; readonly remaining: number; readonly resetSeconds: number };

export interface Limiter {
  /** The `RateLimit-Policy` header of this limiter. */
  readonly policy: string;
  /** Takes one request of `key`. A refused request spends nothing, so waiting `resetSeconds` is always enough. */
  take(key: string): Verdict;
}

/**
 * An exact sliding window: at most `limit` requests of one key are allowed in any window, wherever it starts. Returns
 * `undefined` for a limit of 0, which means no limit.
 *
 * Memory is bounded: a ring grows with what its key really sends, and beyond `maxKeys` the key that has been silent
 * longest is forgotten (one that is busy is never the oldest, so flooding with new keys frees nobody from the limit).
 */
export function slidingWindow(options: {
  limit: number;
  windowMs?: number;
  maxKeys?: number;
  now?: () => number;
}): Limiter | undefined {
  const { limit, windowMs = 60_000, maxKeys = 10_000, now = () => performance.now() } = options;
  if (limit === 0) return undefined;
  const rings = new Map<string, Ring>();
  let latest: { key: string; ring: Ring } | undefined;

  function ringOf(key: string): Ring {
    // One busy client in a row is the common case, and already stands last.
    if (latest?.key === key) return latest.ring;
    const known = rings.get(key);
    // Taken out and put back, so that the map's order is the order of last use.
    if (known !== undefined) rings.delete(key);
    else if (rings.size >= maxKeys) rings.delete(rings.keys().next().value!);
    const ring = known ?? new Ring(limit);
    rings.set(key, ring);
    latest = { key, ring };
    return ring;
  }

  return {
    policy: `"default";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    take(key) {
      const at = now();
      const ring = ringOf(key);
      while (ring.size > 0 && ring.oldest() <= at - windowMs) ring.shift();
      const allowed = ring.size < limit;
      if (allowed) ring.push(at);
      const resetSeconds = Math.max(1, Math.ceil((ring.oldest() + windowMs - at) / 1000));
      return { allowed, remaining: limit - ring.size, resetSeconds };
    },
  };
}

/** Times of allowed requests, oldest first; starts small and doubles up to `capacity`. */
class Ring {
  size = 0;
  private start = 0;
  private times: Float64Array;
  private readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.times = new Float64Array(Math.min(capacity, 16));
  }

  oldest(): number {
    return this.times[this.start]!;
  }

  shift(): void {
    this.start = (this.start + 1) % this.times.length;
    this.size--;
  }

  push(time: number): void {
    if (this.size === this.times.length) this.grow();
    this.times[(this.start + this.size) % this.times.length] = time;
    this.size++;
  }

  private grow(): void {
    const wider = new Float64Array(Math.min(this.capacity, this.times.length * 2));
    wider.set(this.times.subarray(this.start));
    wider.set(this.times.subarray(0, this.start), this.times.length - this.start);
    this.times = wider;
    this.start = 0;
  }
}
