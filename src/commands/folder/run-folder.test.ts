import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../client/clock.ts';
import { TaskFailed, type TaskHandle } from '../../client/index.ts';
import { createLimitWaits } from '../rate-limit-notice.ts';
import { Manifest } from './manifest.ts';
import { formatFolderProgress, runFolder } from './run-folder.ts';

it.each([
  [{ done: 0, failed: 0, skipped: 0, total: 300 }, 0, '[..............................] 0 of 300'],
  [
    { done: 100, failed: 0, skipped: 0, total: 300 },
    50,
    '[##########....................] 100 of 300, about 100 s left',
  ],
  [
    { done: 300, failed: 2, skipped: 0, total: 300 },
    150,
    '[##############################] 300 of 300, 2 failed, about 0 s left',
  ],
])('formats %j', (counts, seconds, text) => {
  expect(formatFolderProgress(counts, seconds)).toBe(text);
});

it('estimates the remaining time without the waits for a limit, of which several at a time count once', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const waits = createLimitWaits();
  now = 10_000;
  waits.add(60);
  now = 15_000;
  waits.add(60);
  expect(waits.seconds()).toBe(5);
  now = 100_000;
  expect(waits.seconds()).toBe(65);
  const counts = { done: 100, failed: 0, skipped: 0, total: 300 };
  expect(formatFolderProgress(counts, 100 - waits.seconds(), waits.seconds())).toBe(
    '[##########....................] 100 of 300, about 70 s left and waits for the limit',
  );
});

it('shows the remaining time without the waits for a limit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
  const manifest = await Manifest.open<string>(join(folder, 'progress'));
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    process.stderr.isTTY = isTTY;
    await manifest.close();
    await rm(folder, { recursive: true });
  });
  const limitWaits = createLimitWaits();
  const items = ['a', 'b', 'c'].map((name) => ({ name, title: name, outputName: '', paths: [], version: '' }));
  const work = {
    create: async () => ({ task_id: 'task' }),
    async finish(_task: object, { name }: { name: string }) {
      now += 10_000;
      if (name === 'b') {
        limitWaits.add(60);
        now += 60_000;
      }
      return 'result';
    },
  };
  await runFolder(items, work, { manifest, concurrency: 1, limitWaits, signal: new AbortController().signal });
  expect(print.mock.calls.map(([line]) => String(line).replace(/^\S+ /, ''))).toEqual([
    '1 of 3, about 20 s left',
    '2 of 3, about 10 s left and waits for the limit',
  ]);
});

it('prints a line per tenth of the items without a terminal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
  const manifest = await Manifest.open<string>(join(folder, 'progress'));
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await manifest.close();
    await rm(folder, { recursive: true });
  });
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  onTestFinished(() => {
    process.stderr.isTTY = isTTY;
  });
  const items = Array.from({ length: 25 }, (_, i) => ({
    name: `${i}.jpg`,
    title: '',
    outputName: '',
    paths: [],
    version: '',
  }));
  const work = { create: async () => ({ task_id: 'task' }), finish: async () => 'result' };
  await runFolder(items, work, { manifest, concurrency: 2, signal: new AbortController().signal });
  const lines = print.mock.calls.map(([line]) => /\d+ of 25/.exec(line)?.[0]);
  expect(lines).toEqual([3, 5, 8, 10, 13, 15, 18, 20, 23].map((done) => `${done} of 25`));
});

it('creates eight tasks at a time and waits for all of them, without a warning about listeners', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const manifest = await Manifest.open<string>(join(folder, 'progress'));
  onTestFinished(async () => {
    process.off('warning', warn);
    await manifest.close();
    await rm(folder, { recursive: true });
  });
  const items = Array.from({ length: 32 }, (_, i) => ({
    name: `${i}.jpg`,
    title: `${i}.jpg`,
    outputName: '',
    paths: [],
    version: '',
  }));
  let creating = 0;
  let mostCreating = 0;
  const work = {
    create: async () => {
      mostCreating = Math.max(mostCreating, ++creating);
      await systemClock.sleep(5);
      creating--;
      return { task_id: 'task' };
    },
    finish: async (_task: object, _item: unknown, signal: AbortSignal) => {
      await systemClock.sleep(50, signal);
      return 'result';
    },
  };
  const options = { manifest, concurrency: 32, signal: new AbortController().signal };
  expect(await runFolder(items, work, options)).toHaveLength(32);
  expect(warnings).toEqual([]);
  expect(mostCreating).toBe(8);
});

it('names after an interruption the number of finished items and how to continue', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
  const manifest = await Manifest.open<string>(join(folder, 'progress'));
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(async () => {
    print.mockRestore();
    await manifest.close();
    await rm(folder, { recursive: true });
  });
  const interrupt = new AbortController();
  const items = ['a', 'b', 'c'].map((name) => ({ name, title: name, outputName: '', paths: [], version: '' }));
  const work = {
    create: async () => ({ task_id: 'task' }),
    finish: async (_task: object, { name }: { name: string }) => {
      if (name === 'b') throw new TaskFailed({ ...NOT_FOUND, taskId: 'task', state: {} });
      if (name === 'c') interrupt.abort();
      interrupt.signal.throwIfAborted();
      return 'result';
    },
  };
  const interrupted = runFolder(items, work, { manifest, concurrency: 1, signal: interrupt.signal });
  await expect(interrupted).rejects.toThrow('2 of 3 finished, 1 failed. Run the same command again to continue.');
});

describe('runFolder after an interrupted run', () => {
  let folder: string;
  let requests: object[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
    requests = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  const items = [{ name: 'a.jpg', title: 'a.jpg', outputName: '', paths: [], version: '' }];
  const run = async (
    answers: () => string,
    finish = async ({ task_id }: TaskHandle) => `result of ${task_id}`,
    files = {},
  ) => {
    const manifest = await Manifest.open<string>(join(folder, 'progress'));
    const work = {
      upload: async () => `https://files/${requests.length}`,
      create: async (_item: unknown, request: object) => {
        requests.push(request);
        return { task_id: answers(), estimated_wait_seconds: 300, accepted_at_ms: 1000 };
      },
      finish,
    };
    const options = { manifest, concurrency: 1, signal: new AbortController().signal };
    return runFolder(items, { ...work, ...files }, options).finally(() => manifest.close());
  };
  const interrupt = async () => {
    const interrupted = run(() => {
      throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
  };

  it('repeats the request, whose task may exist', async () => {
    await interrupt();
    expect(await run(() => 'task')).toMatchObject([{ task: 'task', result: 'result of task' }]);
    expect(requests).toEqual([{ key: expect.any(String), url: 'https://files/0' }, requests[0]]);
  });

  it('estimates the remaining time without the items of earlier runs', async () => {
    const { isTTY } = process.stderr;
    process.stderr.isTTY = false;
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    items.push(...['b', 'c', 'd'].map((name) => ({ ...items[0]!, name })));
    onTestFinished(() => {
      items.splice(1);
      vi.restoreAllMocks();
      process.stderr.isTTY = isTTY;
    });
    let finished = 0;
    const finishTwo = async () => {
      now += 10_000;
      if (finished++ === 2) throw new Error('interrupted');
      return 'result';
    };
    await expect(run(() => 'task', finishTwo)).rejects.toThrow('interrupted');
    print.mockClear();
    await run(() => 'task', finishTwo);
    expect(print.mock.calls.map(([line]) => String(line).replace(/^\S+ /, ''))).toEqual([
      '1 of 4',
      '2 of 4',
      '3 of 4, about 10 s left',
    ]);
  });

  it('waits with the estimate and the time of acceptance, also for a known task', async () => {
    const waited: TaskHandle[] = [];
    const interruptWait = async (task: TaskHandle) => {
      waited.push(task);
      if (waited.length < 3) throw new Error('interrupted');
      return 'result';
    };
    for (let i = 0; i < 2; i++) await expect(run(() => 'task', interruptWait)).rejects.toThrow('interrupted');
    expect(await run(() => 'task', interruptWait)).toMatchObject([{ task: 'task', result: 'result' }]);
    const handle = { task_id: 'task', estimated_wait_seconds: 300, accepted_at_ms: 1000 };
    expect(waited).toEqual([handle, handle, handle]);
    expect(requests).toHaveLength(1);
  });

  it('waits for a task of a manifest without estimates', async () => {
    await writeFile(join(folder, 'progress'), `${JSON.stringify({ name: 'a.jpg', version: '', task: 'task' })}\n`);
    const waited: TaskHandle[] = [];
    const finish = async (task: TaskHandle) => {
      waited.push(task);
      return 'result';
    };
    expect(await run(() => 'another', finish)).toMatchObject([{ task: 'task', result: 'result' }]);
    expect(waited).toEqual([{ task_id: 'task' }]);
  });

  it('does not overwrite a file that it did not write', async () => {
    const file = join(folder, 'a.txt');
    const files = { fileOf: () => file };
    const write = async () => {
      await writeFile(file, 'written');
      return 'written';
    };
    const fail = async () => {
      throw new TaskFailed({ ...NOT_FOUND, taskId: 'task', state: {} });
    };
    const refusal = [{ task: undefined, failure: { code: 'OUTPUT_EXISTS' } }];
    await writeFile(file, 'of the user');
    expect(await run(() => 'task', write, files)).toMatchObject(refusal);
    expect(await run(() => 'task', write, files)).toMatchObject(refusal);
    expect(requests).toEqual([]);
    await rm(file);
    expect(await run(() => 'task', fail, files)).toMatchObject([{ failure: { code: NOT_FOUND.code } }]);
    await writeFile(file, 'of the user');
    expect(await run(() => 'task', write, files)).toMatchObject(refusal);
    await rm(file);
    const written = [{ result: 'written', failure: undefined }];
    expect(await run(() => 'task', write, files)).toMatchObject(written);
    expect(await run(() => 'task', fail, files)).toMatchObject(written);
    items[0]!.version = 'changed';
    onTestFinished(() => {
      items[0]!.version = '';
    });
    expect(await run(() => 'task', write, files)).toMatchObject(written);
    expect(requests).toHaveLength(3);
  });

  it('uploads again if the upload has expired', async () => {
    await interrupt();
    const finish = async ({ task_id: task }: TaskHandle) => {
      if (task === 'task 2') throw new TaskFailed({ ...NOT_FOUND, taskId: task, state: {} });
      return `result of ${task}`;
    };
    const outcomes = await run(() => `task ${requests.length}`, finish);
    expect(outcomes).toMatchObject([{ task: 'task 3', result: 'result of task 3', failure: undefined }]);
    expect(requests).toEqual([
      { key: expect.any(String), url: 'https://files/0' },
      requests[0],
      { key: expect.any(String), url: 'https://files/2' },
    ]);
    expect(requests[2]).not.toMatchObject({ key: (requests[0] as { key: string }).key });
  });
});

const NOT_FOUND = { code: 'IMAGE_NOT_FOUND', message: 'No image was found at this URL.' };
