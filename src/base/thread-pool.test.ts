import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { openThreadPool } from './thread-pool.ts';

const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads');
  let count = 0;
  parentPort.on('message', (message) => {
    if (message === 'die') throw new Error('no');
    if (message === 'hang') for (;;);
    // Longer than requests wait for the first thread.
    if (message === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    parentPort.postMessage({ answer: { threadId, count: ++count } });
  });
`;
const { signal } = new AbortController();

function open(options: Parameters<typeof openThreadPool>[2] = {}) {
  const started: Worker[] = [];
  const start = () => {
    started.push(new Worker(PROGRAM, { eval: true }));
    return started.at(-1)!;
  };
  const threads = openThreadPool(start, 'the test', options);
  onTestFinished(() => threads.close());
  return { threads, started };
}

test('a thread pool grows with concurrent requests and reuses idle threads', async () => {
  const { threads, started } = open();
  const [a, b] = await Promise.all(['a', 'b'].map((message) => threads.request<{ threadId: number }>(message, signal)));
  expect(a!.threadId).not.toBe(b!.threadId);
  expect(await threads.request('c', signal)).toEqual({ threadId: expect.any(Number), count: 2 });
  expect(started.length).toBe(2);
});

test('requests of a thread pool wait for its first thread before they start another one', async () => {
  const { threads, started } = open({ maxWaitMs: 60_000 });
  const answers = await Promise.all(['a', 'b', 'c'].map((message) => threads.request(message, signal)));
  expect(answers).toMatchObject([{ count: 1 }, { count: 2 }, { count: 3 }]);
  expect(started.length).toBe(1);
});

test('a thread pool starts another thread beside a long request, and prefers the first one afterwards', async () => {
  const { threads, started } = open({ maxWaitMs: 1000 });
  const long = threads.request<{ threadId: number }>('wait', signal);
  expect(await threads.request('a', signal)).toMatchObject({ count: 1 });
  const { threadId } = await long;
  const answers = await Promise.all(['b', 'c'].map((message) => threads.request(message, signal)));
  expect(answers).toMatchObject([2, 3].map((count) => ({ threadId, count })));
  expect(started.length).toBe(2);
});

test('a request of a thread pool can be aborted while it waits', async () => {
  const { threads, started } = open({ maxWaitMs: 60_000 });
  const stop = new AbortController();
  const [long, waiting] = ['hang', 'a'].map((message, i) =>
    threads.request(message, i === 0 ? stop.signal : AbortSignal.timeout(50)),
  );
  await expect(waiting).rejects.toThrow('timeout');
  stop.abort(new Error('cancelled'));
  await expect(long).rejects.toThrow('cancelled');
  expect(started.length).toBe(1);
});

test('a closed thread pool rejects waiting requests', async () => {
  const { threads, started } = open({ maxWaitMs: 60_000 });
  const requests = ['hang', 'a'].map((message) => threads.request(message, signal).catch(String));
  await threads.close();
  expect(await Promise.all(requests)).toEqual([
    'Error: The thread of the test ended.',
    'Error: The threads of the test are closed.',
  ]);
  expect(started.length).toBe(1);
});

test('a thread pool fails only the request of a thread that ends', async () => {
  const { threads, started } = open();
  await expect(threads.request('die', signal)).rejects.toThrow('no');
  expect(await threads.request('a', signal)).toMatchObject({ count: 1 });
  expect(started.length).toBe(2);
});

test('a thread pool replaces an idle thread that ends', async () => {
  const { threads, started } = open();
  await threads.request('a', signal);
  await started[0]!.terminate();
  expect(await threads.request('b', signal)).toMatchObject({ count: 1 });
});

test('a thread pool terminates the thread of an aborted request', async () => {
  const { threads, started } = open();
  const stop = new AbortController();
  const pending = threads.request('hang', stop.signal);
  const ended = new Promise((resolve) => started[0]!.once('exit', resolve));
  stop.abort(new Error('cancelled'));
  await expect(pending).rejects.toThrow('cancelled');
  await ended;
  await expect(threads.request('a', stop.signal)).rejects.toThrow('cancelled');
  expect(await threads.request('a', signal)).toMatchObject({ count: 1 });
});

test('a thread pool waits before it terminates a thread', async () => {
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const started: Worker[] = [];
  const start = () => {
    started.push(new Worker(PROGRAM, { eval: true }));
    return started.at(-1)!;
  };
  const threads = openThreadPool(start, 'the test', { beforeTermination: () => finished });
  onTestFinished(() => threads.close());
  const stop = new AbortController();
  const pending = threads.request('hang', stop.signal);
  let hasExited = false;
  started[0]!.once('exit', () => {
    hasExited = true;
  });
  stop.abort(new Error('cancelled'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(hasExited).toBe(false);
  finish();
  await expect(pending).rejects.toThrow('cancelled');
});
