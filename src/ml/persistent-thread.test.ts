import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createPersistentThread } from './persistent-thread.ts';

/** Echoes, but never answers the request `hang`. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => {
    if (message === 'close') parentPort.close();
    while (message === 'hang');
    parentPort.postMessage({ answer: message });
  });
  parentPort.postMessage('ready');
`;

test('a thread that hangs after its request is aborted is replaced on the next request', {
  timeout: 20_000,
}, async () => {
  const workers: Worker[] = [];
  const start = () => {
    const worker = new Worker(PROGRAM, { eval: true });
    workers.push(worker);
    return worker;
  };
  const thread = createPersistentThread(start, 'the test', { hungMs: 50 });
  onTestFinished(() => thread.close());
  const stop = new AbortController();
  const hanging = thread.request('hang', [], stop.signal);
  stop.abort();
  await expect(hanging).rejects.toThrow('The thread of the test does not answer.');
  expect(await thread.request('next', [], new AbortController().signal)).toBe('next');
  expect(workers).toHaveLength(2);
});

test('a thread that answers after its request is aborted remains', { timeout: 20_000 }, async () => {
  let starts = 0;
  const start = () => {
    starts++;
    return new Worker(PROGRAM, { eval: true });
  };
  const thread = createPersistentThread(start, 'the test', { hungMs: 10_000 });
  onTestFinished(() => thread.close());
  expect(await thread.request('late', [], AbortSignal.abort())).toBe('late');
  expect(await thread.request('next')).toBe('next');
  expect(starts).toBe(1);
});

test('a thread that hangs before it is ready is replaced', { timeout: 20_000 }, async () => {
  const programs = ['for (;;);', PROGRAM];
  const start = () => new Worker(programs.shift()!, { eval: true });
  const thread = createPersistentThread(start, 'the test', { hungMs: 50 });
  onTestFinished(() => thread.close());
  await expect(thread.request('early', [], AbortSignal.abort())).rejects.toThrow('does not answer');
  expect(await thread.request('next')).toBe('next');
});

test('a second thread that hangs while the first one still runs is reported', { timeout: 20_000 }, async () => {
  const workers: Worker[] = [];
  const start = () => {
    const worker = new Worker(PROGRAM, { eval: true });
    // As in native code, which cannot be interrupted.
    if (workers.push(worker) < 3) worker.terminate = async () => 0;
    return worker;
  };
  onTestFinished(async () => {
    for (const worker of workers) await Worker.prototype.terminate.call(worker);
  });
  const hangs: string[] = [];
  const onSecondHang = (error: Error) => hangs.push(error.message);
  const thread = createPersistentThread(start, 'the test', { hungMs: 50, onSecondHang });
  const hang = () => expect(thread.request('hang', [], AbortSignal.abort())).rejects.toThrow('does not answer');
  await hang();
  expect(hangs).toEqual([]);
  await hang();
  expect(hangs).toEqual(['The thread of the test does not answer.']);
});
