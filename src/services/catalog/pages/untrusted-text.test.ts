import { expect, it } from 'vitest';
import { showInvisible, truncateAtWord } from './untrusted-text.ts';

it('replaces bidirectional control and invisible characters by their code points', () => {
  expect(showInvisible('invoice\u202Egpj.exe')).toBe('invoice‹U+202E›gpj.exe');
  expect(showInvisible('a\u2066b\u2069\u200Bc\u0000\uFEFF')).toBe('a‹U+2066›b‹U+2069›‹U+200B›c‹U+0000›‹U+FEFF›');
  expect(showInvisible('Ёлка № 7 — «ок», שלום\n\tтак')).toBe('Ёлка № 7 — «ок», שלום\n\tтак');
});

it('truncates text at a word boundary and never within a character', () => {
  expect(truncateAtWord('one two three', 20)).toBe('one two three');
  expect(truncateAtWord('one two  three\nfour', 12)).toBe('one two…');
  expect(truncateAtWord('😀'.repeat(9), 4)).toBe('😀😀😀😀…');
});
