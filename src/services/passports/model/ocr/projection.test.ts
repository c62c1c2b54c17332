import { describe, expect, it } from 'vitest';
import { type Projection, projectPoint, quarterTurn } from '../../page-geometry.ts';
import { compose, inverse, scaling, toShares, translation } from './projection.ts';

const lens: Projection = [1.1, 0.2, 3, -0.1, 0.9, 5, 0.001, -0.002, 1];
const close = ([x, y]: readonly [number, number]) => [expect.closeTo(x, 6), expect.closeTo(y, 6)];

describe('projections', () => {
  it('compose applies the inner projection first', () => {
    const both = compose(lens, compose(translation(4, -2), scaling(3)));
    expect(projectPoint(both, 7, 8)).toEqual(close(projectPoint(lens, 7 * 3 + 4, 8 * 3 - 2)));
  });

  it('inverse undoes a projection', () => {
    const [x, y] = projectPoint(lens, 12, 34);
    expect(projectPoint(inverse(lens), x, y)).toEqual(close([12, 34]));
  });

  it('quarterTurn maps the corners of a rotated page to the original corners', () => {
    const page = { width: 200, height: 300 };
    // The top left corner was bottom left before a rotation by 90°, bottom right by 180°, top right by 270°.
    expect(([0, 90, 180, 270] as const).map((turn) => projectPoint(quarterTurn(turn, page), 0, 0))).toEqual([
      [0, 0],
      [0, 300],
      [200, 300],
      [200, 0],
    ]);
  });

  it('toShares converts a projection between pixels to one between shares', () => {
    const from = { width: 100, height: 50 };
    const to = { width: 300, height: 700 };
    const [x, y] = projectPoint(lens, 25, 40);
    expect(projectPoint(toShares(lens, from, to), 0.25, 0.8)).toEqual(close([x / 300, y / 700]));
  });
});
