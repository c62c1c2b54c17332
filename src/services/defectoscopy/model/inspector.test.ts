import sharp from 'sharp';
import { describe, expect, test, vi } from 'vitest';
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
  const version = { input: { width: 32, height: 32 } } as ModelVersion;
  const overview: Classified = { recorded: SOUND, attachment: { width: 1, height: 1, maps: {} } };
  const bytes = sharp({ create: { width: 20, height: 20, channels: 3, background: 'white' } })
    .png()
    .toBuffer();

  test('analyses one photo at a time; the others wait', async () => {
    const inspector = createInspector();
    const photo = { bytes: await bytes, size: { width: 20, height: 20 }, overview, inspect: 'auto' as const };
    const { signal } = new AbortController();
    const calls = [vi.fn(), vi.fn(), vi.fn()];
    const inspections = calls.map((setWaiting) => inspector.inspect(version, photo, { signal, setWaiting }));
    expect(calls.map(({ mock }) => mock.calls)).toEqual([[], [[true]], [[true]]]);
    for (const { recorded } of await Promise.all(inspections)) expect(recorded.regions).toEqual([]);
    expect(calls.map(({ mock }) => mock.calls)).toEqual([[[false]], [[true], [false]], [[true], [false]]]);
  });

  test('an aborted attempt stops waiting at once, and the next photo is analysed', async () => {
    const inspector = createInspector();
    const photo = { bytes: await bytes, size: { width: 20, height: 20 }, overview, inspect: 'auto' as const };
    const { signal } = new AbortController();
    const stop = new AbortController();
    const first = inspector.inspect(version, photo, { signal });
    const second = inspector.inspect(version, photo, stop);
    const third = inspector.inspect(version, photo, { signal });
    stop.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect((await first).recorded.regions).toEqual([]);
    expect((await third).recorded.regions).toEqual([]);
  });
});
