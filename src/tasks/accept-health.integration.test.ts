import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { DatabaseOverloaded } from '../base/db-errors.ts';
import { newId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { watchAcceptHealth } from './accept-health.ts';
import { createPostgresTaskStore } from './postgres.ts';
import type { NewTask, TaskStore } from './store.ts';

let database: TestDatabase;
let over: AbortController;
beforeEach(async () => {
  database = await testDatabase();
  over = new AbortController();
});
afterEach(async () => {
  over.abort();
  await database.drop();
});

const task = (): NewTask => ({
  ...{ id: newId(), service: 'test', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 },
});

/** A watched store whose accepts fail with the given error. */
function watched(now: () => number) {
  let failure: Error | undefined;
  const store = createPostgresTaskStore(database.db);
  const tasks: TaskStore = {
    ...store,
    accept: (each) => (failure ? Promise.reject(failure) : store.accept(each)),
  };
  const log = createLog('silent', 'test');
  const accepting = watchAcceptHealth({ db: database.db, tasks, log, signal: over.signal, everyMs: 10, now });
  return {
    accepting,
    fail(error: Error | undefined) {
      failure = error;
    },
    close: () => store.close(),
  };
}

describe('the health of accepts', () => {
  it('is failing for 10 s after an unavailable database, or until an accept succeeds', async () => {
    let nowMs = 0;
    const { accepting, fail, close } = watched(() => nowMs);
    expect(accepting.isFailing()).toBe(false);
    fail(Object.assign(new Error('could not extend file'), { code: '53100' }));
    await expect(accepting.tasks.accept(task())).rejects.toThrow();
    expect(accepting.isFailing()).toBe(true);
    fail(undefined);
    await accepting.tasks.accept(task());
    expect(accepting.isFailing()).toBe(false);
    fail(Object.assign(new Error('could not extend file'), { code: '53100' }));
    await expect(accepting.tasks.accept(task())).rejects.toThrow();
    nowMs = 9_999;
    expect(accepting.isFailing()).toBe(true);
    nowMs = 10_000;
    expect(accepting.isFailing()).toBe(false);
    close();
  });

  it('is not failing after a full connection pool or an invalid task', async () => {
    const { accepting, fail, close } = watched(() => 0);
    for (const error of [
      new DatabaseOverloaded('Too many.'),
      Object.assign(new Error('too large'), { code: '22P05' }),
    ]) {
      fail(error);
      await expect(accepting.tasks.accept(task())).rejects.toThrow();
      expect(accepting.isFailing()).toBe(false);
    }
    close();
  });
});
