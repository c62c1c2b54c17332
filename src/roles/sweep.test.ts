import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { Files } from '../base/files.ts';
import { createLog, type Log } from '../base/log.ts';
import type { SweepResult, TaskStore } from '../tasks/store.ts';
import { createTaskMetrics } from './metrics.ts';
import { type SweepDeps, sweep } from './sweep.ts';

const NOTHING: SweepResult = {
  ...{ returned: 0, failed: {}, promoted: 0, removed: 0, extended: 0, skipped: [] },
  ...{ at: new Date(0), nextLeaseMs: null },
};

/** Sweeps with these dependencies, and empty ones for the rest, until `stop` is called. */
async function sweepWith(
  deps: (stop: () => void) => {
    tasks?: Partial<TaskStore>;
    files?: Partial<Files>;
    services?: SweepDeps['services'];
    absent?: SweepDeps['databaseCleanups'];
    log?: Log;
  },
): Promise<void> {
  const stopped = new AbortController();
  const {
    tasks,
    files,
    services = [{ name: 'a' }],
    absent = [],
    log = createLog('silent', 'test'),
  } = deps(() => stopped.abort());
  await sweep({
    tasks: {
      sweep: async () => NOTHING,
      hint: () => {},
      batches: { completeEnded: async () => [] },
      ...tasks,
    } as unknown as TaskStore,
    events: { numberNew: async () => false, deleteExpired: async () => {} },
    expiredUploads: { drain: async () => {} },
    orphans: { step: async () => {} },
    files: { cleanup: async () => 0, ...files } as Files,
    ...{ services, databaseCleanups: absent },
    limits: { maxAttempts: 3, batchMaxWaitSeconds: 3600 },
    taskMetrics: createTaskMetrics(new Registry()),
    log,
    signal: stopped.signal,
  });
}

it('a failing cleanup of a service does not stop the others', async () => {
  const cleaned: string[] = [];
  await sweepWith((stop) => ({
    services: [
      { name: 'a', cleanup: () => Promise.reject(new Error('table locked')) },
      { name: 'b' },
      {
        name: 'c',
        cleanup: async () => {
          cleaned.push('c');
        },
      },
    ],
    absent: [
      () => Promise.reject(new Error('table locked')),
      async () => {
        cleaned.push('disabled service');
        stop();
      },
    ],
  }));
  expect(cleaned).toEqual(['c', 'disabled service']);
});

it('the next sweep runs when the next lease expires', async () => {
  const swept = vi.fn();
  await sweepWith((stop) => ({
    tasks: {
      async sweep() {
        swept();
        if (swept.mock.calls.length === 100) stop();
        return { ...NOTHING, nextLeaseMs: 1 };
      },
    },
  }));
  expect(swept).toHaveBeenCalledTimes(100);
});

it('a sweep after failures reports the start of the outage, the same in all parts of a round', async () => {
  const starts: (number | undefined)[] = [];
  await sweepWith((stop) => ({
    tasks: {
      async sweep({ outage }) {
        starts.push(outage?.since.getTime());
        if (starts.length === 2) throw new Error('database unavailable');
        if (starts.length === 5) stop();
        return {
          ...NOTHING,
          at: new Date(starts.length * 1e6),
          returned: starts.length === 3 ? 1000 : 0,
          nextLeaseMs: 1,
        };
      },
    },
  }));
  const [first, tried, again, rest, next] = starts;
  expect(first).toBeUndefined();
  expect(tried).toBeGreaterThanOrEqual(1e6);
  expect([again, rest]).toEqual([tried, tried]);
  expect(next).toBeGreaterThanOrEqual(3e6);
});

it('requeued tasks are a warning with the reason', async () => {
  const log = createLog('silent', 'test');
  const warn = vi.spyOn(log, 'warn');
  await sweepWith((stop) => ({
    log,
    tasks: {
      async sweep() {
        stop();
        return { ...NOTHING, returned: 2 };
      },
    },
  }));
  const entry = expect.objectContaining({ returned: 2, reason: 'WORKER_LOST' });
  expect(warn).toHaveBeenCalledWith(entry, 'tasks with expired leases were requeued');
});
