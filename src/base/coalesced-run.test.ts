import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCoalescedRun } from './coalesced-run.ts';

it('a coalesced run is shared by concurrent calls, and another one starts for later calls', async () => {
  let runs = 0;
  const run = createCoalescedRun(async () => {
    runs++;
    await delay(20);
  }, 0);
  const first = run();
  await Promise.all([first, run()]);
  expect(runs).toBe(1);
  const second = run();
  await delay(0);
  await Promise.all([second, run()]);
  expect(runs).toBe(2);
});

it('a coalesced run fails for all of its calls, and runs again afterwards', async () => {
  let fails = true;
  const run = createCoalescedRun(async () => {
    if (fails) throw new Error('no database');
  }, 0);
  const results = await Promise.allSettled([run(), run()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  await run();
});

it('a coalesced run starts within a second after one that took longer', async () => {
  let takesMs = 1500;
  const run = createCoalescedRun(() => delay(takesMs), 0);
  await run();
  takesMs = 0;
  const startedAt = performance.now();
  await run();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
