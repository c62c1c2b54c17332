import { describe, expect, it } from 'vitest';
import { createRandom } from '../base/random.ts';
import { cosineOf, SIGNATURE_LENGTH, signBits } from '../base/signature.ts';
import { createSigner } from './feature-signature.ts';

const D = 600;
const random = createRandom(5);
const vector = () => Float32Array.from({ length: D }, () => random() - 0.5);
const statistics = { mean: vector(), scale: Float32Array.from({ length: D }, () => 0.5 + random()) };
const sign = createSigner(statistics);
const standardized = (features: Float32Array) =>
  features.map((value, d) => (value - statistics.mean[d]!) / statistics.scale[d]!);

function exactCosine(a: Float32Array, b: Float32Array): number {
  const dot = (u: Float32Array, v: Float32Array) => u.reduce((sum, value, d) => sum + value * v[d]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('feature signatures', () => {
  it('keep the cosine of the standardized features', () => {
    for (const share of [0, 0.3, 0.6, 0.9, 0.99]) {
      const [a, noise] = [vector(), vector()];
      const b = a.map((value, d) => share * value + (1 - share) * noise[d]!);
      const exact = exactCosine(standardized(a), standardized(b));
      expect(Math.abs(cosineOf(sign(a), sign(b)) - exact)).toBeLessThan(0.15);
    }
  });

  it('have a bit per value that is set for positive values', () => {
    const signature = sign(vector());
    expect(signature).toHaveLength(SIGNATURE_LENGTH);
    const bits = [...signBits(signature)].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'));
    expect(bits.join('')).toBe(Array.from(signature, (value) => (value > 0 ? '1' : '0')).join(''));
  });

  it('of the mean photo are similar to no other', () => {
    expect(cosineOf(sign(statistics.mean), sign(vector()))).toBe(0);
  });
});
