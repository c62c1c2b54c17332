import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import sharp from 'sharp';
import { describe, expect, test, vi } from 'vitest';
import { stack, type Tensor, type Tensors, unstack } from '../../../ml/tensor.ts';
import type { Recorded } from '../result.ts';
import { createInspector, sizeForTiles } from './inspector.ts';
import type { Classified, ModelVersion } from './model-version.ts';

const SOUND = { surface: 'wall', masters: [], defects: [], model_version: '1' };

describe('sizeForTiles', () => {
  const phone = { width: 4000, height: 3000 };
  const cracked: Recorded = { ...SOUND, defects: [{ name: 'crack', conf: 0.9 }] };

  test('auto: photos of 4 megapixels and more without a defect in overview, or unlike the training photos', () => {
    expect(sizeForTiles('auto', phone, SOUND)).toEqual(phone);
    expect(sizeForTiles('auto', phone, cracked)).toBeUndefined();
    expect(sizeForTiles('auto', phone, { ...cracked, warnings: ['UNFAMILIAR_IMAGE'] })).toEqual(phone);
    expect(sizeForTiles('auto', { width: 1999, height: 2000 }, SOUND)).toBeUndefined();
  });

  test('auto reduces photos of more than 16 megapixels; whole does not', () => {
    const large = { width: 8000, height: 6000 };
    expect(sizeForTiles('auto', large, SOUND)).toEqual({ width: 4619, height: 3464 });
    expect(sizeForTiles('whole', large, cracked)).toEqual(large);
  });

  test('overview: none', () => {
    expect(sizeForTiles('overview', phone, SOUND)).toBeUndefined();
  });
});

describe('createInspector', () => {
  const overview: Classified = { recorded: SOUND, attachment: { width: 1, height: 1, maps: {} } };
  /** Five tiles; the first one has a black line, by default in its middle. */
  const createPhoto = async (left = 16) => ({
    bytes: await sharp({ create: { width: 128, height: 32, channels: 3, background: 'white' } })
      .composite([{ input: { create: { width: 2, height: 32, channels: 3, background: 'black' } }, left, top: 0 }])
      .png()
      .toBuffer(),
    ...{ size: { width: 128, height: 32 }, overview, inspect: 'auto' as const },
  });
  const crack = [expect.objectContaining({ defect: 'crack' })];

  /** Black pixels are a crack. */
  function createVersion(ready: Promise<void> = Promise.resolve()): ModelVersion {
    const maps: Tensor = { type: 'uint8', dims: [1, 2, 1, 1], data: Uint8Array.of(255, 0) };
    const outputsOf = (image: Tensors): Tensors => {
      const values = (image['image']!.data as Uint8Array).includes(0) ? [3, -3] : [-3, 3];
      const logits: Tensor = { type: 'float64', dims: [1, 2], data: Float64Array.from(values) };
      return { masters: logits, 'masters.maps': maps, defects: logits, 'defects.maps': maps };
    };
    const headOf = (name: string) => ({ labels: [name, 'sound'], temperature: 1 });
    return {
      input: { width: 32, height: 32 },
      network: {
        run: (inputs: Tensors) => ready.then(() => stack(unstack(inputs, inputs['image']!.dims[0]!).map(outputsOf))),
      },
      tiles: { heads: { masters: headOf('cracking'), defects: headOf('crack') }, sound: 'sound' },
    } as unknown as ModelVersion;
  }

  test('returns the overview of a photo smaller than a tile, and of a version without tiles', async () => {
    const { inspect } = createInspector();
    const { signal } = new AbortController();
    const photo = await createPhoto();
    const small = { ...photo, size: { width: 40, height: 31 } };
    expect(await inspect(createVersion(), small, { signal })).toBe(overview);
    const { tiles, ...withoutTiles } = createVersion();
    expect(await inspect(withoutTiles, photo, { signal })).toBe(overview);
  });

  test('a tile that shows a defect, but not when seen closer, has no region', async () => {
    const { inspect } = createInspector();
    const { signal } = new AbortController();
    const regionsOf = async (left: number) =>
      (await inspect(createVersion(), await createPhoto(left), { signal })).recorded.regions;
    expect(await regionsOf(16)).toEqual(crack);
    expect(await regionsOf(0)).toEqual([]);
  });

  test('analyses one photo at a time; the others wait', async () => {
    const inspector = createInspector();
    const photo = await createPhoto();
    const { signal } = new AbortController();
    const calls = [vi.fn(), vi.fn(), vi.fn()];
    const inspections = calls.map((setWaiting) => inspector.inspect(createVersion(), photo, { signal, setWaiting }));
    expect(calls.map(({ mock }) => mock.calls)).toEqual([[], [[true]], [[true]]]);
    for (const { recorded } of await Promise.all(inspections)) expect(recorded.regions).toEqual(crack);
    expect(calls.map(({ mock }) => mock.calls)).toEqual([[[false]], [[true], [false]], [[true], [false]]]);
  });

  test('an aborted attempt stops waiting at once and releases its photo, and the next photo is analysed', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const inspector = createInspector();
    const photo = await createPhoto();
    let resolve = () => {};
    const version = createVersion(
      new Promise((done) => {
        resolve = done;
      }),
    );
    const { signal } = new AbortController();
    const stop = new AbortController();
    const first = inspector.inspect(version, photo, { signal });
    const inspectOther = () => {
      const other = { ...photo };
      return { second: inspector.inspect(version, other, stop), reference: new WeakRef(other) };
    };
    const { second, reference } = inspectOther();
    const third = inspector.inspect(version, photo, { signal });
    stop.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await delay(10);
    gc();
    expect(reference.deref()).toBeUndefined();
    resolve();
    expect((await first).recorded.regions).toEqual(crack);
    expect((await third).recorded.regions).toEqual(crack);
  });
});
