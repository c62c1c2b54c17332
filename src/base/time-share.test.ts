import { describe, expect, it } from 'vitest';
import { createTimeShare } from './time-share.ts';

describe('a time share', () => {
  const start = () => {
    let now = 0;
    const share = createTimeShare(0.01, { leastMs: 50, mostMs: 60_000 }, () => now);
    const pass = (ms: number) => {
      now += ms;
    };
    return { share, pass, take: (ms: number) => share.spend(async () => pass(ms)) };
  };

  it('makes cheap work due again after the least pause', async () => {
    const { share, pass, take } = start();
    expect(share.isDue()).toBe(true);
    await take(0.1);
    pass(49);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('makes expensive work due again when it has taken no more than its share of the time', async () => {
    const { share, pass, take } = start();
    await take(10);
    pass(999);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('makes the most expensive work due again after the longest pause', async () => {
    const { share, pass, take } = start();
    await take(10_000);
    pass(59_999);
    expect(share.isDue()).toBe(false);
    pass(1);
    expect(share.isDue()).toBe(true);
  });

  it('is not due while the work is under way, and counts work that failed', async () => {
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
