import { describe, expect, it } from 'vitest';
import { createFeedFloor } from './feed-floor.ts';

describe('the feed floor', () => {
  const start = () => {
    let now = 0;
    const floor = createFeedFloor(() => now);
    const pass = (ms: number) => {
      now += ms;
    };
    /** A read of this duration; returns the serial from which it starts. */
    const read = (durationMs: number) =>
      floor.read(async (from) => {
        pass(durationMs);
        return from;
      });
    return { floor, pass, read };
  };

  it('reads from the beginning while such reads are cheap', async () => {
    const { floor, pass, read } = start();
    for (let i = 1; i < 10; i++) {
      floor.reportDeleted([{ serial: i * 100 }]);
      pass(10_001);
      expect(await read(1)).toBe(0);
    }
  });

  it('reads from the serial of ten seconds before when reads from the beginning are expensive', async () => {
    const { floor, pass, read } = start();
    expect(await read(500)).toBe(0);
    floor.reportDeleted([{ serial: 7 }, { serial: 100 }]);
    pass(10_001);
    expect(await read(1)).toBe(0);
    floor.reportDeleted([{ serial: 200 }]);
    pass(9_000);
    expect(await read(1)).toBe(0);
    pass(1_001);
    expect(await read(1)).toBe(100);
  });

  it('reads from the beginning again when this takes at most 1 % of the time', async () => {
    const { floor, pass, read } = start();
    await read(500);
    floor.reportDeleted([{ serial: 100 }]);
    pass(30_000);
    await read(0);
    pass(15_000);
    expect(await read(0)).toBe(100);
    pass(5_000);
    expect(await read(0)).toBe(0);
  });
});
