import { expect, test } from 'vitest';
import { FRAMES, logMel } from './log-mel.ts';

const tone = (hertz: number, seconds = 1) =>
  Float32Array.from({ length: 16_000 * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / 16_000));

const loudestBin = (mel: Float32Array, bins: number, frame: number) => {
  const column = Array.from({ length: bins }, (_, bin) => mel[bin * FRAMES + frame]!);
  return column.indexOf(Math.max(...column));
};

test('logMel has its maximum in the channel of the tone on Slaney’s Mel scale', () => {
  // 3 Mel are 200 Hz up to 1 kHz (15 Mel), then 27 Mel are a factor of 6.4; 8 kHz are 45.2 Mel, shared by 81 steps.
  const channel = (hertz: number) => {
    const mel = hertz < 1000 ? (3 * hertz) / 200 : 15 + (27 * Math.log(hertz / 1000)) / Math.log(6.4);
    return (mel * 81) / (15 + (27 * Math.log(8)) / Math.log(6.4)) - 1;
  };
  for (const hertz of [300, 700, 1500, 4000, 7000]) {
    expect(Math.abs(loudestBin(logMel(tone(hertz), 80), 80, 50) - channel(hertz)), `${hertz} Hz`).toBeLessThan(1);
  }
});

test('logMel pads to 30 seconds and keeps a range of 80 dB', () => {
  const mel = logMel(tone(440), 80);
  expect(mel).toHaveLength(80 * FRAMES);
  const highest = mel.reduce((a, b) => Math.max(a, b));
  const lowest = mel.reduce((a, b) => Math.min(a, b));
  expect(highest - lowest).toBeCloseTo(8 / 4, 5);
  // Frames of 10 ms: one second touches 101 frames.
  expect(mel[loudestBin(mel, 80, 50) * FRAMES + 100]).toBeGreaterThan(lowest);
  expect(mel[loudestBin(mel, 80, 50) * FRAMES + 103]).toBeCloseTo(lowest, 5);
});

test('logMel adds 6 dB for twice the amplitude and clips silence at the floor', () => {
  const [soft, loud] = [tone(1000).map((sample) => sample / 2), tone(1000)];
  const bin = loudestBin(logMel(loud, 128), 128, 50);
  const at = bin * FRAMES + 50;
  expect(4 * (logMel(loud, 128)[at]! - logMel(soft, 128)[at]!)).toBeCloseTo(Math.log10(4), 4);
  expect(new Set(logMel(new Float32Array(16_000), 80))).toEqual(new Set([-1.5]));
});

test('logMel computes the first frames as of the whole window', () => {
  const samples = Float32Array.from({ length: 20_000 }, (_, i) => Math.sin(i ** 1.7));
  const [whole, first] = [logMel(samples, 80), logMel(samples, 80, 150)];
  for (let bin = 0; bin < 80; bin++) {
    expect(first.subarray(bin * 150, (bin + 1) * 150)).toEqual(whole.subarray(bin * FRAMES, bin * FRAMES + 150));
  }
});
