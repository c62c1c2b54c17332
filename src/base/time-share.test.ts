import { describe, expect, it } from 'vitest';
import { createTimeShare } from './time-share.ts';

describe('createTimeShare', () => {
  const start = () => {
    let now = 0;
    const share = createTimeShare(0.01, { leastMs: 50, mostMs: 60_000 }, () => now);
    const pass = (ms: number) => {
      now += ms;
    };
    return { share, pass, take: (ms: number) => share.spend(async () => pass(ms)) };
  };

  it('makes cheap work due again after the minimum interval', async () => {
    const { share, pass, take } = start();
    expect(share.isDue()).toBe(true);
    await take(0.1);
    pass(49);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('makes expensive work due again when its share of the time is kept', async () => {
    const { share, pass, take } = start();
    await take(10);
    pass(999);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('makes very expensive work due again after the maximum pause', async () => {
    const { share, pass, take } = start();
    await take(10_000);
    pass(59_999);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('is not due during a run, and counts failed runs', async () => {
    const { share, pass } = start();
    const failed = share.spend(async () => {
      expect(share.isDue()).toBe(false);
      pass(10);
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    pass(999);
    expect(share.isDue()).toBe(false);
    share.reset();
    expect(share.isDue()).toBe(true);
  });
});
