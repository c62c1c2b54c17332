import { expect, it } from 'vitest';
import { isNear } from './edits.ts';
import { neighbours } from './neighbours.ts';

it.each([
  ['crak', 'crack'],
  ['crck', 'crack'],
  ['мотс', 'мост'],
  ['вада', 'вода'],
  ['ккрыш', 'крыш'],
  ['битон', 'бетон'],
  ['блака', 'балка'],
  ['отслоеине', 'отслоение'],
])('%s may have been %s', (word, meant) => {
  expect(neighbours(word)).toContain(meant);
});

it('are one edit away, each there once and the word itself not, and there are few', () => {
  for (const word of ['мост', 'балка', 'ссора', 'wall', 'трещина']) {
    const all = neighbours(word);
    expect(all.every((other) => other !== word && isNear(word, other, 1))).toBe(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeLessThan(400);
  }
  expect(neighbours('трещина')).toHaveLength(6);
  expect(neighbours('дом')).toEqual([]);
});
