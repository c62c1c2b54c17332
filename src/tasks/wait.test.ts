import { getEventListeners } from 'node:events';
import { memoryUsage } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { TaskStore } from './store.ts';
import type { Task } from './task.ts';
import { waitForEnd } from './wait.ts';

const task = (status: 'queued' | 'done') => ({ id: 't', status }) as Task;

/** A store that returns the given states in order; `listening` contains the remaining listeners. */
function oneTask(states: Task[]) {
  const listening = new Set<AbortSignal>();
  const store: Pick<TaskStore, 'read' | 'onHint'> = {
    read: async () => (states.length > 1 ? states.shift() : states[0]),
    onHint(_, wake, signal) {
      if (signal.aborted) return;
      listening.add(signal);
      signal.addEventListener('abort', () => listening.delete(signal));
      setTimeout(wake, 5);
    },
  };
  return { store, listening };
}

it('waitForEnd removes its listeners from the store and from the signal', async () => {
  const process = new AbortController();
  const { store, listening } = oneTask([task('queued'), task('done')]);
  expect(await waitForEnd(store, 'a', 't', { ms: 60_000, signals: [process.signal] })).toEqual(task('done'));
  expect(listening.size).toBe(0);
  expect(getEventListeners(process.signal, 'abort')).toEqual([]);
});

it('waitForEnd returns the current task at the timeout, and at once when the signal aborts or has aborted', async () => {
  const process = new AbortController();
  const { store, listening } = oneTask([task('queued')]);
  const other = new AbortController();
  const wait = (ms: number) => waitForEnd(store, 'a', 't', { ms, signals: [other.signal, process.signal] });
  expect(await wait(20)).toEqual(task('queued'));
  const long = wait(60_000);
  await delay(20);
  process.abort();
  expect(await long).toEqual(task('queued'));
  expect(await wait(60_000)).toEqual(task('queued'));
  expect(listening.size).toBe(0);
});

it('waitForEnd does not leak memory', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const process = new AbortController();
  const { store } = oneTask([task('done')]);
  const run = async () => {
    for (let i = 0; i < 5000; i++) await waitForEnd(store, 'a', 't', { ms: 60_000, signals: [process.signal] });
    await delay(10);
    gc();
    return memoryUsage().heapUsed;
  };
  await run();
  const before = await run();
  expect((await run()) - before).toBeLessThan(5000 * 400);
});
