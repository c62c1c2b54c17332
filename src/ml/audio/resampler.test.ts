import { expect, test } from 'vitest';
import { concatenate, noise, tones } from '../../../test/support/audio/recordings.ts';
import { createResampler } from './resampler.ts';

const resample = (samples: Float32Array, rate: number, pieceLength = samples.length) => {
  const resampler = createResampler(rate);
  const out: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += pieceLength)
    out.push(resampler.push(samples.subarray(at, at + pieceLength)));
  return concatenate(...out, resampler.end());
};
const tone = (hertz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: rate * seconds }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
/** Excludes the ends, where the signal is not settled. */
const inner = (samples: Float32Array) => samples.subarray(1000, samples.length - 1000);
const loudness = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
const decibels = (ratio: number) => 20 * Math.log10(ratio);

test.each([8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 47_999])(
  'the resampler keeps frequency and time at an input rate of %i Hz',
  (rate) => {
    const mine = inner(resample(tones(0.5, rate), rate));
    const right = inner(tones(0.5, 16_000));
    expect(Math.abs(mine.length - right.length)).toBeLessThanOrEqual(1);
    expect(Math.max(...right.map((value, i) => Math.abs(value - (mine[i] ?? value))))).toBeLessThan(2e-3);
  },
);

test.each([24_000, 44_100, 48_000, 96_000])('the resampler suppresses aliasing at an input rate of %i Hz', (rate) => {
  for (const hertz of [8200, 9000, 11_000].filter((each) => each < rate / 2)) {
    expect(decibels(loudness(inner(resample(tone(hertz, rate), rate))) / Math.SQRT1_2)).toBeLessThan(-60);
  }
  expect(decibels(loudness(inner(resample(tone(6800, rate), rate))) / Math.SQRT1_2)).toBeGreaterThan(-0.5);
});

test('the resampler returns the same output for any chunk size', () => {
  const sound = noise(10_000);
  const whole = resample(sound, 44_100);
  for (const length of [1, 7, 160, 4096]) expect(resample(sound, 44_100, length)).toEqual(whole);
});

test('the resampler keeps the duration to the sample', () => {
  for (const [samples, rate] of [
    [44_100, 44_100],
    [12_345, 48_000],
    [1, 8000],
    [0, 8000],
    [100_000, 96_000],
  ] as const) {
    expect(resample(new Float32Array(samples), rate)).toHaveLength(Math.ceil((samples * 16_000) / rate));
  }
});
