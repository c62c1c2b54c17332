import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { openThreads } from './threads.ts';

/** A thread that says its number and how many questions it was asked; one that is to die does, one that is to hang hangs. */
const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads');
  let asked = 0;
  parentPort.on('message', (question) => {
    if (question === 'die') throw new Error('no');
    if (question === 'hang') for (;;);
    parentPort.postMessage({ threadId, asked: ++asked });
  });
`;
const { signal } = new AbortController();

function open() {
  const started: Worker[] = [];
  const start = () => {
    started.push(new Worker(PROGRAM, { eval: true }));
    return started.at(-1)!;
  };
  const threads = openThreads(start, 'the test');
  onTestFinished(() => threads.close());
  return { threads, started };
}

test('a thread is kept for the next question, and there are as many as there is work at a time', async () => {
  const { threads, started } = open();
  const [a, b] = await Promise.all(['a', 'b'].map((question) => threads.ask<{ threadId: number }>(question, signal)));
  expect(a!.threadId).not.toBe(b!.threadId);
  expect(await threads.ask('c', signal)).toEqual({ threadId: expect.any(Number), asked: 2 });
  expect(started.length).toBe(2);
});

test('a thread that dies takes its question with it and no other', async () => {
  const { threads, started } = open();
  await expect(threads.ask('die', signal)).rejects.toThrow('no');
  expect(await threads.ask('a', signal)).toMatchObject({ asked: 1 });
  expect(started.length).toBe(2);
});

test('one that is idle may die, too', async () => {
  const { threads, started } = open();
  await threads.ask('a', signal);
  await started[0]!.terminate();
  expect(await threads.ask('b', signal)).toMatchObject({ asked: 1 });
});

test('who gives up is told so at once, and what the thread was doing ends with it', async () => {
  const { threads, started } = open();
  const stop = new AbortController();
  const asked = threads.ask('hang', stop.signal);
  const ended = new Promise((resolve) => started[0]!.once('exit', resolve));
  stop.abort(new Error('no longer wanted'));
  await expect(asked).rejects.toThrow('no longer wanted');
  await ended;
  await expect(threads.ask('a', stop.signal)).rejects.toThrow('no longer wanted');
  expect(await threads.ask('a', signal)).toMatchObject({ asked: 1 });
});
