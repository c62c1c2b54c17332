import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';

describe('the line shown with a record', () => {
  it('is the beginning of a text, cut at a word', () => {
    expect(snippetOf('короткий текст', [])).toBe('короткий текст');
    const line = snippetOf('слово '.repeat(100), []);
    expect(line).toMatch(/^слово .* слово…$/);
    expect(line.length).toBeLessThanOrEqual(200);
  });

  it('is around the first word that begins as one of those looked for', () => {
    const text = `${'раз два '.repeat(50)}Трещинами покрыто ${'три четыре '.repeat(50)}`;
    const line = snippetOf(text, ['скол', 'трещин']);
    expect(line).toMatch(/^…(раз|два) .*Трещинами покрыто три.*…$/);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(snippetOf('Ёлочка', ['елоч'])).toBe('Ёлочка');
    // In the middle of a word it is another one.
    expect(snippetOf(text, ['рещин'])).toMatch(/^раз два/);
  });

  it('is one line of plain text, whole characters only', () => {
    expect(snippetOf('a\r\n\tb\u0000c \u202ed\u2066', [])).toBe('a b c d');
    expect(snippetOf('🏠'.repeat(150), [])).toMatch(/^(🏠)+…$/u);
    expect(snippetOf(`${'🏠'.repeat(150)} дом`, ['дом'])).toMatch(/^…(🏠)+ дом$/u);
  });
});
