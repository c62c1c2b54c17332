import type { Projection } from '../../page-geometry.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Applies `inner`, then `outer`. */
export function compose(outer: Projection, inner: Projection): Projection {
  const row = (x: number, y: number, z: number): [number, number, number] => [
    x * inner[0] + y * inner[3] + z * inner[6],
    x * inner[1] + y * inner[4] + z * inner[7],
    x * inner[2] + y * inner[5] + z * inner[8],
  ];
  const [a, b, c, d, e, f, g, h, i] = outer;
  return [...row(a, b, c), ...row(d, e, f), ...row(g, h, i)];
}

/** The adjugate matrix: the scale of a projection is irrelevant. */
export function inverse([a, b, c, d, e, f, g, h, i]: Projection): Projection {
  return [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
}

export const translation = (x: number, y: number): Projection => [1, 0, x, 0, 1, y, 0, 0, 1];

export const scaling = (by: number): Projection => [by, 0, 0, 0, by, 0, 0, 0, 1];

/** Converts a projection between pixels to one between shares (0..1). */
export function toShares(projection: Projection, from: Size, to: Size): Projection {
  const pixels: Projection = [from.width, 0, 0, 0, from.height, 0, 0, 0, 1];
  const shares: Projection = [1 / to.width, 0, 0, 0, 1 / to.height, 0, 0, 0, 1];
  return compose(shares, compose(projection, pixels));
}
