import { expect, test } from 'vitest';
import { phoneHeic } from '../../test/support/ml/heic.ts';
import { decodeHeic } from './heic.ts';

const limits = { maxPixels: 50e6, limitMs: 20_000 };

test('decodeHeic stops at the time limit and decodes the next photo', async () => {
  expect(await decodeHeic(phoneHeic(), { ...limits, limitMs: 1 })).toEqual({ problem: 'too_slow' });
  expect(await decodeHeic(phoneHeic(), limits)).toMatchObject({ width: 96, height: 128 });
});

test('decodeHeic decodes one photo at a time and starts each time limit with the decoding', async () => {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  const ends = await Promise.all([1, 2, 3].map(() => decodeHeic(phoneHeic(), limits).then(took)));
  expect(ends).toEqual([...ends].sort((a, b) => a - b));
  expect(ends[2]! - ends[0]!).toBeGreaterThan(ends[0]! / 2);
});

test('decodeHeic returns opaque RGBA pixels for a file without transparency', async () => {
  const heic = await decodeHeic(phoneHeic(), limits);
  if ('problem' in heic) throw new Error(heic.problem);
  expect(heic.rgba).toHaveLength(96 * 128 * 4);
  expect(heic.rgba.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255)).toBe(true);
});
