import { describe, expect, it } from 'vitest';
import { type Box, projectBox, type Turn, toPageBox, uprightFrame } from './page-geometry.ts';

const close = (box: readonly number[]) => box.map((share) => expect.closeTo(share, 9));

describe('the reading frame of a page', () => {
  const turns: readonly Turn[] = [0, 90, 180, 270];

  it('swaps width and height for a page that lies on its side', () => {
    expect(turns.map((turn) => uprightFrame(200, 300, turn)).map(({ width, height }) => [width, height])).toEqual([
      [200, 300],
      [300, 200],
      [200, 300],
      [300, 200],
    ]);
  });

  it('maps each of its boxes to a box on the page', () => {
    // Near the top left corner of the upright page.
    const box: Box = [0.1, 0.05, 0.3, 0.1];
    expect(turns.map((turn) => toPageBox({ reading: uprightFrame(200, 300, turn) }, box))).toEqual([
      close([0.1, 0.05, 0.3, 0.1]),
      // After a clockwise turn, the upright top left is the lower left of the page.
      close([0.05, 0.7, 0.1, 0.9]),
      close([0.7, 0.9, 0.9, 0.95]),
      close([0.9, 0.1, 0.95, 0.3]),
    ]);
    expect(toPageBox({}, box)).toBe(box);
  });

  it('is the inverse of the opposite turn', () => {
    const box: Box = [0.1, 0.05, 0.3, 0.1];
    for (const turn of turns) {
      const there = projectBox(uprightFrame(1, 1, ((360 - turn) % 360) as Turn).toPage, box);
      expect(projectBox(uprightFrame(1, 1, turn).toPage, there)).toEqual(close(box));
    }
  });

  it('clips boxes at the page edges', () => {
    expect(projectBox([1, 0, -0.2, 0, 1, 0.5, 0, 0, 1], [0.1, 0.4, 0.5, 0.9])).toEqual(close([0, 0.9, 0.3, 1]));
  });
});
