import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { Files } from '../base/files.ts';
import { createLog } from '../base/log.ts';
import type { TaskStore } from '../tasks/store.ts';
import type { Uploads } from '../tasks/uploads.ts';
import { createTaskMeter } from './meters.ts';
import { sweep } from './sweep.ts';

it('removes every upload whose time is over in one go; one that cannot be removed does not keep the others', async () => {
  const stop = new AbortController();
  let kept = Array.from({ length: 2500 }, (_, i) => `key-${i}`);
  const uploads: Partial<Uploads> = {
    expired: async (limit) => kept.slice(0, limit),
    forget: async (keys) => {
      const gone = new Set(keys);
      kept = kept.filter((key) => !gone.has(key));
    },
  };
  const files: Partial<Files> = {
    remove: async (key) => {
      if (key === 'key-0') throw new Error('a disk that does not want to');
    },
    tidy: async () => {
      stop.abort();
      return 0;
    },
  };
  const tasks: Partial<TaskStore> = { sweep: async () => ({ returned: 0, failed: {}, promoted: 0, removed: 0 }) };
  await sweep({
    tasks: tasks as TaskStore,
    services: [{ name: 'a' }],
    absent: [],
    uploads: uploads as Uploads,
    files: files as Files,
    limits: { maxAttempts: 3, batchMaxWaitSeconds: 3600 },
    meter: createTaskMeter(new Registry()),
    log: createLog('silent', 'test'),
    signal: stop.signal,
  });
  expect(kept).toEqual(['key-0']);
});

it('lets every service tidy what is its own; one that fails does not keep the others', async () => {
  const stop = new AbortController();
  const tidied: string[] = [];
  const tasks: Partial<TaskStore> = { sweep: async () => ({ returned: 0, failed: {}, promoted: 0, removed: 0 }) };
  await sweep({
    tasks: tasks as TaskStore,
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
        stop.abort();
      },
    ],
    uploads: { expired: async () => [], forget: async () => {} } as Partial<Uploads> as Uploads,
    files: { tidy: async () => 0 } as Partial<Files> as Files,
    limits: { maxAttempts: 3, batchMaxWaitSeconds: 3600 },
    meter: createTaskMeter(new Registry()),
    log: createLog('silent', 'test'),
    signal: stop.signal,
  });
  expect(tidied).toEqual(['c', 'what is asked for a service that does not run here']);
});
