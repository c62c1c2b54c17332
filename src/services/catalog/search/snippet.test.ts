import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';

describe('a snippet', () => {
  it('is the beginning of a text, truncated at a word boundary', () => {
    expect(snippetOf('короткий текст', [])).toBe('короткий текст');
    const line = snippetOf('слово '.repeat(100), []);
    expect(line).toMatch(/^слово .* слово…$/);
    expect(line.length).toBeLessThanOrEqual(200);
  });

  it('is centred on the first word with one of the prefixes', () => {
    const text = `${'раз два '.repeat(50)}Трещинами покрыто ${'три четыре '.repeat(50)}`;
    const line = snippetOf(text, ['скол', 'трещин']);
    expect(line).toMatch(/^…(раз|два) .*Трещинами покрыто три.*…$/);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(snippetOf('Ёлочка', ['елоч'])).toBe('Ёлочка');
    // A match inside a word does not count.
    expect(snippetOf(text, ['рещин'])).toMatch(/^раз два/);
  });

  it('is one line of plain text with whole characters', () => {
    expect(snippetOf('a\r\n\tb\u0000c \u202ed\u2066', [])).toBe('a b c d');
    expect(snippetOf('🏠'.repeat(150), [])).toMatch(/^(🏠)+…$/u);
    expect(snippetOf(`${'🏠'.repeat(150)} дом`, ['дом'])).toMatch(/^…(🏠)+ дом$/u);
  });
});
