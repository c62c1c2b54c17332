import { describe, expect, test } from 'vitest';
import { createRandom } from '../base/random.ts';
import { classify, type Head, scores, softmax, topLabel } from './classifier.ts';

const head = (labels: string[], weights: number[][], options: Partial<Head> = {}): Head => ({
  labels,
  weights: Float32Array.from(weights.flat()),
  bias: new Float32Array(labels.length),
  temperature: 1,
  ...options,
});
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe('class probabilities', () => {
  test('are the softmax of the linear head', () => {
    // logits: 1·1 + 2·0 + 0 = 1 and 0·1 + 1·0 + 2 = 2; e / (e + e²) = 1 / (1 + e)
    const two = head(
      ['a', 'b'],
      [
        [1, 2],
        [0, 1],
      ],
      { bias: Float32Array.from([0, 2]) },
    );
    const [a, b] = classify(two, Float32Array.from([1, 0]));
    expect(a).toBeCloseTo(1 / (1 + Math.E), 12);
    expect(b).toBeCloseTo(Math.E / (1 + Math.E), 12);
  });

  test('are divided by the temperature', () => {
    const [a] = classify(head(['a', 'b'], [[4], [0]], { temperature: 2 }), Float32Array.from([1]));
    expect(a).toBeCloseTo(1 / (1 + Math.exp(-2)), 12);
  });

  test('do not overflow for large logits', () => {
    expect([...softmax(Float64Array.from([2000, 0, -2000]))]).toEqual([1, 0, 0]);
    expect([...softmax(Float64Array.from([-2000, -2000]))]).toEqual([0.5, 0.5]);
  });

  test('select the first of equal classes', () => {
    expect(topLabel(['a', 'b', 'c'], Float64Array.from([0.2, 0.4, 0.4]))).toBe('b');
  });
});

describe('scores', () => {
  test('are sorted by confidence, then name', () => {
    expect(scores(['wet', 'dry', 'hot'], Float64Array.from([0.25, 0.25, 0.5]))).toEqual([
      { name: 'hot', conf: 0.5 },
      { name: 'dry', conf: 0.25 },
      { name: 'wet', conf: 0.25 },
    ]);
  });

  test('have four decimals and still sum to 1: the largest remainders are rounded up', () => {
    expect(scores(['a', 'b', 'c'], Float64Array.from([1 / 3, 1 / 3, 1 / 3])).map(({ conf }) => conf)).toEqual([
      0.3334, 0.3333, 0.3333,
    ]);
    expect(scores(['a', 'b', 'c'], Float64Array.from([0.99989, 0.00007, 0.00004])).map(({ conf }) => conf)).toEqual([
      0.9999, 0.0001, 0,
    ]);
  });

  test('keep sum, order and precision for random probabilities', () => {
    const random = createRandom(7);
    for (let round = 0; round < 500; round++) {
      const labels = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, k) => `class ${k}`);
      const exact = softmax(Float64Array.from(labels, () => (random() - 0.5) * 10 ** (random() * 3)));
      const rounded = scores(labels, exact);
      expect(sum(rounded.map(({ conf }) => conf * 1e4))).toBeCloseTo(10_000, 6);
      expect(rounded.map(({ name }) => name).sort()).toEqual([...labels].sort());
      for (const [i, { name, conf }] of rounded.entries()) {
        expect(Math.abs(conf - exact[labels.indexOf(name)]!)).toBeLessThan(1e-4);
        expect(String(conf)).toMatch(/^(0|1|0\.\d{1,4}|1e-4)$/);
        const next = rounded[i + 1];
        if (next) expect(conf > next.conf || (conf === next.conf && name < next.name)).toBe(true);
      }
    }
  });
});
