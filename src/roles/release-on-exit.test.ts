import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../base/log.ts';
import { releaseOnExit } from './release-on-exit.ts';

const log = createLog('silent', 'test');

/** A process that sends `message` and then runs until it is killed. */
const spawnWorker = (message: object) => {
  const script = `
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => {}, 60_000);
    process.send(${JSON.stringify(message)});`;
  return spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
};

/** Returns the calls of `release` and `hint` after `end` has ended the worker. */
async function callsAfter(message: object, end: (child: ChildProcess) => void, release = async () => 1) {
  const calls: string[] = [];
  const child = releaseOnExit(spawnWorker(message), {
    service: 'a',
    tasks: {
      release: async (id, maxAttempts) => {
        calls.push(`${id} of ${maxAttempts}`);
        return release();
      },
      hint: (topic) => void calls.push(topic),
    },
    maxAttempts: 3,
    log,
  });
  await once(child, 'message');
  end(child);
  await once(child, 'close');
  await new Promise(setImmediate);
  return calls;
}

it('the tasks of a killed worker are released with a warning, and other workers are notified', async () => {
  const warn = vi.spyOn(log, 'warn');
  onTestFinished(() => warn.mockRestore());
  const calls = await callsAfter({ loaded: 'a', worker: 'w1' }, (child) => child.kill('SIGKILL'));
  expect(calls).toEqual(['w1 of 3', 'waiting:a']);
  const entry = { service: 'a', worker: 'w1', released: 1, reason: 'WORKER_LOST', exitSignal: 'SIGKILL' };
  expect(warn).toHaveBeenCalledWith(entry, 'tasks of a lost worker were requeued');
});

it('no worker is notified when the killed worker held no tasks or the database fails', async () => {
  const message = { loaded: 'a', worker: 'w1' };
  const kill = (child: ChildProcess) => child.kill('SIGKILL');
  expect(await callsAfter(message, kill, async () => 0)).toEqual(['w1 of 3']);
  expect(await callsAfter(message, kill, () => Promise.reject(new Error('unavailable')))).toEqual(['w1 of 3']);
});

it('nothing is released after a normal exit or for a process without tasks', async () => {
  expect(await callsAfter({ loaded: 'a', worker: 'w1' }, (child) => child.kill('SIGTERM'))).toEqual([]);
  expect(await callsAfter({ loaded: 'a' }, (child) => child.kill('SIGKILL'))).toEqual([]);
});
