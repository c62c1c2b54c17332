import { expect, test } from 'vitest';
import { fourier } from './fourier.ts';

/** The definition. */
function slowly(re: Float64Array, im: Float64Array): { re: number[]; im: number[] } {
  const spectrum = { re: [] as number[], im: [] as number[] };
  for (let k = 0; k < re.length; k++) {
    let [sumRe, sumIm] = [0, 0];
    for (let t = 0; t < re.length; t++) {
      const angle = (-2 * Math.PI * k * t) / re.length;
      sumRe += re[t]! * Math.cos(angle) - im[t]! * Math.sin(angle);
      sumIm += re[t]! * Math.sin(angle) + im[t]! * Math.cos(angle);
    }
    spectrum.re.push(sumRe);
    spectrum.im.push(sumIm);
  }
  return spectrum;
}

test.each([1, 2, 5, 12, 49, 400])('a transform of %i values is the sum that defines it', (length) => {
  const re = Float64Array.from({ length }, (_, i) => Math.sin(i * i));
  const im = Float64Array.from({ length }, (_, i) => Math.cos(3 * i * i));
  const wanted = slowly(re, im);
  fourier(length)(re, im);
  for (let k = 0; k < length; k++) {
    expect(re[k]).toBeCloseTo(wanted.re[k]!, 8);
    expect(im[k]).toBeCloseTo(wanted.im[k]!, 8);
  }
});
