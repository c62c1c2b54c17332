import { describe, expect, it } from 'vitest';
import { afterFailure } from './retry.ts';

const schedule = [0, 5, 60, 300, 1800, 7200, 18_000, 36_000];
const now = new Date('2026-01-01T00:00:00Z');
const expiresAt = new Date(now.getTime() + 86_400_000);
const steady = { schedule, now, random: () => 0.5 };

describe('the schedule of deliveries', () => {
  it('makes eight attempts at 0, 5, 65, 365, 2165, 9365, 27365 and 63365 seconds', () => {
    const offsets = [0];
    for (let attempt = 1; attempt < 8; attempt++) {
      const outcome = afterFailure({ reason: 'timeout' }, { attempt, expiresAt }, steady);
      if (outcome.state !== 'pending') throw new Error('given up too early');
      offsets.push(offsets.at(-1)! + outcome.delayMs / 1000);
    }
    expect(offsets).toEqual([0, 5, 65, 365, 2165, 9365, 27_365, 63_365]);
    expect(afterFailure({ reason: 'timeout' }, { attempt: 8, expiresAt }, steady)).toEqual({
      state: 'failed',
      error: 'timeout',
    });
  });

  it('varies each wait by a tenth at the most', () => {
    for (const [random, seconds] of [
      [0, 54],
      [1, 66],
    ] as const) {
      const outcome = afterFailure({ reason: 'timeout' }, { attempt: 2 }, { schedule, now, random: () => random });
      expect(outcome).toMatchObject({ delayMs: seconds * 1000 });
    }
  });

  it('waits longer where the receiver asks for it, to an hour at the most', () => {
    const busy = (retryAfterSeconds: number) =>
      afterFailure({ reason: 'http_status', status: 503, retryAfterSeconds }, { attempt: 1 }, steady);
    expect(busy(120)).toMatchObject({ delayMs: 120_000 });
    expect(busy(1)).toMatchObject({ delayMs: 5000 });
    expect(busy(99_999)).toMatchObject({ delayMs: 3_600_000 });
  });

  it('ends at once on 410, on a blocked address, and where the result could no longer be read', () => {
    const of = (failed: Parameters<typeof afterFailure>[0], over = {}) =>
      afterFailure(failed, { attempt: 1, ...over }, steady);
    expect(of({ reason: 'http_status', status: 410 })).toEqual({ state: 'failed', error: 'gone', statusCode: 410 });
    expect(of({ reason: 'blocked_address' })).toEqual({ state: 'failed', error: 'blocked_address' });
    expect(of({ reason: 'timeout' }, { expiresAt: new Date(now.getTime() + 4000) })).toMatchObject({ state: 'failed' });
  });
});
