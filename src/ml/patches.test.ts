import { expect, test } from 'vitest';
import { createRandom } from '../base/random.ts';
import { fitPatches } from './fit-patches.ts';
import { cellsOf, deviationMap, deviationProbability, patchDistances, photoScore } from './patches.ts';
import { parsePatches, writePatches } from './patches-json.ts';

const CHANNELS = 5;
const random = createRandom(9);
const photo = (offset = 0) =>
  Float32Array.from({ length: 16 * CHANNELS }, (_, i) => (i % CHANNELS) + random() + (i < CHANNELS ? offset : 0));
const detector = fitPatches(
  Array.from({ length: 20 }, () => photo()),
  CHANNELS,
);

test('cellsOf turns a map of channels into cells', () => {
  expect([...cellsOf(Float32Array.of(1, 2, 3, 4, 5, 6), 2)]).toEqual([1, 4, 2, 5, 3, 6]);
});

test('a known patch has the distance 0, and a patch that deviates is the farthest', () => {
  const { mean, scale, patches } = detector.memory;
  expect(patches.length / CHANNELS).toBe(80);
  const known = patches.subarray(0, CHANNELS).map((value, c) => value * scale[c]! + mean[c]!);
  expect(patchDistances(detector.memory, known)[0]).toBeCloseTo(0, 2);
  const distances = patchDistances(detector.memory, photo(4));
  expect(distances.indexOf(Math.max(...distances))).toBe(0);
  expect(deviationMap(detector.patch, distances)[0]).toBe(255);
});

test('sound photos have a small probability of a deviation', () => {
  const probability = (cells: Float32Array) =>
    deviationProbability(detector.photo, photoScore(patchDistances(detector.memory, cells)));
  const sound = Array.from({ length: 50 }, () => probability(photo()));
  expect(sound.filter((value) => value >= 0.5).length).toBeLessThanOrEqual(4);
  expect(probability(photo(6))).toBeGreaterThan(0.9);
});

test('parsePatches reads what writePatches writes and rejects other channel counts', () => {
  expect(parsePatches(writePatches(detector), CHANNELS)).toEqual(detector);
  expect(() => parsePatches(writePatches(detector), CHANNELS + 1)).toThrow('must have 6 channels');
});
