import { expect, test } from 'vitest';
import { createRandom } from '../../../base/random.ts';
import { logSumExp } from './logits.ts';

test('logSumExp is exact to the rounding of the logits', () => {
  const random = createRandom(1);
  for (const spread of [0, 1, 10, 60]) {
    const logits = Float32Array.from({ length: 51_865 }, () => spread * random() - 7);
    const highest = Math.max(...logits);
    const exact = highest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0));
    expect(Math.abs(logSumExp(logits) - exact)).toBeLessThan(1e-7);
  }
  expect(logSumExp(Float32Array.of(Number.NEGATIVE_INFINITY, 3))).toBe(3);
});
