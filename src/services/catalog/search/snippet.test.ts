import { describe, expect, it } from 'vitest';
import { createSnippets, createWordFinder } from './snippet.ts';

describe('a snippet', () => {
  it('is the beginning of a text, truncated at a word boundary', () => {
    expect(createSnippets([])('короткий текст')).toBe('короткий текст');
    const line = createSnippets([])('слово '.repeat(100));
    expect(line).toMatch(/^слово .* слово…$/);
    expect(line.length).toBeLessThanOrEqual(200);
  });

  it('finds words with accents without them', () => {
    expect(createSnippets(['cafe'])(`${'слово '.repeat(50)}le Café ${'слово '.repeat(50)}`)).toContain('le Café');
  });

  it('is centred on the first word with one of the prefixes', () => {
    const text = `${'раз два '.repeat(50)}Трещинами покрыто ${'три четыре '.repeat(50)}`;
    const line = createSnippets(['скол', 'трещин'])(text);
    expect(line).toMatch(/^…(раз|два) .*Трещинами покрыто три.*…$/);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(createSnippets(['елоч'])('Ёлочка')).toBe('Ёлочка');
    // A match inside a word does not count.
    expect(createSnippets(['рещин'])(text)).toMatch(/^раз два/);
  });

  it('finds whole numbers only', () => {
    const find = createWordFinder(['9', '1', '19', '17b']);
    expect(['1978', '9a', '91'].map(find)).toEqual([undefined, undefined, undefined]);
    expect(['1978, 9.1', 'no. 19', '17bis', '9½', '1º', '9²'].map(find)).toEqual([6, 4, 0, 0, 0, undefined]);
  });

  it('is the same with thousands of other prefixes, and with longer ones', () => {
    const text = `${'раз два '.repeat(50)}Ёлки, скол ${'три четыре '.repeat(50)}`;
    const others = Array.from({ length: 3000 }, (_, at) => `перекрытие${10_000 + at}`);
    const expected = createSnippets(['елк', 'скол'])(text);
    expect(createSnippets(['скол', ...others, 'елк', 'елки', 'сколы'])(text)).toBe(expected);
    expect(createSnippets(others)(text)).toBe(createSnippets([])(text));
  });

  it('is one line of plain text with whole characters', () => {
    expect(createSnippets([])('a\r\n\tb\u0000c \u202ed\u2066')).toBe('a b c d');
    expect(createSnippets([])('🏠'.repeat(150))).toMatch(/^(🏠)+…$/u);
    expect(createSnippets(['дом'])(`${'🏠'.repeat(150)} дом`)).toMatch(/^…(🏠)+ дом$/u);
  });
});
