/** Ring buffer of request times, oldest first; grows up to `capacity`. */
export class RingBuffer {
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

  /** Removes times up to `time`. */
  removeUntil(time: number): void {
    while (this.size > 0 && this.oldest() <= time) {
      this.start = (this.start + 1) % this.times.length;
      this.size--;
    }
  }

  push(time: number): void {
    if (this.size === this.times.length) this.grow();
    this.times[(this.start + this.size) % this.times.length] = time;
    this.size++;
  }

  private grow(): void {
    const larger = new Float64Array(Math.min(this.capacity, this.times.length * 2));
    larger.set(this.times.subarray(this.start));
    larger.set(this.times.subarray(0, this.start), this.times.length - this.start);
    this.times = larger;
    this.start = 0;
  }
}

/** LRU cache of at most `maxKeys` values. Active keys are not evicted, so new keys cannot reset their limits. */
export function createLruCache<T>(
  maxKeys: number,
  create: (key: string) => T,
): { of(key: string): T; all(): Iterable<T> } {
  const known = new Map<string, T>();
  let latest: { key: string; value: T } | undefined;
  return {
    all: () => known.values(),
    of(key) {
      // Fast path for consecutive requests of one client.
      if (latest?.key === key) return latest.value;
      const old = known.get(key);
      // Reinsertion keeps the map in order of last use.
      if (old !== undefined) known.delete(key);
      else if (known.size >= maxKeys) known.delete(known.keys().next().value!);
      const value = old ?? create(key);
      known.set(key, value);
      latest = { key, value };
      return value;
    },
  };
}
