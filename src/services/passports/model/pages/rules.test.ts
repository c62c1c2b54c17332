import { expect, it } from 'vitest';
import { rulesFromStrokes } from './rules.ts';

const page = { width: 1000, height: 1000 };
const rounded = (rules: readonly (readonly number[])[]) =>
  rules.map((rule) => rule.map((share) => Math.round(share * 1000)));

it('rulesFromStrokes joins borders that are drawn cell by cell', () => {
  const cells = Array.from({ length: 5 }, (_, index) => [100 + index * 50, 200.3, 151 + index * 50, 200] as const);
  expect(rounded(rulesFromStrokes(cells, page))).toEqual([[100, 200, 351, 200]]);
});

it('rulesFromStrokes keeps parallel lines and lines with a gap separate', () => {
  const rules = rulesFromStrokes(
    [
      [100, 200, 200, 200],
      [205, 200, 300, 200],
      [100, 203, 200, 203],
      [400, 100, 400, 300],
    ],
    page,
  );
  expect(rounded(rules)).toEqual([
    [100, 200, 200, 200],
    [205, 200, 300, 200],
    [100, 203, 200, 203],
    [400, 100, 400, 300],
  ]);
});

it('rulesFromStrokes omits short, slanted and off-page lines and clips at the page edge', () => {
  const rules = rulesFromStrokes(
    [
      [100, 200, 104, 200],
      [100, 200, 300, 350],
      [100, -50, 300, -50],
      [-100, 500, 300, 500],
    ],
    page,
  );
  expect(rounded(rules)).toEqual([[0, 500, 300, 500]]);
});

it('rulesFromStrokes keeps the longest lines of a floor plan', () => {
  const plan = Array.from(
    { length: 5000 },
    (_, index) => [index % 900, 2 * (index % 450), (index % 900) + 8, 2 * (index % 450)] as const,
  );
  const rules = rulesFromStrokes([...spread(plan), [0, 999, 1000, 999]], page);
  expect(rules.length).toBeLessThanOrEqual(3000);
  expect(rounded(rules)).toContainEqual([0, 999, 1000, 999]);
});

/** Moves each stroke to its own row. */
function spread(strokes: readonly (readonly [number, number, number, number])[]) {
  return strokes.map(([x0, , x1], index) => {
    const y = (index * 997) / strokes.length;
    return [x0, y, x1, y] as const;
  });
}
