import { expect, it } from 'vitest';
import { isWithinEdits } from '../../../base/edit-distance.ts';
import { spellingCandidates } from './spelling-correction.ts';

it.each([
  ['crak', 'crack'],
  ['crck', 'crack'],
  ['мотс', 'мост'],
  ['вада', 'вода'],
  ['ккрыш', 'крыш'],
  ['битон', 'бетон'],
  ['блака', 'балка'],
  ['отслоеине', 'отслоение'],
])('the spelling candidates of %s include %s', (word, expected) => {
  expect(spellingCandidates(word)).toContain(expected);
});

it('spelling candidates are distinct, one edit away and fewer than 400', () => {
  for (const word of ['мост', 'балка', 'ссора', 'wall', 'трещина']) {
    const all = spellingCandidates(word);
    expect(all.every((other) => other !== word && isWithinEdits(word, other, 1))).toBe(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeLessThan(400);
  }
  expect(spellingCandidates('трещина')).toHaveLength(6);
  expect(spellingCandidates('дом')).toEqual([]);
});
