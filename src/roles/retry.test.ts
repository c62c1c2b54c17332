import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coreSettings } from '../settings.ts';
import { afterFailure, hideDetails } from './retry.ts';

const schedule = coreSettings.webhookRetrySchedule.read(undefined);
const steady = { schedule, random: () => 0.5 };

describe('the retry schedule of deliveries', () => {
  it('makes eight attempts at 0, 5, 65, 365, 2165, 9365, 27365 and 63365 seconds', () => {
    const offsets = [0];
    for (let attempt = 1; attempt < 8; attempt++) {
      const outcome = afterFailure({ reason: 'timeout' }, attempt, steady);
      if (outcome.state !== 'pending') throw new Error('failed too early');
      offsets.push(offsets.at(-1)! + outcome.delayMs / 1000);
    }
    expect(offsets).toEqual([0, 5, 65, 365, 2165, 9365, 27_365, 63_365]);
    expect(afterFailure({ reason: 'timeout' }, 8, steady)).toEqual({
      state: 'failed',
      error: 'timeout',
    });
  });

  it('equals the schedule of the specification', () => {
    const specification = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');
    const [, count, delays = ''] = /^- Schedule .*?: (\d+) attempts after (.*), each ± 10 %\./m.exec(specification)!;
    const seconds = { s: 1, min: 60, h: 3600 };
    expect(Number(count)).toBe(schedule.length);
    expect(
      delays.split(', ').map((delay) => {
        const [value, unit = 's'] = delay.split(' ');
        return Number(value) * seconds[unit as keyof typeof seconds];
      }),
    ).toEqual(schedule);
  });

  it('varies each delay by at most 10 %', () => {
    for (const [random, seconds] of [
      [0, 54],
      [1, 66],
    ] as const) {
      const outcome = afterFailure({ reason: 'timeout' }, 2, { schedule, random: () => random });
      expect(outcome).toMatchObject({ delayMs: seconds * 1000 });
    }
  });

  it('honours Retry-After up to an hour', () => {
    const busy = (retryAfterSeconds: number) =>
      afterFailure({ reason: 'http_status', status: 503, retryAfterSeconds }, 1, steady);
    expect(busy(120)).toMatchObject({ delayMs: 120_000 });
    expect(busy(1)).toMatchObject({ delayMs: 5000 });
    expect(busy(99_999)).toMatchObject({ delayMs: 3_600_000 });
  });

  it('ends at once for status 410 and for a blocked address', () => {
    const of = (failed: Parameters<typeof afterFailure>[0]) => afterFailure(failed, 1, steady);
    expect(of({ reason: 'http_status', status: 410 })).toEqual({ state: 'failed', error: 'gone', statusCode: 410 });
    expect(of({ reason: 'blocked_address' })).toEqual({ state: 'failed', error: 'blocked_address' });
  });
});

describe('the recorded outcome for a receiver on this machine', () => {
  it('has no status and no failure reason, and every failure follows the schedule', () => {
    expect(hideDetails({ state: 'delivered', statusCode: 201 }, 1, steady)).toEqual({ state: 'delivered' });
    for (const outcome of [
      afterFailure({ reason: 'http_status', status: 410 }, 1, steady),
      afterFailure({ reason: 'blocked_address' }, 1, steady),
      afterFailure({ reason: 'http_status', status: 503, retryAfterSeconds: 3600 }, 1, steady),
      afterFailure({ reason: 'connect_error' }, 1, steady),
    ]) {
      expect(hideDetails(outcome, 1, steady)).toEqual({ state: 'pending', delayMs: 5000, error: 'undelivered' });
      expect(hideDetails(outcome, 8, steady)).toEqual({ state: 'failed', error: 'undelivered' });
    }
    expect(hideDetails({ state: 'postponed', delayMs: 5000 }, 1, steady)).toEqual({
      state: 'postponed',
      delayMs: 5000,
    });
  });
});
