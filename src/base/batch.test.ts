import { describe, expect, it } from 'vitest';
import { batched } from './batch.ts';
import { isUnavailable } from './db-errors.ts';

/** `Promise.withResolvers`, missing in Node 20. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
const later = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('batched', () => {
  it('sends concurrent calls as one batch and resolves each call with its own outcome', async () => {
    const batches: number[][] = [];
    const double = batched(async (items: number[]) => {
      batches.push(items);
      return items.map((item) => item * 2);
    });
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('sends at most `max` items per batch and `inFlight` batches at once', async () => {
    let running = 0;
    let most = 0;
    const sizes: number[] = [];
    const run = batched(
      async (items: number[]) => {
        most = Math.max(most, ++running);
        sizes.push(items.length);
        await later();
        running--;
        return items;
      },
      { max: 10, inFlight: 2 },
    );
    expect(await Promise.all(Array.from({ length: 95 }, (_, i) => run(i)))).toEqual(
      Array.from({ length: 95 }, (_, i) => i),
    );
    expect(most).toBe(2);
    expect(Math.max(...sizes)).toBe(10);
  });

  it('limits the weight of a batch, except for a single heavier item', async () => {
    const batches: number[][] = [];
    const run = batched(
      async (items: number[]) => {
        batches.push(items);
        await later();
        return items;
      },
      { weigh: { weightOf: (item) => item, maxWeight: 10 } },
    );
    expect(await Promise.all([3, 7, 1, 50, 9, 2].map(run))).toEqual([3, 7, 1, 50, 9, 2]);
    expect(batches).toEqual([[3, 7], [1], [50], [9], [2]]);
  });

  it('rejects only the calls of a failed batch and continues with the next one', async () => {
    let fail = true;
    const run = batched(async (items: string[]) => {
      if (fail) throw new Error('away');
      return items;
    });
    const outcomes = await Promise.allSettled(['a', 'b'].map(run));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail = false;
    expect(await run('c')).toBe('c');
  });

  it('rejects waiting calls only if the database is unavailable', async () => {
    const hold = withResolvers<number[]>();
    const run = batched(() => hold.promise, { max: 1, inFlight: 1 });
    const first = run(1);
    await later();
    const rest = [2, 3].map(run);
    hold.reject(Object.assign(new Error('shutting down'), { code: '57P01' }));
    const outcomes = await Promise.allSettled([first, ...rest]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('rejects calls beyond `mostWaiting` as unavailable', async () => {
    const hold = withResolvers<void>();
    const run = batched((items: number[]) => hold.promise.then(() => items), { max: 1, inFlight: 1, maxWaiting: 2 });
    const taken = [run(1)];
    await later();
    taken.push(run(2), run(3));
    const rejected = await run(4).catch((error: unknown) => error);
    expect(isUnavailable(rejected)).toBe(true);
    hold.resolve();
    expect(await Promise.all(taken)).toEqual([1, 2, 3]);
  });
});
