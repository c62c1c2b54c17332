import { expect, it } from 'vitest';
import { packVector, unpackVector } from './compact-vector.ts';

it('restores values to a hundred-thousandth of the largest one', () => {
  const values = Float32Array.from({ length: 2048 }, (_, i) => Math.sin(i) * 5.8);
  const restored = unpackVector(packVector(values));
  expect(restored).toHaveLength(2048);
  const errors = values.map((value, i) => Math.abs(restored[i]! - value));
  expect(Math.max(...errors)).toBeLessThan(5.8 / 60_000);
});

it('restores zeros', () => {
  expect(unpackVector(packVector(new Float32Array(3)))).toEqual(new Float32Array(3));
});
