import { expect, it } from 'vitest';
import { isLetterKey } from './shortcuts.ts';

it.each([
  ['z', 'KeyZ', true],
  ['Z', 'KeyZ', true],
  // QWERTZ
  ['z', 'KeyY', true],
  ['y', 'KeyZ', false],
  // Russian
  ['я', 'KeyZ', true],
  ['н', 'KeyY', false],
  // macOS with Option
  ['Ω', 'KeyZ', true],
])('isLetterKey of the key "%s" at %s for "z" is %s', (key, code, expected) => {
  expect(isLetterKey({ key, code }, 'z')).toBe(expected);
});
