import { describe, expect, it } from 'vitest';
import { type Projection, projectPoint } from '../../page-geometry.ts';
import { estimatePerspective } from './perspective.ts';
import { compose, translation } from './projection.ts';
import type { Segment } from './text-lines.ts';

const size = { width: 1200, height: 1700 };

/** Horizontal and vertical lines as seen by a camera. */
function project(camera: Projection): { horizontal: Segment[]; vertical: Segment[] } {
  const line = (x0: number, y0: number, x1: number, y1: number): Segment => {
    const [[a, b], [c, d]] = [projectPoint(camera, x0, y0), projectPoint(camera, x1, y1)];
    return { x0: a, y0: b, x1: c, y1: d };
  };
  const rows = [150, 400, 700, 1000, 1300, 1550];
  const columns = [120, 500, 800, 1080];
  return { horizontal: rows.map((y) => line(100, y, 1100, y)), vertical: columns.map((x) => line(x, 200, x, 1500)) };
}

const around = (middle: Projection): Projection =>
  compose(translation(600, 850), compose(middle, translation(-600, -850)));

describe('estimatePerspective', () => {
  it('recovers the tilt and perspective of a camera despite an outlier', () => {
    const camera = around([1, 0.02, 0, 0.01, 1, 0, 2e-5, -1.5e-5, 1]);
    const { horizontal, vertical } = project(camera);
    // An outlier, such as a signature.
    horizontal.push({ x0: 200, y0: 1600, x1: 500, y1: 1650 });
    const found = estimatePerspective(horizontal, vertical, size);
    for (const [x, y] of [
      [100, 100],
      [1100, 100],
      [1100, 1600],
      [100, 1600],
      [600, 850],
    ] as const) {
      const [a, b] = projectPoint(found, x, y);
      const [c, d] = projectPoint(camera, x, y);
      expect(Math.hypot(a - c, b - d), `at ${x}, ${y}`).toBeLessThan(3);
    }
  });

  it('returns the identity without lines', () => {
    expect(projectPoint(estimatePerspective([], [], size), 10, 20)).toEqual([10, 20]);
  });
});
