import { describe, expect, test } from 'vitest';
import { createRandom } from '../base/random.ts';
import { distanceOf, familiarityOf } from './familiarity.ts';
import { parseFamiliarity, writeFamiliarity } from './familiarity-json.ts';
import { fitFamiliarity, fitStatistics } from './fit-familiarity.ts';

const D = 12;
const random = createRandom(3);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A point near a plane of two directions in D dimensions, `off` units away from the plane. */
function point(off = 0): number[] {
  const [a, b] = [normal() * 3, normal() * 2];
  return Array.from({ length: D }, (_, d) => (d % 2 === 0 ? a : b) + normal() * 0.1 + (d === 1 ? off : 0));
}
const points = (count: number, off?: number) =>
  Float32Array.from(Array.from({ length: count }, () => point(off)).flat());
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('fitStatistics', () => {
  test('finds the directions of the largest variance, orthonormal', () => {
    const { components, variances } = fitStatistics(points(400), D);
    const row = (k: number) => components.subarray(k * D, (k + 1) * D);
    const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);
    expect(product(row(0), row(0))).toBeCloseTo(1, 5);
    expect(product(row(0), row(1))).toBeCloseTo(0, 5);
    expect(variances[0]! + variances[1]!).toBeGreaterThan(0.95 * D * 0.9);
    expect(variances[2]!).toBeLessThan(0.05);
  });

  test('a point off the plane of the training points is farther than any point on it', () => {
    const statistics = fitStatistics(points(400), D);
    const distances = (from: Float32Array) =>
      rows(0, from.length / D).map((i) => distanceOf(statistics, from.subarray(i * D, (i + 1) * D)));
    const near = distances(points(100));
    expect(near.reduce((a, b) => a + b) / near.length).toBeCloseTo(1, 0);
    expect(Math.min(...distances(points(100, 4)))).toBeGreaterThan(Math.max(...near));
  });

  test('constant features and few points give finite distances', () => {
    const statistics = fitStatistics(new Float32Array(4 * D).fill(0.5), D);
    expect(distanceOf(statistics, new Float32Array(D).fill(0.5))).toBe(0);
    expect(distanceOf(statistics, new Float32Array(D).fill(0.6))).toBeGreaterThan(0);
    expect(Number.isFinite(distanceOf(fitStatistics(points(2), D), points(1)))).toBe(true);
  });
});

describe('fitFamiliarity', () => {
  test('familiarity is the share of validation photos that are farther', () => {
    const distances = Float32Array.of(1, 2, 3, 4);
    expect([0.5, 1, 2.5, 4, 9].map((distance) => familiarityOf(distances, distance))).toEqual([1, 0.75, 0.5, 0, 0]);
  });

  test('measures the validation photos, or all photos by cross-validation when there are few', () => {
    const features = points(320);
    const groupOf = String;
    const calibrated = fitFamiliarity(features, D, { train: rows(0, 200), val: rows(200, 320), groupOf });
    expect(calibrated.distances).toHaveLength(120);
    const small = fitFamiliarity(features, D, { train: rows(0, 40), val: rows(40, 50), groupOf });
    expect(small.distances).toHaveLength(50);
    expect([...small.distances]).toEqual([...small.distances].sort((a, b) => a - b));
    expect(familiarityOf(small.distances, distanceOf(small.statistics, points(1, 9)))).toBe(0);
  });

  test('keeps photos of one group in one fold', () => {
    const fit = fitFamiliarity(points(20), D, { train: rows(0, 20), val: [], groupOf: () => 'one wall' });
    expect(fit.distances).toHaveLength(0);
    expect(familiarityOf(fit.distances, 5)).toBe(1);
  });
});

test('parseFamiliarity reads what writeFamiliarity writes and rejects other feature counts', () => {
  const fit = fitFamiliarity(points(60), D, { train: rows(0, 60), val: [], groupOf: String });
  expect(parseFamiliarity(writeFamiliarity(fit), D)).toEqual(fit);
  expect(() => parseFamiliarity(writeFamiliarity(fit), D + 1)).toThrow('must have 13 features');
  expect(() => parseFamiliarity('{"format":1}', D)).toThrow('familiarity.json');
});
