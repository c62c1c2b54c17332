/**
 * In-place complex FFT of a fixed `length`, a product of small primes; output in natural order (mixed-radix Stockham).
 */
export function createFft(length: number): (re: Float64Array, im: Float64Array) => void {
  const passes = planPasses(length);
  const scratch: Complex = { re: new Float64Array(length), im: new Float64Array(length) };
  return (re, im) => {
    let [from, to]: [Complex, Complex] = [{ re, im }, scratch];
    for (const pass of passes) {
      transformPass(pass, from, to);
      [from, to] = [to, from];
    }
    if (from !== scratch) return;
    re.set(scratch.re);
    im.set(scratch.im);
  };
}

interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** One factor of the length: `stride` transforms of `radix` values, `groups` times, with twiddle factors. */
interface Pass {
  readonly radix: number;
  readonly stride: number;
  readonly groups: number;
  /** exp(-2πi·r·k/radix) at [r·radix + k], and exp(-2πi·j·k/(radix·groups)) at [j·radix + k]. */
  readonly small: Twiddles;
  readonly large: Twiddles;
}
interface Twiddles {
  readonly cos: Float64Array;
  readonly sin: Float64Array;
}

function planPasses(length: number): Pass[] {
  const passes: Pass[] = [];
  for (let left = length, stride = 1; left > 1; ) {
    const radix = [5, 4, 3, 2].find((factor) => left % factor === 0) ?? left;
    const groups = left / radix;
    const small = twiddles(radix, radix, (r, k) => (r * k) / radix);
    const large = twiddles(groups, radix, (j, k) => (j * k) / left);
    passes.push({ radix, stride, groups, small, large });
    left = groups;
    stride *= radix;
  }
  return passes;
}

function twiddles(rows: number, columns: number, fraction: (row: number, column: number) => number): Twiddles {
  const cos = new Float64Array(rows * columns);
  const sin = new Float64Array(rows * columns);
  for (let at = 0; at < cos.length; at++) {
    const angle = -2 * Math.PI * fraction(Math.floor(at / columns), at % columns);
    cos[at] = Math.cos(angle);
    sin[at] = Math.sin(angle);
  }
  return { cos, sin };
}

function transformPass(
  { radix, stride, groups, small, large }: Pass,
  { re: fromRe, im: fromIm }: Complex,
  { re: toRe, im: toIm }: Complex,
): void {
  for (let group = 0; group < groups; group++) {
    for (let k = 0; k < radix; k++) {
      const turnRe = large.cos[group * radix + k]!;
      const turnIm = large.sin[group * radix + k]!;
      for (let q = 0; q < stride; q++) {
        let [sumRe, sumIm] = [0, 0];
        for (let r = 0; r < radix; r++) {
          const at = q + stride * (group + groups * r);
          const cos = small.cos[r * radix + k]!;
          const sin = small.sin[r * radix + k]!;
          sumRe += fromRe[at]! * cos - fromIm[at]! * sin;
          sumIm += fromRe[at]! * sin + fromIm[at]! * cos;
        }
        const at = q + stride * (radix * group + k);
        toRe[at] = sumRe * turnRe - sumIm * turnIm;
        toIm[at] = sumRe * turnIm + sumIm * turnRe;
      }
    }
  }
}
