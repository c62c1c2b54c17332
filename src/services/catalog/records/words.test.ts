import { describe, expect, it } from 'vitest';
import { splitWords } from './words.ts';

describe('splitting a text into words', () => {
  it.each([
    ['Wall-17.JPG', ['wall', '17', 'jpg']],
    ['Ещё одна ТРЕЩИНА', ['еще', 'одна', 'трещина']],
    ['е\u0308лка и йод', ['елка', 'и', 'йод']],
    ['ул. Южная, д.\u00a07', ['ул', 'южная', 'д', '7']],
    ['ﬁn ①', ['fin', '1']],
    ['Ｗａｌｌ　１７', ['wall', '17']],
    ['Мост №57', ['мост', '57']],
    ['№ 57, дом№157№', ['57', 'дом', '157']],
    ['Nº57, 5º', ['n', '57', '5']],
    ['Assay™ 20℃', ['assay', '20']],
    ['120 м², H₂O', ['120', 'м2', 'h2o']],
    ['2½ ⅓', ['2', '1', '2', '1', '3']],
    ['глава Ⅷ', ['глава', 'viii']],
    ['5\ufe0f\u20e3', ['5']],
    ['замо\u0301к', ['замок']],
    ['Café, cafe\u0301, ÅNGSTRÖM, naïve, Việt, Đà', ['cafe', 'cafe', 'angstrom', 'naive', 'viet', 'đa']],
    ['Йод, Їжак', ['йод', 'їжак']],
    ['<script>alert(1)</script>', ['script', 'alert', '1', 'script']],
    ['\u202Eabc\u202C', ['abc']],
    ['', []],
    ['…—!', []],
  ])('splits %j into %j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('truncates words to 64 whole characters', () => {
    expect(splitWords('а'.repeat(300))).toEqual(['а'.repeat(64)]);
    expect(splitWords('𐍈'.repeat(300))).toEqual(['𐍈'.repeat(64)]);
  });
});
