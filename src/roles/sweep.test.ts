import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { Files } from '../base/files.ts';
import { createLog } from '../base/log.ts';
import type { Swept, TaskStore } from '../tasks/store.ts';
import { createTaskMeter } from './meters.ts';
import { type SweepNeeds, sweep } from './sweep.ts';

const NOTHING: Swept = {
  ...{ returned: 0, failed: {}, promoted: 0, removed: 0, spared: 0, skipped: [] },
  ...{ at: new Date(0), nextLeaseMs: null },
};

/** Keeps house, with these needs in place of ones that have nothing to do, until `stop` is called. */
async function keepHouse(
  needs: (stop: () => void) => {
    tasks?: Partial<TaskStore>;
    files?: Partial<Files>;
    services?: SweepNeeds['services'];
    absent?: SweepNeeds['absent'];
  },
): Promise<void> {
  const over = new AbortController();
  const { tasks, files, services = [{ name: 'a' }], absent = [] } = needs(() => over.abort());
  await sweep({
    tasks: { sweep: async () => NOTHING, hint: () => {}, ...tasks } as TaskStore,
    expiredUploads: { empty: async () => {} },
    files: { tidy: async () => 0, ...files } as Files,
    ...{ services, absent },
    limits: { maxAttempts: 3, batchMaxWaitSeconds: 3600 },
    meter: createTaskMeter(new Registry()),
    log: createLog('silent', 'test'),
    signal: over.signal,
  });
}

it('lets every service tidy what is its own; one that fails does not keep the others', async () => {
  const tidied: string[] = [];
  await keepHouse((stop) => ({
    services: [
      { name: 'a', tidy: () => Promise.reject(new Error('a table that is locked')) },
      { name: 'b' },
      {
        name: 'c',
        tidy: async () => {
          tidied.push('c');
        },
      },
    ],
    absent: [
      () => Promise.reject(new Error('a table that is locked')),
      async () => {
        tidied.push('what is asked for a service that does not run here');
        stop();
      },
    ],
  }));
  expect(tidied).toEqual(['c', 'what is asked for a service that does not run here']);
});

it('looks again when the next lease runs out, sooner than it would otherwise', async () => {
  const looked = vi.fn();
  await keepHouse((stop) => ({
    tasks: {
      async sweep() {
        looked();
        if (looked.mock.calls.length === 100) stop();
        return { ...NOTHING, nextLeaseMs: 1 };
      },
    },
  }));
  expect(looked).toHaveBeenCalledTimes(100);
});

it('says since when it has asked in vain, and of a round of several parts the same in each', async () => {
  const asked: (number | undefined)[] = [];
  await keepHouse((stop) => ({
    tasks: {
      async sweep({ asked: given }) {
        asked.push(given?.since.getTime());
        if (asked.length === 2) throw new Error('the database is away');
        if (asked.length === 5) stop();
        return {
          ...NOTHING,
          at: new Date(asked.length * 1e6),
          returned: asked.length === 3 ? 1000 : 0,
          nextLeaseMs: 1,
        };
      },
    },
  }));
  const [first, tried, again, rest, next] = asked;
  expect(first).toBeUndefined();
  expect(tried).toBeGreaterThanOrEqual(1e6);
  expect([again, rest]).toEqual([tried, tried]);
  expect(next).toBeGreaterThanOrEqual(3e6);
});
