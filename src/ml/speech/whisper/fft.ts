/**
 * In-place complex FFT of a fixed `length`, a product of small primes; output in natural order (mixed-radix Stockham).
 */
export function createFft(length: number): (re: Float64Array, im: Float64Array) => void {
  const passes = planPasses(length);
  const scratch: Complex = { re: new Float64Array(length), im: new Float64Array(length) };
  return (re, im) => {
    let [from, to]: [Complex, Complex] = [{ re, im }, scratch];
    for (const pass of passes) {
      const transform = pass.radix === 5 ? transformFives : pass.radix === 4 ? transformFours : transformPass;
      transform(pass, from, to);
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

/** `transformPass` of radix 4: only the twiddle factors need products. */
function transformFours(
  { stride, groups, large }: Pass,
  { re: fromRe, im: fromIm }: Complex,
  { re: toRe, im: toIm }: Complex,
): void {
  const step = stride * groups;
  for (let group = 0; group < groups; group++) {
    const [c1, c2, c3] = [large.cos[group * 4 + 1]!, large.cos[group * 4 + 2]!, large.cos[group * 4 + 3]!];
    const [s1, s2, s3] = [large.sin[group * 4 + 1]!, large.sin[group * 4 + 2]!, large.sin[group * 4 + 3]!];
    for (let q = 0; q < stride; q++) {
      const at = q + stride * group;
      const evenRe = fromRe[at]! + fromRe[at + 2 * step]!;
      const evenIm = fromIm[at]! + fromIm[at + 2 * step]!;
      const oddRe = fromRe[at]! - fromRe[at + 2 * step]!;
      const oddIm = fromIm[at]! - fromIm[at + 2 * step]!;
      const sumRe = fromRe[at + step]! + fromRe[at + 3 * step]!;
      const sumIm = fromIm[at + step]! + fromIm[at + 3 * step]!;
      // Times -i.
      const turnedRe = fromIm[at + step]! - fromIm[at + 3 * step]!;
      const turnedIm = fromRe[at + 3 * step]! - fromRe[at + step]!;
      const to = q + stride * 4 * group;
      toRe[to] = evenRe + sumRe;
      toIm[to] = evenIm + sumIm;
      const [re1, im1] = [oddRe + turnedRe, oddIm + turnedIm];
      toRe[to + stride] = re1 * c1 - im1 * s1;
      toIm[to + stride] = re1 * s1 + im1 * c1;
      const [re2, im2] = [evenRe - sumRe, evenIm - sumIm];
      toRe[to + 2 * stride] = re2 * c2 - im2 * s2;
      toIm[to + 2 * stride] = re2 * s2 + im2 * c2;
      const [re3, im3] = [oddRe - turnedRe, oddIm - turnedIm];
      toRe[to + 3 * stride] = re3 * c3 - im3 * s3;
      toIm[to + 3 * stride] = re3 * s3 + im3 * c3;
    }
  }
}

const [COS_72, SIN_72] = [Math.cos((2 * Math.PI) / 5), Math.sin((2 * Math.PI) / 5)];
const [COS_144, SIN_144] = [Math.cos((4 * Math.PI) / 5), Math.sin((4 * Math.PI) / 5)];

/** `transformPass` of radix 5, with products of real numbers: the sums and differences of opposite values are separate. */
function transformFives(
  { stride, groups, large }: Pass,
  { re: fromRe, im: fromIm }: Complex,
  { re: toRe, im: toIm }: Complex,
): void {
  const step = stride * groups;
  for (let group = 0; group < groups; group++) {
    const turn = group * 5;
    for (let q = 0; q < stride; q++) {
      const at = q + stride * group;
      const to = q + stride * 5 * group;
      const [re, im] = [fromRe[at]!, fromIm[at]!];
      const outerRe = fromRe[at + step]! + fromRe[at + 4 * step]!;
      const outerIm = fromIm[at + step]! + fromIm[at + 4 * step]!;
      const innerRe = fromRe[at + 2 * step]! + fromRe[at + 3 * step]!;
      const innerIm = fromIm[at + 2 * step]! + fromIm[at + 3 * step]!;
      const outerGapRe = fromRe[at + step]! - fromRe[at + 4 * step]!;
      const outerGapIm = fromIm[at + step]! - fromIm[at + 4 * step]!;
      const innerGapRe = fromRe[at + 2 * step]! - fromRe[at + 3 * step]!;
      const innerGapIm = fromIm[at + 2 * step]! - fromIm[at + 3 * step]!;
      toRe[to] = re + outerRe + innerRe;
      toIm[to] = im + outerIm + innerIm;
      const nearRe = re + COS_72 * outerRe + COS_144 * innerRe;
      const nearIm = im + COS_72 * outerIm + COS_144 * innerIm;
      const farRe = re + COS_144 * outerRe + COS_72 * innerRe;
      const farIm = im + COS_144 * outerIm + COS_72 * innerIm;
      // Times -i.
      const nearGapRe = SIN_72 * outerGapIm + SIN_144 * innerGapIm;
      const nearGapIm = -SIN_72 * outerGapRe - SIN_144 * innerGapRe;
      const farGapRe = SIN_144 * outerGapIm - SIN_72 * innerGapIm;
      const farGapIm = -SIN_144 * outerGapRe + SIN_72 * innerGapRe;
      const [re1, im1] = [nearRe + nearGapRe, nearIm + nearGapIm];
      toRe[to + stride] = re1 * large.cos[turn + 1]! - im1 * large.sin[turn + 1]!;
      toIm[to + stride] = re1 * large.sin[turn + 1]! + im1 * large.cos[turn + 1]!;
      const [re2, im2] = [farRe + farGapRe, farIm + farGapIm];
      toRe[to + 2 * stride] = re2 * large.cos[turn + 2]! - im2 * large.sin[turn + 2]!;
      toIm[to + 2 * stride] = re2 * large.sin[turn + 2]! + im2 * large.cos[turn + 2]!;
      const [re3, im3] = [farRe - farGapRe, farIm - farGapIm];
      toRe[to + 3 * stride] = re3 * large.cos[turn + 3]! - im3 * large.sin[turn + 3]!;
      toIm[to + 3 * stride] = re3 * large.sin[turn + 3]! + im3 * large.cos[turn + 3]!;
      const [re4, im4] = [nearRe - nearGapRe, nearIm - nearGapIm];
      toRe[to + 4 * stride] = re4 * large.cos[turn + 4]! - im4 * large.sin[turn + 4]!;
      toIm[to + 4 * stride] = re4 * large.sin[turn + 4]! + im4 * large.cos[turn + 4]!;
    }
  }
}
