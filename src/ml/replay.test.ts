import { describe, expect, it } from 'vitest';
import { createRandom } from '../base/random.ts';
import { fitChange, foldChange, predictPhotos } from './adapt-head.ts';
import { classify, type Head } from './classifier.ts';
import { fitStatistics } from './fit-familiarity.ts';
import { calibratedLogits, coordinatesOf, joinRows, parseReplay, writeReplay } from './replay.ts';

const random = createRandom(7);
const photos = Array.from({ length: 60 }, (_, n) => ({
  features: Float32Array.from({ length: 6 }, (_, d) => random() + (d === n % 3 ? 2 : 0)),
  isTest: n % 4 === 0,
  labels: { defects: ['crack', 'chip', 'sound'][n % 3]! },
}));
const head: Head = {
  labels: ['crack', 'chip', 'sound'],
  weights: Float32Array.from({ length: 18 }, (_, i) => (i % 6 === Math.floor(i / 6) ? 2 : 0)),
  bias: Float32Array.of(0, 0.1, 0.2),
  temperature: 1.5,
};
const heads = { defects: head };
const statistics = fitStatistics(joinRows(photos.map(({ features }) => features)), 6, 4);
const text = writeReplay(photos, heads, statistics);

describe('replay.json', () => {
  it('holds the coordinates, logits and test classes of the photos', () => {
    const { projection, known, test } = parseReplay(text, heads);
    expect([known.count, test.count]).toEqual([45, 15]);
    const [first] = photos.filter(({ isTest }) => isTest);
    const point = coordinatesOf(projection, first!.features);
    for (const [k, value] of point.entries()) expect(Math.abs(test.points[k]! - value)).toBeLessThan(0.03);
    for (const [k, value] of calibratedLogits(head, first!.features).entries())
      expect(test.logits['defects']![k]).toBeCloseTo(value, 3);
    expect([...test.targets['defects']!.slice(0, 4)]).toEqual([0, 1, 2, 0]);
  });

  it('is rejected with other heads', () => {
    const other = { defects: { ...head, labels: ['crack', 'sound'] } };
    expect(() => parseReplay(text, other)).toThrow('does not match the heads of its version');
  });

  it('is rejected with values of the wrong number', () => {
    const json = JSON.parse(text) as { mean: string };
    expect(() => parseReplay(JSON.stringify({ ...json, mean: json.mean.slice(4) }), heads)).toThrow('wrong number');
  });

  it('lets a head learn new photos; the folded head gives the same probabilities', () => {
    const { projection, known } = parseReplay(text, heads);
    const added = photos.slice(0, 20).map(({ features }) => features.map((value, d) => value + (d === 5 ? 6 : 0)));
    const asPhotos = {
      points: joinRows(added.map((features) => coordinatesOf(projection, features))),
      logits: joinRows(added.map((features) => calibratedLogits(head, features))),
      targets: added.map(() => 2),
    };
    const old = { points: known.points, logits: known.logits['defects']! };
    const change = fitChange(old, asPhotos, projection.variances.length);
    const [before, after] = [predictPhotos(asPhotos), predictPhotos(asPhotos, change)];
    const right = (predictions: typeof before) =>
      predictions.filter(({ probabilities }) => probabilities[2]! > 0.5).length;
    expect(right(after)).toBeGreaterThan(right(before));
    const folded = foldChange(head, change, projection);
    for (const [n, { probabilities }] of after.entries())
      for (const [k, value] of classify(folded, added[n]!).entries()) expect(value).toBeCloseTo(probabilities[k]!, 4);
  });
});
