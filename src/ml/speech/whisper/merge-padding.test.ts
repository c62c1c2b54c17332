import { expect, test } from 'vitest';
import { mergedFrames } from './merge-padding.ts';

test('mergedFrames keeps the frames of the sound and every fourth of the padding', () => {
  const { kept, counts } = mergedFrames(2);
  expect(kept.slice(0, 110)).toEqual(Array.from({ length: 110 }, (_, frame) => frame));
  expect(kept.slice(110, 113)).toEqual([112, 116, 120]);
  expect(counts[109]).toBe(1);
  expect(counts[110]).toBe(4);
});

test('mergedFrames counts each of the 1500 frames once, whatever the length', () => {
  for (const seconds of [0, 0.01, 1.23, 22.6, 29.79, 29.85, 30, 31]) {
    const { kept, counts } = mergedFrames(seconds);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1500);
    expect(kept).toHaveLength(counts.length);
    expect(kept.every((frame, i) => frame < 1500 && (i === 0 || frame > kept[i - 1]!))).toBe(true);
  }
  expect(mergedFrames(30).kept).toHaveLength(1500);
});
