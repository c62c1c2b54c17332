import { describe, expect, it } from 'vitest';
import { type Box, onPage, projectBox, type Turn, uprightFrame } from './page.ts';

const close = (box: readonly number[]) => box.map((share) => expect.closeTo(share, 9));

describe('the reading frame of a page', () => {
  const turns: readonly Turn[] = [0, 90, 180, 270];

  it('is as wide as the page is high where it lies on its side', () => {
    expect(turns.map((turn) => uprightFrame(200, 300, turn)).map(({ width, height }) => [width, height])).toEqual([
      [200, 300],
      [300, 200],
      [200, 300],
      [300, 200],
    ]);
  });

  it('has a place on the page for each of its own', () => {
    // Near the top left corner of the upright page, wider than high.
    const box: Box = [0.1, 0.05, 0.3, 0.1];
    expect(turns.map((turn) => onPage({ reading: uprightFrame(200, 300, turn) }, box))).toEqual([
      close([0.1, 0.05, 0.3, 0.1]),
      // Set upright by a turn to the right: the upright top left is the lower left of the page.
      close([0.05, 0.7, 0.1, 0.9]),
      close([0.7, 0.9, 0.9, 0.95]),
      close([0.9, 0.1, 0.95, 0.3]),
    ]);
    expect(onPage({}, box)).toBe(box);
  });

  it('is left by the way on which it is entered', () => {
    const box: Box = [0.1, 0.05, 0.3, 0.1];
    for (const turn of turns) {
      const there = projectBox(uprightFrame(1, 1, ((360 - turn) % 360) as Turn).toPage, box);
      expect(projectBox(uprightFrame(1, 1, turn).toPage, there)).toEqual(close(box));
    }
  });

  it('does not reach beyond the page', () => {
    expect(projectBox([1, 0, -0.2, 0, 1, 0.5, 0, 0, 1], [0.1, 0.4, 0.5, 0.9])).toEqual(close([0, 0.9, 0.3, 1]));
  });
});
