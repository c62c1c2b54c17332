import { expect, it } from 'vitest';
import { comparisonTable, type Figures } from './comparison.ts';

const figures = (share: number): Figures => ({ accuracy: share, calibrationError: 0, classes: [] });
const changeOf = (before: number, after: number) =>
  comparisonTable({ images: 3, before: figures(before), after: figures(after) })
    .at(-1)!
    .split('|')
    .map((cell) => cell.trim())[4];

it('the table of a comparison shows the sign of a change unless it rounds to zero', () => {
  expect(changeOf(0.5, 0.75)).toBe('+25.0');
  expect(changeOf(0.75, 0.5)).toBe('−25.0');
  expect(changeOf(0.5, 0.5)).toBe('0.0');
  expect(changeOf(0.5, 0.4999)).toBe('0.0');
  expect(changeOf(0.5, 0.5001)).toBe('0.0');
});
