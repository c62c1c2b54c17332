import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { colourHead } from '../../test/support/ml/model.ts';
import { colourNetwork } from '../../test/support/ml/onnx.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { shareHead } from './shared-heads.ts';

let folder: string;
let path: string;
/** Of two threads; tests that end a thread or the session open their own. */
let session: Session;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-session-'));
  path = join(folder, 'colours.onnx');
  await writeFile(path, colourNetwork());
  session = await openSession({ path, poolSize: 2 });
});
afterAll(async () => {
  await session.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (options: Partial<SessionOptions> = {}) => {
  const session = await openSession({ path, poolSize: 1, ...options });
  onTestFinished(() => session.close());
  return session;
};

const image = (...colour: number[]) => {
  const data = new Uint8Array(32 * 32 * 3).map((_, i) => colour[i % 3]!);
  return { image: { type: 'uint8' as const, dims: [1, 32, 32, 3], data } };
};

describe('openSession', () => {
  test('describes its inputs and runs the network', async () => {
    expect(session.provider).toBe('cpu');
    expect(session.inputs).toEqual([{ name: 'image', type: 'uint8', dims: ['N', 32, 32, 3] }]);
    const { features, map } = await session.run(image(255, 51, 0));
    expect(features!.dims).toEqual([1, 3]);
    expect([...features!.data]).toEqual([1, expect.closeTo(0.2, 5), 0]);
    expect(map!.dims).toEqual([1, 3, 4, 4]);
  });

  test('returns the outputs of the heads when a readout is given', async () => {
    const readout = { heads: { colours: shareHead(colourHead({ red: [1, 0, 0], blue: [0, 0, 1] }, 5), 3) } };
    const seen = await session.run(image(255, 0, 51), undefined, readout);
    expect(Object.keys(seen)).toEqual(['colours', 'colours.maps']);
    expect([...seen['colours']!.data]).toEqual([expect.closeTo(5, 5), expect.closeTo(1, 5)]);
    expect(seen['colours.maps']).toMatchObject({ dims: [2, 4, 4], data: new Uint8Array(32).fill(255) });
  });

  test('returns the right outputs for concurrent runs and transfers the feeds', async () => {
    const feeds = Array.from({ length: 40 }, (_, i) => image(i, 0, 0));
    const answers = await Promise.all(feeds.map((feed) => session.run(feed)));
    expect(answers.map(({ features }) => Math.round(Number(features!.data[0]) * 255))).toEqual([...feeds.keys()]);
    expect(feeds.every(({ image }) => image.data.length === 0)).toBe(true);
  });

  test('copies feeds that share a buffer', async () => {
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

  test('does not block the event loop', async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 200)
      await Promise.all([session.run(image(1, 2, 3)), session.run(image(1, 2, 3))]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  test('fails only the run with invalid feeds', async () => {
    const session = await open();
    const wrong = { image: { type: 'uint8' as const, dims: [1, 8, 8, 3], data: new Uint8Array(192) } };
    await expect(session.run(wrong)).rejects.toThrow(/image/);
    await expect(session.run({})).rejects.toThrow(/image/);
    await expect(session.run(image(0, 0, 0))).resolves.toHaveProperty('features');
  });

  test('fails the run of a thread that ends and starts a new thread for the next run', async () => {
    const session = await open();
    const postMessage = vi.spyOn(Worker.prototype, 'postMessage');
    onTestFinished(() => postMessage.mockRestore());
    for (let death = 0; death < 3; death++) {
      postMessage.mockImplementationOnce(function (this: Worker) {
        void this.terminate();
      });
      const dying = session.run(image(0, 0, 0)).catch((error: Error) => error.message);
      const after = session.run(image(255, 0, 0));
      expect(await dying).toBe('The thread of the network ended.');
      expect((await after)['features']!.data[0]).toBe(1);
    }
    expect(new Set(postMessage.mock.contexts).size).toBe(4);
  });

  test('rejects a queued run when its signal aborts', async () => {
    const session = await open();
    const stop = new AbortController();
    const first = session.run(image(255, 0, 0));
    const second = session.run(image(0, 0, 0), stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    await expect(session.run(image(0, 0, 0), stop.signal)).rejects.toThrow('cancelled');
    await expect(first).resolves.toHaveProperty('features');
  });

  test('rejects pending and later runs when it is closed', async () => {
    const session = await open();
    const runs = [1, 2, 3].map(() => session.run(image(0, 0, 0)).catch((error: Error) => error.message));
    await session.close();
    expect(await Promise.all(runs)).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    await expect(session.run(image(0, 0, 0))).rejects.toThrow('closed');
  });

  test('rejects a file that is not a network', async () => {
    const junk = join(folder, 'junk.onnx');
    await writeFile(junk, 'not a network');
    await expect(openSession({ path: junk, poolSize: 2 })).rejects.toThrow('could not be opened');
  });

  test('falls back to the CPU without the preferred accelerator', async () => {
    const session = await open({ providers: ['cuda', 'cpu'] });
    expect(['cuda', 'cpu']).toContain(session.provider);
    await expect(session.run(image(0, 0, 0))).resolves.toHaveProperty('features');
  });
});
