import { expect, it, onTestFinished, vi } from 'vitest';
import { withRetry } from './poll-task.ts';
import { RequestError } from './requests.ts';

it.each([
  [600, 60],
  [7, 7],
  [0, 1],
])('a request that is refused with Retry-After %s is repeated after %s s', async (retryAfterSeconds, expected) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const run = vi.fn<() => Promise<string>>(async () => 'accepted');
  run.mockRejectedValueOnce(new RequestError(503, 'full', { retryAfterSeconds }));
  const shown: (number | undefined)[] = [];
  const result = withRetry(run, (retry) => shown.push(retry?.seconds), new AbortController().signal);
  await vi.advanceTimersByTimeAsync(expected * 1000 - 1);
  expect([run.mock.calls.length, shown[0]]).toEqual([1, expected]);
  await vi.advanceTimersByTimeAsync(1);
  expect([await result, shown.at(-1)]).toEqual(['accepted', undefined]);
});
