import { expect, it } from 'vitest';
import { createOutageClock } from './outage-clock.ts';

it('the outage clock reports the first unanswered attempt by the remote clock', () => {
  let local = 5000;
  const clock = createOutageClock(() => local);
  const attempt = (at: number) => {
    local = at;
    return clock.beginAttempt()?.getTime();
  };
  expect(attempt(5000)).toBeUndefined();
  expect(attempt(6000)).toBeUndefined();
  clock.recordResponse(new Date(1_000_000));
  expect(attempt(7000)).toBe(1_001_000);
  clock.recordResponse(new Date(1_001_000));
  // Two attempts fail.
  expect([attempt(8000), attempt(10_000), attempt(14_000)]).toEqual([1_002_000, 1_002_000, 1_002_000]);
  clock.recordResponse(new Date(1_008_000));
  // A pause without attempts does not count.
  expect(attempt(99_000)).toBe(1_093_000);
});
