import { afterEach, expect, it, vi } from 'vitest';
import { withGoodbye } from './goodbye.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it.each([
  [100, ['Stopped.']],
  [3000, ['Stopping: finishing what has begun (Ctrl-C again to stop at once)…', 'Stopped.']],
])('a stop of %i ms says %j', async (ms, expected) => {
  vi.useFakeTimers();
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
  const stop = new AbortController();
  const over = withGoodbye(stop.signal, () => new Promise((resolve) => setTimeout(resolve, 5000 + ms)));
  await vi.advanceTimersByTimeAsync(5000);
  expect(said).toEqual([]);
  stop.abort();
  await vi.advanceTimersByTimeAsync(ms);
  await over;
  expect(said).toEqual(expected);
});
