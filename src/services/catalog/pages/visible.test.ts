import { expect, it } from 'vitest';
import { firstWords, visible } from './visible.ts';

it('replaces bidirectional control and invisible characters by their code points', () => {
  expect(visible('invoice\u202Egpj.exe')).toBe('invoice‹U+202E›gpj.exe');
  expect(visible('a\u2066b\u2069\u200Bc\u0000\uFEFF')).toBe('a‹U+2066›b‹U+2069›‹U+200B›c‹U+0000›‹U+FEFF›');
  expect(visible('Ёлка № 7 — «ок», שלום\n\tтак')).toBe('Ёлка № 7 — «ок», שלום\n\tтак');
});

it('truncates text at a word boundary and never within a character', () => {
  expect(firstWords('one two three', 20)).toBe('one two three');
  expect(firstWords('one two  three\nfour', 12)).toBe('one two…');
  expect(firstWords('😀'.repeat(9), 4)).toBe('😀😀😀😀…');
});
