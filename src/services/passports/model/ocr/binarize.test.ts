import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { createRandom } from '../../../../base/random.ts';
import { binarize, findComponents, otsuThreshold } from './binarize.ts';

describe('binarization', () => {
  it('otsuThreshold returns a value between ink and paper', () => {
    const page = createDrawing(100, 100, 230).box(10, 10, 30, 30, 60);
    expect(otsuThreshold(page)).toBeGreaterThan(60);
    expect(otsuThreshold(page)).toBeLessThan(230);
  });

  it('finds no components in the noise of a blank page', () => {
    const random = createRandom(1);
    const page = createDrawing(200, 200);
    for (let pixel = 0; pixel < page.data.length; pixel++) page.data[pixel] = 225 + 30 * random();
    expect(findComponents(binarize(page, otsuThreshold(page)))).toEqual([]);
  });

  it('findComponents joins pixels that are connected by sides, by corners or through later rows', () => {
    const page = createDrawing(60, 40)
      // A U shape, whose sides are connected only at the bottom.
      .box(2, 2, 3, 20)
      .box(12, 2, 3, 20)
      .box(2, 20, 13, 3)
      // Two squares that share a corner.
      .box(30, 5, 4, 4)
      .box(34, 9, 4, 4)
      .box(50, 30, 1, 1);
    expect(findComponents(binarize(page, 128))).toEqual([
      { left: 2, top: 2, right: 15, bottom: 23, area: 3 * 18 * 2 + 13 * 3 },
      { left: 30, top: 5, right: 38, bottom: 13, area: 32 },
      { left: 50, top: 30, right: 51, bottom: 31, area: 1 },
    ]);
  });
});
