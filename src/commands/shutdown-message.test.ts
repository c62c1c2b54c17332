import { afterEach, expect, it, vi } from 'vitest';
import { withShutdownMessage } from './shutdown-message.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it.each([
  [100, ['Stopped.']],
  [3000, ['Stopping: finishing the work in progress (press Ctrl-C again to stop at once)…', 'Stopped.']],
])('a shutdown that takes %i ms prints %j', async (ms, expected) => {
  vi.useFakeTimers();
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  const stop = new AbortController();
  const done = withShutdownMessage(stop.signal, () => new Promise((resolve) => setTimeout(resolve, 5000 + ms)));
  await vi.advanceTimersByTimeAsync(5000);
  expect(printed).toEqual([]);
  stop.abort();
  await vi.advanceTimersByTimeAsync(ms);
  await done;
  expect(printed).toEqual(expected);
});
