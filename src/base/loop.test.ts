import { describe, expect, it } from 'vitest';
import { createBell, loop, rest } from './loop.ts';

describe('loop', () => {
  it('continues after an error and ends on abort, also during a pause', async () => {
    const stop = new AbortController();
    const errors: unknown[] = [];
    let iterations = 0;
    const iteration = async () => {
      if (++iterations === 1) throw new Error('once');
      if (iterations === 3) setTimeout(() => stop.abort(), 20);
    };
    const startedAt = Date.now();
    await loop(iteration, {
      restMs: 10,
      maxRestMs: 60_000,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    });
    expect(errors).toHaveLength(1);
    expect(iterations).toBeGreaterThanOrEqual(3);
    expect(Date.now() - startedAt).toBeLessThan(2000);
    await rest(60_000, stop.signal);
  });
});

describe('createSignal', () => {
  it('wakes a waiter and keeps one notification for a later waiter', async () => {
    const event = createBell();
    setTimeout(event.ring, 5);
    await event.wait();
    event.ring();
    event.ring();
    await event.wait();
    const startedAt = Date.now();
    await event.wait(30);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(25);
  });
});
