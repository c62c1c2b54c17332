/** Times of allowed requests, oldest first; starts small and doubles up to `capacity`. */
export class Ring {
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

  /** Forgets those that are not younger than `time`. */
  forget(time: number): void {
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
    const wider = new Float64Array(Math.min(this.capacity, this.times.length * 2));
    wider.set(this.times.subarray(this.start));
    wider.set(this.times.subarray(0, this.start), this.times.length - this.start);
    this.times = wider;
    this.start = 0;
  }
}

/**
 * One value for each key, of at most `most` keys: then the key that has been silent longest is forgotten. One that is
 * busy is never the oldest, so flooding with new keys frees nobody from a limit.
 */
export function latestKeys<T>(most: number, make: (key: string) => T): { of(key: string): T; all(): Iterable<T> } {
  const known = new Map<string, T>();
  let latest: { key: string; value: T } | undefined;
  return {
    all: () => known.values(),
    of(key) {
      // One busy client in a row is the common case, and already stands last.
      if (latest?.key === key) return latest.value;
      const old = known.get(key);
      // Taken out and put back, so that the map's order is the order of last use.
      if (old !== undefined) known.delete(key);
      else if (known.size >= most) known.delete(known.keys().next().value!);
      const value = old ?? make(key);
      known.set(key, value);
      latest = { key, value };
      return value;
    },
  };
}
