import { expect, test } from 'vitest';
import { createFft } from './fft.ts';

function naiveTransform(re: Float64Array, im: Float64Array): { re: number[]; im: number[] } {
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

test.each([1, 2, 5, 12, 49, 400])('a transform of %i values matches the naive transform', (length) => {
  const re = Float64Array.from({ length }, (_, i) => Math.sin(i * i));
  const im = Float64Array.from({ length }, (_, i) => Math.cos(3 * i * i));
  const wanted = naiveTransform(re, im);
  createFft(length)(re, im);
  for (let k = 0; k < length; k++) {
    expect(re[k]).toBeCloseTo(wanted.re[k]!, 8);
    expect(im[k]).toBeCloseTo(wanted.im[k]!, 8);
  }
});
