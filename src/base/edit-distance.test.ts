import { expect, it } from 'vitest';
import { isWithinEdits } from './edit-distance.ts';

it.each([
  ['трещина', 'трещина', 0],
  ['трещина', 'трещена', 1],
  ['трещина', 'трещна', 1],
  ['трещина', 'треещина', 1],
  ['трещина', 'трещниа', 1],
  ['отслоение', 'атслаение', 2],
  ['отслоение', 'тослоенеи', 2],
  ['a', '', 1],
  ['🏠b', 'b', 1],
  ['abc', 'cab', 2],
])('the edit distance of %s and %s is %i', (a, b, edits) => {
  expect(isWithinEdits(a, b, edits)).toBe(true);
  expect(isWithinEdits(b, a, edits)).toBe(true);
  if (edits > 0) expect(isWithinEdits(a, b, edits - 1)).toBe(false);
});
