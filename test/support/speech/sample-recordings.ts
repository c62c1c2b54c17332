import { readFileSync } from 'node:fs';
import type { Window } from '../../../src/ml/speech/recognizer.ts';

export const BRIDGE = 'The bridge was closed for repairs.';

export function sampleWindow(name: 'bridge' | 'bonjour', start = 0): Window {
  const file = readFileSync(new URL(`./${name}.wav`, import.meta.url));
  const sound = file.subarray(file.indexOf('data') + 8);
  const samples = Float32Array.from({ length: sound.length >> 1 }, (_, i) => sound.readInt16LE(2 * i) / 32_768);
  return { start, end: start + samples.length / 16_000, samples };
}
