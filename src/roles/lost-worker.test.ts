import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createLog } from '../base/log.ts';
import { releaseWhenLost } from './lost-worker.ts';

const log = createLog('silent', 'test');

/** A process that says what a worker says, and lives until something happens to it. */
const worker = (says: object) => {
  const script = `
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => {}, 60_000);
    process.send(${JSON.stringify(says)});`;
  return spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
};

/** What is given back when this happens to a worker that has said so. */
async function given(says: object, happens: (child: ChildProcess) => void, answer = async () => 1) {
  const told: string[] = [];
  const child = releaseWhenLost(worker(says), {
    service: 'a',
    tasks: {
      release: async (id, maxAttempts) => {
        told.push(`${id} of ${maxAttempts}`);
        return answer();
      },
      hint: (what) => void told.push(what),
    },
    maxAttempts: 3,
    log,
  });
  await once(child, 'message');
  happens(child);
  await once(child, 'close');
  await new Promise(setImmediate);
  return told;
}

it('gives back what a worker held that was killed, and tells the others', async () => {
  const told = await given({ loaded: 'a', worker: 'w1' }, (child) => child.kill('SIGKILL'));
  expect(told).toEqual(['w1 of 3', 'waiting:a']);
});

it('wakes nobody where it held nothing, or the database does not answer', async () => {
  const says = { loaded: 'a', worker: 'w1' };
  const kill = (child: ChildProcess) => child.kill('SIGKILL');
  expect(await given(says, kill, async () => 0)).toEqual(['w1 of 3']);
  expect(await given(says, kill, () => Promise.reject(new Error('away')))).toEqual(['w1 of 3']);
});

it('leaves alone what has ended in order, and what takes no tasks', async () => {
  expect(await given({ loaded: 'a', worker: 'w1' }, (child) => child.kill('SIGTERM'))).toEqual([]);
  expect(await given({ loaded: 'a' }, (child) => child.kill('SIGKILL'))).toEqual([]);
});
