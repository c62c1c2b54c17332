import { expect, test } from 'vitest';
import { onsets } from './alignment.ts';

/** Attention of a token to frames `from`…`to`, of `frames`, with a little everywhere. */
const looks = (from: number, to: number, frames: number) =>
  Float32Array.from({ length: frames }, (_, frame) => (frame >= from && frame < to ? 0.1 : 0.001));

test('a token begins where the path enters the frames that it looked at', () => {
  const tokens = [looks(0, 20, 100), looks(20, 60, 100), looks(60, 100, 100)].map((row) => [row]);
  expect([...onsets(tokens, 100)]).toEqual([0, 20, 60]);
});

test('heads are heard together: one that looks astray is outvoted', () => {
  const right = [looks(0, 30, 90), looks(30, 60, 90), looks(60, 90, 90)];
  const astray = [looks(60, 90, 90), looks(0, 30, 90), looks(30, 60, 90)];
  const tokens = right.map((row, i) => [row, row, astray[i]!]);
  const [first, second, third] = onsets(tokens, 90);
  expect(first).toBe(0);
  expect(Math.abs(second! - 30)).toBeLessThanOrEqual(1);
  expect(Math.abs(third! - 60)).toBeLessThanOrEqual(1);
});

test('time never goes back, whatever the attentions are', () => {
  let seed = 3;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const tokens = Array.from({ length: 12 }, () => [Float32Array.from({ length: 50 }, random)]);
  const times = [...onsets(tokens, 50)];
  expect(times[0]).toBe(0);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.max(...times)).toBeLessThan(50);
});

test('frames behind the end of the sound are not looked at', () => {
  const tokens = [looks(0, 10, 1500), looks(10, 20, 1500), looks(900, 1000, 1500)].map((row) => [row]);
  expect(Math.max(...onsets(tokens, 30))).toBeLessThan(30);
});

test('a lone token begins at once', () => {
  expect([...onsets([[looks(5, 9, 20)]], 20)]).toEqual([0]);
});
