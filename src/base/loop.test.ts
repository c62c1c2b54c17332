import { describe, expect, it } from 'vitest';
import { createSignal, loop, sleep } from './loop.ts';

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
      intervalMs: 10,
      maxIntervalMs: 60_000,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    });
    expect(errors).toHaveLength(1);
    expect(iterations).toBeGreaterThanOrEqual(3);
    expect(Date.now() - startedAt).toBeLessThan(2000);
    await sleep(60_000, stop.signal);
  });
});

describe('createSignal', () => {
  it('wakes a waiter and keeps one notification for a later waiter', async () => {
    const event = createSignal();
    setTimeout(event.notify, 5);
    await event.wait();
    event.notify();
    event.notify();
    await event.wait();
    const startedAt = Date.now();
    await event.wait(30);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(25);
  });
});
