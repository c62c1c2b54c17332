import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Db } from '../base/db.ts';
import { hintsOver } from './hints.ts';

const silent = { query: async () => ({ rows: [], rowCount: 0 }), listen: async () => {} } as unknown as Db;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('wakes every listener once a second without a hint, by one timer, which goes with the last of them', () => {
  const hints = hintsOver(silent);
  const stops = Array.from({ length: 3 }, () => new AbortController());
  const wake = vi.fn();
  for (const stop of stops) hints.onHint('finished', () => wake(), stop.signal);
  hints.onHint('finished', () => wake(), AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(wake).toHaveBeenCalledTimes(3);
  for (const stop of stops) stop.abort();
  expect(vi.getTimerCount()).toBe(0);
});
