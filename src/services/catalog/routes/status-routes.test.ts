import { expect, it, vi } from 'vitest';
import { countedOnce, type State } from './status-routes.ts';

it('those who ask how the index stands while somebody counts get what he does; whoever asks later, a new count', async () => {
  const counts: Deferred<Awaited<ReturnType<State>>>[] = [];
  const state = vi.fn<State>(() => {
    const count = deferred<Awaited<ReturnType<State>>>();
    counts.push(count);
    return count.promise;
  });
  const once = countedOnce(state);
  const answer = { documents: 1, lastIndexedAt: null, lagSeconds: 0, rebuilding: false };

  const together = [once(), once(), once()];
  expect(state).toHaveBeenCalledTimes(1);
  counts[0]!.resolve(answer);
  expect(await Promise.all(together)).toEqual([answer, answer, answer]);

  const failing = [once(), once()];
  expect(state).toHaveBeenCalledTimes(2);
  counts[1]!.reject(new Error('away'));
  for (const each of failing) await expect(each).rejects.toThrow('away');

  const later = once();
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
