import { describe, expect, test } from 'vitest';
import { secondsToFrames } from './audio-constants.ts';
import { type Cut, findNextCut } from './segmentation.ts';

const MAX = secondsToFrames(30);

function alternate(...seconds: number[]): number[] {
  return seconds.flatMap((length, i) =>
    Array.from({ length: secondsToFrames(length) }, () => (i % 2 === 0 ? 0.9 : 0.02)),
  );
}
const cut = (
  probabilities: number[],
  { ended = false, powers = probabilities, max = MAX, pause = 4 } = {},
): Cut | undefined => findNextCut({ probabilities, powers, ended }, max, pause);
const seconds = (frames: number) => Math.round(frames * 0.032 * 10) / 10;
const inSeconds = (made: Cut | undefined) =>
  made?.kind === 'speech' ? [seconds(made.from), seconds(made.to)] : made && seconds(made.to);

describe('findNextCut', () => {
  test('adds a margin before and after speech that ends with a long pause', () => {
    expect(inSeconds(cut(alternate(0, 1, 5, 5, 5)))).toEqual([0.7, 6.3]);
  });

  test('spans pauses up to the longest one of a window', () => {
    expect(cut(alternate(5, 3, 5, 3.5, 5))).toBeUndefined();
    expect(inSeconds(cut(alternate(5, 3, 5), { pause: 2 }))).toEqual([0, 5.3]);
    expect(cut(alternate(5, 1, 5, 1.5, 5))).toBeUndefined();
    expect(inSeconds(cut(alternate(5, 1, 5, 1.5, 5), { ended: true }))).toEqual([0, 17.4]);
  });

  test('cuts a full window at the longest pause, or at the later of equal pauses', () => {
    expect(inSeconds(cut(alternate(20, 0.6, 8, 0.6, 20)))).toEqual([0, 28.9]);
    expect(inSeconds(cut(alternate(24, 0.6, 4, 0.16, 20)))).toEqual([0, 24.3]);
  });

  test('does not cut a full window at an early pause', () => {
    const [, to] = inSeconds(cut(alternate(5, 1.5, 40))) as [number, number];
    expect(to).toBeGreaterThan(18);
  });

  test('cuts unbroken speech at its quietest place', () => {
    const speech = alternate(40);
    const powers = speech.map((_, i) => (i > 800 && i < 806 ? 0.001 : 1));
    expect(cut(speech, { powers })).toEqual({ kind: 'speech', from: 0, to: 803 });
  });

  test('never exceeds the maximum length and never overlaps the next window', () => {
    let random = 7;
    const next = () => {
      random = (random * 16_807) % 2_147_483_647;
      return random / 2_147_483_647;
    };
    for (let round = 0; round < 50; round++) {
      const frames = alternate(...Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? next() * 12 : next() * 3)));
      const max = secondsToFrames(8 + next() * 20);
      for (let at = 0; at < frames.length; ) {
        const made = cut(frames.slice(at), { ended: true, max })!;
        if (made.kind === 'speech') {
          expect(made.from).toBeGreaterThanOrEqual(0);
          expect(made.to - made.from).toBeLessThanOrEqual(max);
        }
        expect(made.to).toBeGreaterThan(0);
        at += made.to;
      }
    }
  });
});

test('findNextCut ignores a short noise', () => {
  expect(cut([...alternate(0, 1, 0.1, 1)], { ended: true })).toEqual({
    kind: 'silence',
    to: secondsToFrames(1) * 2 + secondsToFrames(0.1),
  });
});

test('findNextCut keeps fading speech in the window', () => {
  const soft = [...alternate(1), ...Array.from({ length: 50 }, () => 0.4), ...alternate(0, 5)];
  expect(inSeconds(cut(soft))).toEqual([0, 2.9]);
});

test('findNextCut reports long silence, keeping a margin for the start of a word', () => {
  const made = cut(alternate(0, 100))!;
  expect(made.kind).toBe('silence');
  expect(seconds(made.to)).toBeLessThan(30);
  expect(seconds(made.to)).toBeGreaterThan(29);
});

test('findNextCut returns the same cut with any number of later frames', () => {
  const frames = alternate(0, 3, 9, 0.7, 14, 0.3, 11, 2.6, 20);
  const whole = cut(frames)!;
  const needed = frames.findIndex((_, length) => cut(frames.slice(0, length)) !== undefined);
  expect(needed).toBeGreaterThan(0);
  for (const length of [needed, needed + 1, needed + 100, frames.length])
    expect(cut(frames.slice(0, length))).toEqual(whole);
});
