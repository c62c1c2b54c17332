import { describe, expect, it } from 'vitest';
import { parseQuery } from './query-parser.ts';

describe('parsing a query', () => {
  it.each([
    ['Трещина в  СТЕНЕ', { words: ['трещина', 'в', 'стене'] }],
    ['wall-17.jpg', { words: ['wall', '17', 'jpg'] }],
    ['ёлка елка', { words: ['елка'] }],
    ['"two words" more', { words: ['more'], phrases: [['two', 'words']] }],
    ['«два слова»', { phrases: [['два', 'слова']] }],
    [
      '“a b” „c d“',
      {
        phrases: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      },
    ],
    ['wall -crack -"deep crack"', { words: ['wall'], excluded: [['crack'], ['deep', 'crack']] }],
    ['a"b c"d', { words: ['a', 'd'], phrases: [['b', 'c']] }],
    ['"not closed', { phrases: [['not', 'closed']] }],
    ['- -- "" -"" & | ! ( ) : * \\ % _', {}],
    ['a & !b <-> c:*', { words: ['a', 'b', 'c'] }],
  ])('splits %s into words, phrases and exclusions', (q, expected) => {
    const { count: _, ...query } = parseQuery(q);
    expect(query).toEqual({ words: [], phrases: [], excluded: [], ...expected });
  });

  it('counts all words', () => {
    expect(parseQuery('a "b c" -d -"e f"').count).toBe(6);
  });
});
