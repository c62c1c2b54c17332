import { expect, test } from 'vitest';
import { tokenOnsets } from './alignment.ts';

const attentionTo = (from: number, to: number, frames: number) =>
  Float32Array.from({ length: frames }, (_, frame) => (frame >= from && frame < to ? 0.1 : 0.001));

test('tokenOnsets returns the first frame of the attention of each token', () => {
  const tokens = [attentionTo(0, 20, 100), attentionTo(20, 60, 100), attentionTo(60, 100, 100)].map((row) => [row]);
  expect([...tokenOnsets(tokens, 100)]).toEqual([0, 20, 60]);
});

test('tokenOnsets averages the heads, so one wrong head has no effect', () => {
  const right = [attentionTo(0, 30, 90), attentionTo(30, 60, 90), attentionTo(60, 90, 90)];
  const wrong = [attentionTo(60, 90, 90), attentionTo(0, 30, 90), attentionTo(30, 60, 90)];
  const tokens = right.map((row, i) => [row, row, wrong[i]!]);
  const [first, second, third] = tokenOnsets(tokens, 90);
  expect(first).toBe(0);
  expect(Math.abs(second! - 30)).toBeLessThanOrEqual(1);
  expect(Math.abs(third! - 60)).toBeLessThanOrEqual(1);
});

test('tokenOnsets returns non-decreasing frames for random attentions', () => {
  let seed = 3;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const tokens = Array.from({ length: 12 }, () => [Float32Array.from({ length: 50 }, random)]);
  const times = [...tokenOnsets(tokens, 50)];
  expect(times[0]).toBe(0);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.max(...times)).toBeLessThan(50);
});

test('tokenOnsets ignores frames after the end of the audio', () => {
  const tokens = [attentionTo(0, 10, 1500), attentionTo(10, 20, 1500), attentionTo(900, 1000, 1500)].map((row) => [
    row,
  ]);
  expect(Math.max(...tokenOnsets(tokens, 30))).toBeLessThan(30);
});

test('tokenOnsets starts a single token at frame 0', () => {
  expect([...tokenOnsets([[attentionTo(5, 9, 20)]], 20)]).toEqual([0]);
});
