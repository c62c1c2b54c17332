import { expect, it, vi } from 'vitest';
import { type State, shareConcurrent } from './status-routes.ts';

it('concurrent status requests share one count, and a later request counts again', async () => {
  const counts: Deferred<Awaited<ReturnType<State>>>[] = [];
  const state = vi.fn<State>(() => {
    const count = deferred<Awaited<ReturnType<State>>>();
    counts.push(count);
    return count.promise;
  });
  const shared = shareConcurrent(state);
  const answer = { documents: 1, lastIndexedAt: null, lagSeconds: 0, rebuilding: false };

  const together = [shared(), shared(), shared()];
  expect(state).toHaveBeenCalledTimes(1);
  counts[0]!.resolve(answer);
  expect(await Promise.all(together)).toEqual([answer, answer, answer]);

  const failing = [shared(), shared()];
  expect(state).toHaveBeenCalledTimes(2);
  counts[1]!.reject(new Error('unavailable'));
  for (const each of failing) await expect(each).rejects.toThrow('unavailable');

  const later = shared();
  expect(state).toHaveBeenCalledTimes(3);
  counts[2]!.resolve({ ...answer, documents: 2 });
  expect((await later).documents).toBe(2);
});

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
