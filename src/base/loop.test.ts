import { describe, expect, it } from 'vitest';
import { createBell, loop, rest } from './loop.ts';

describe('loop', () => {
  it('continues after an error and ends on abort, also during a pause', async () => {
    const stop = new AbortController();
    const errors: unknown[] = [];
    let turns = 0;
    const turn = async () => {
      if (++turns === 1) throw new Error('once');
      if (turns === 3) setTimeout(() => stop.abort(), 20);
    };
    const begun = Date.now();
    await loop(turn, { restMs: 10, maxRestMs: 60_000, signal: stop.signal, onError: (error) => errors.push(error) });
    expect(errors).toHaveLength(1);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(Date.now() - begun).toBeLessThan(2000);
    await rest(60_000, stop.signal);
  });
});

describe('createSignal', () => {
  it('wakes a waiter and keeps one notification for a later waiter', async () => {
    const bell = createBell();
    setTimeout(bell.ring, 5);
    await bell.wait();
    bell.ring();
    bell.ring();
    await bell.wait();
    const begun = Date.now();
    await bell.wait(30);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(25);
  });
});
