import { describe, expect, test } from 'vitest';
import { createRandom } from '../base/random.ts';
import { fitTemperature } from './calibration.ts';
import { classify, logitsOf, softmax } from './classifier.ts';
import { minimize } from './lbfgs.ts';
import { createFitter } from './logistic.ts';
import { accuracy, calibrationError, crossEntropy, listingThreshold, type Prediction, perClass } from './metrics.ts';

test('minimize finds the minimum of the Rosenbrock function', () => {
  const [x, y] = minimize(
    Float64Array.from([-1.2, 1]),
    ([a, b], gradient) => {
      gradient[0] = -400 * a! * (b! - a! * a!) - 2 * (1 - a!);
      gradient[1] = 200 * (b! - a! * a!);
      return 100 * (b! - a! * a!) ** 2 + (1 - a!) ** 2;
    },
    { tolerance: 1e-12 },
  );
  expect(x).toBeCloseTo(1, 4);
  expect(y).toBeCloseTo(1, 4);
});

describe('createFitter', () => {
  // 3 classes in 5 dimensions, 103 images: neither divides by four. One feature is constant, one is on another scale.
  const random = createRandom(3);
  const [classes, dimensions, count] = [3, 5, 103];
  const targets = Int32Array.from({ length: count }, () => Math.floor(random() * classes));
  const features = Float32Array.from({ length: count * dimensions }, (_, i) => {
    const [n, d] = [Math.floor(i / dimensions), i % dimensions];
    if (d === 3) return 7;
    return (d === 4 ? 1000 : 1) * ((targets[n] === d ? 1 : 0) + random());
  });
  const rows = Array.from({ length: count }, (_, n) => features.subarray(n * dimensions, (n + 1) * dimensions));
  const labels = ['a', 'b', 'c'];

  test('separates the classes', () => {
    const head = { labels, temperature: 1, ...createFitter({ features, dimensions, targets }, classes)(1e-4) };
    const right = rows.filter((row, n) => {
      const p = [...classify(head, row)];
      return p.indexOf(Math.max(...p)) === targets[n];
    });
    expect(right.length / count).toBeGreaterThan(0.9);
  });

  test('finds a minimum of the loss', () => {
    const decay = 0.01;
    const { weights, bias } = createFitter({ features, dimensions, targets }, classes)(decay);
    const mean = Array.from({ length: dimensions }, (_, d) => rows.reduce((sum, row) => sum + row[d]! / count, 0));
    const spread = mean.map((m, d) => Math.sqrt(rows.reduce((sum, row) => sum + (row[d]! - m) ** 2 / count, 0)));
    const least = 0.05 * (spread.reduce((a, b) => a + b, 0) / dimensions) + 1e-6;
    const scale = spread.map((value) => value + least);
    const loss = (point: { weights: Float32Array; bias: Float32Array }) => {
      const entropies = rows.map((row, n) => -Math.log(softmax(logitsOf({ labels, ...point }, row))[targets[n]!]!));
      const penalty = point.weights.reduce((sum, w, i) => sum + (w * scale[i % dimensions]!) ** 2, 0);
      return entropies.reduce((a, b) => a + b, 0) / count + decay * penalty;
    };
    const floor = loss({ weights, bias });
    for (let i = 0; i < classes * dimensions; i++) {
      for (const step of [-0.02, 0.02]) {
        const moved = { weights: weights.slice(), bias: bias.slice() };
        const change = step / scale[i % dimensions]!;
        moved.weights[i]! += change;
        moved.bias[Math.floor(i / dimensions)]! -= change * mean[i % dimensions]!;
        expect(loss(moved)).toBeGreaterThan(floor - 1e-5);
      }
    }
  });

  test('returns probability 1 for a single class', () => {
    const only = createFitter({ features, dimensions, targets: new Int32Array(count) }, 1)(0.01);
    expect([...classify({ labels: ['only'], temperature: 1, ...only }, rows[0]!)]).toEqual([1]);
  });
});

test('fitTemperature recovers the factor of scaled logits', () => {
  const random = createRandom(11);
  const calibrated = Array.from({ length: 4000 }, () => Float64Array.from([random() * 4 - 2, random() * 4 - 2]));
  const targets = calibrated.map((logits) => (random() < softmax(logits)[0]! ? 0 : 1));
  const scaled = calibrated.map((logits) => logits.map((logit) => logit * 3));
  expect(fitTemperature(scaled, targets)).toBeCloseTo(3, 0);
  expect(fitTemperature(calibrated, targets)).toBeCloseTo(1, 0);
  expect(fitTemperature([], [])).toBe(1);
});

describe('metrics', () => {
  const judged = (list: [number[], number][]): Prediction[] =>
    list.map(([probabilities, target]) => ({ probabilities: Float64Array.from(probabilities), target }));
  // Two in the bin of 0.8 (one correct: gap 0.3), one in the bin of 0.6 (correct: gap 0.4).
  const three = judged([
    [[0.8, 0.2], 0],
    [[0.2, 0.8], 0],
    [[0.4, 0.6], 1],
  ]);

  test('match hand-computed values', () => {
    expect(accuracy(three)).toBeCloseTo(2 / 3, 12);
    expect(calibrationError(three)).toBeCloseTo((2 * 0.3 + 0.4) / 3, 12);
    expect(crossEntropy(three)).toBeCloseTo(-(Math.log(0.8) + Math.log(0.2) + Math.log(0.6)) / 3, 9);
    expect(perClass(['a', 'b', 'c'], three)).toEqual([
      { label: 'a', precision: 1, recall: 0.5, support: 2 },
      { label: 'b', precision: 0.5, recall: 1, support: 1 },
      { label: 'c', support: 0 },
    ]);
  });

  test('include a confidence of exactly 1', () => {
    expect(calibrationError(judged([[[1, 0], 0]]))).toBe(0);
  });

  test('select the listing threshold with the best F1', () => {
    // The defect is correct at 0.7 and above, wrong at 0.4 and below.
    const list = judged([
      [[0.9, 0.1], 0],
      [[0.7, 0.3], 0],
      [[0.4, 0.6], 1],
      [[0.2, 0.8], 1],
    ]);
    const threshold = listingThreshold(list, 1);
    expect(threshold).toBeGreaterThan(0.4);
    expect(threshold).toBeLessThanOrEqual(0.7);
  });
});
