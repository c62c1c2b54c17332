import { describe, expect, it } from 'vitest';
import { wordsOf } from './words.ts';

describe('the words of a text', () => {
  it.each([
    ['Wall-17.JPG', ['wall', '17', 'jpg']],
    ['Ещё одна ТРЕЩИНА', ['еще', 'одна', 'трещина']],
    ['е\u0308лка и йод', ['елка', 'и', 'йод']],
    ['ул. Южная, д.\u00a07', ['ул', 'южная', 'д', '7']],
    ['ﬁn ①', ['fin', '1']],
    ['замо\u0301к', ['замок']],
    ['<script>alert(1)</script>', ['script', 'alert', '1', 'script']],
    ['\u202Eabc\u202C', ['abc']],
    ['', []],
    ['…—!', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are cut where they are longer than anybody types, at a whole character', () => {
    expect(wordsOf('а'.repeat(300))).toEqual(['а'.repeat(64)]);
    expect(wordsOf('𐍈'.repeat(300))).toEqual(['𐍈'.repeat(64)]);
  });
});
