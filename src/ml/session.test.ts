import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { shareHead } from './readout.ts';
import { openSession, type SessionOptions } from './session.ts';
import { colourHead } from './testing/model.ts';
import { colourNetwork } from './testing/onnx.ts';

// The real threads, within reach of a test that kills them.
const { threads } = vi.hoisted(() => ({ threads: [] as Worker[] }));
vi.mock('../base/programs.ts', async (original) => {
  const real = await original<typeof import('../base/programs.ts')>();
  return {
    startThread(...start: Parameters<typeof real.startThread>) {
      threads.push(real.startThread(...start));
      return threads.at(-1)!;
    },
  };
});
beforeEach(() => {
  threads.length = 0;
});

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-session-'));
  path = join(folder, 'colours.onnx');
  await writeFile(path, colourNetwork());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = async (options: Partial<SessionOptions> = {}) => {
  const session = await openSession({ path, poolSize: 2, ...options });
  onTestFinished(() => session.close());
  return session;
};

/** A picture of one colour. */
const image = (...colour: number[]) => {
  const data = new Uint8Array(32 * 32 * 3).map((_, i) => colour[i % 3]!);
  return { image: { type: 'uint8' as const, dims: [1, 32, 32, 3], data } };
};

describe('a network in a pool of threads', () => {
  test('says what it takes, and answers', async () => {
    const session = await open();
    expect(session.provider).toBe('cpu');
    expect(session.inputs).toEqual([{ name: 'image', type: 'uint8', dims: ['N', 32, 32, 3] }]);
    const { features, map } = await session.run(image(255, 51, 0));
    expect(features!.dims).toEqual([1, 3]);
    expect([...features!.data]).toEqual([1, expect.closeTo(0.2, 5), 0]);
    expect(map!.dims).toEqual([1, 3, 4, 4]);
  });

  test('answers what heads say of it, when they are given, instead of its own outputs', async () => {
    const session = await open();
    const readout = { colours: shareHead(colourHead({ red: [1, 0, 0], blue: [0, 0, 1] }, 5), 3) };
    const seen = await session.run(image(255, 0, 51), undefined, readout);
    expect(Object.keys(seen)).toEqual(['colours', 'colours.maps']);
    expect([...seen['colours']!.data]).toEqual([expect.closeTo(5, 5), expect.closeTo(1, 5)]);
    expect(seen['colours.maps']).toMatchObject({ dims: [2, 4, 4], data: new Uint8Array(32).fill(255) });
  });

  test('gives each of many runs its own answer, and takes the memory instead of copying it', async () => {
    const session = await open();
    const feeds = Array.from({ length: 40 }, (_, i) => image(i, 0, 0));
    const answers = await Promise.all(feeds.map((feed) => session.run(feed)));
    expect(answers.map(({ features }) => Math.round(Number(features!.data[0]) * 255))).toEqual([...feeds.keys()]);
    expect(feeds.every(({ image }) => image.data.length === 0)).toBe(true);
  });

  test('copies only what lies in shared memory: the Buffers of Node survive', async () => {
    const session = await open();
    const pooled = Buffer.from(image(255, 0, 0).image.data).subarray(0, 32 * 32 * 3);
    const slice = Buffer.allocUnsafe(4000)
      .fill(255)
      .subarray(0, 32 * 32 * 3);
    for (const data of [pooled, slice]) {
      const { features } = await session.run({ image: { type: 'uint8', dims: [1, 32, 32, 3], data } });
      expect(features!.data[0]).toBe(1);
    }
    expect(slice.length).toBe(32 * 32 * 3);
  });

  test('does not stop the heart: timers run while it computes', async () => {
    const session = await open();
    let beats = 0;
    const heart = setInterval(() => beats++, 5);
    const begun = performance.now();
    while (performance.now() - begun < 200)
      await Promise.all([session.run(image(1, 2, 3)), session.run(image(1, 2, 3))]);
    clearInterval(heart);
    expect(beats).toBeGreaterThan(10);
  });

  test('a run that the network refuses fails alone', async () => {
    const session = await open({ poolSize: 1 });
    const wrong = { image: { type: 'uint8' as const, dims: [1, 8, 8, 3], data: new Uint8Array(192) } };
    await expect(session.run(wrong)).rejects.toThrow(/image/);
    await expect(session.run({})).rejects.toThrow(/image/);
    await expect(session.run(image(0, 0, 0))).resolves.toHaveProperty('features');
  });

  test('a thread that dies fails its run, and the next run gets a new thread', async () => {
    const session = await open({ poolSize: 1 });
    for (let death = 0; death < 3; death++) {
      expect(threads).toHaveLength(death + 1);
      const thread = threads.at(-1)!;
      // With the question on its way to it, so that it cannot have answered before.
      vi.spyOn(thread, 'postMessage').mockImplementation(() => void thread.terminate());
      const dying = session.run(image(0, 0, 0)).catch((error: Error) => error.message);
      const after = session.run(image(255, 0, 0));
      expect(await dying).toBe('The thread of the network ended.');
      expect((await after)['features']!.data[0]).toBe(1);
    }
    expect(threads).toHaveLength(4);
  });

  test('a run that waits leaves when it is told to', async () => {
    const session = await open({ poolSize: 1 });
    const stop = new AbortController();
    const first = session.run(image(255, 0, 0));
    const second = session.run(image(0, 0, 0), stop.signal);
    stop.abort(new Error('no longer wanted'));
    await expect(second).rejects.toThrow('no longer wanted');
    await expect(session.run(image(0, 0, 0), stop.signal)).rejects.toThrow('no longer wanted');
    await expect(first).resolves.toHaveProperty('features');
  });

  test('closing rejects what waits and what comes later', async () => {
    const session = await open({ poolSize: 1 });
    const runs = [1, 2, 3].map(() => session.run(image(0, 0, 0)).catch((error: Error) => error.message));
    await session.close();
    expect(await Promise.all(runs)).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    await expect(session.run(image(0, 0, 0))).rejects.toThrow('closed');
  });

  test('what is no network does not open, and says so', async () => {
    const junk = join(folder, 'junk.onnx');
    await writeFile(junk, 'not a network');
    await expect(openSession({ path: junk, poolSize: 2 })).rejects.toThrow('could not be opened');
  });

  test('without the accelerator that is preferred it computes on the CPU', async () => {
    const session = await open({ poolSize: 1, providers: ['cuda', 'cpu'] });
    expect(['cuda', 'cpu']).toContain(session.provider);
    await expect(session.run(image(0, 0, 0))).resolves.toHaveProperty('features');
  });
});
