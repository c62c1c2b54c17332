import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../base/random.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { type Token, tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { connect, groupOf, inReadingOrder, membersOf, textOf } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';

const SIZE = 1000;
type PlacedWord = readonly [x: number, y: number, text: string];

/** The tokens of words at (x, y) in points; letters are 6 pt wide and 10 pt high. */
function tokensOf(words: readonly PlacedWord[]): readonly Token[] {
  const page: ReadPage = {
    ...{ page: 1, width: SIZE, height: SIZE, turn: 0, reader: 'text', rules: [] },
    words: words.map(([x, y, text]) => ({
      text,
      box: [x / SIZE, y / SIZE, (x + 6 * text.length) / SIZE, (y + 10) / SIZE],
      confidence: null,
    })),
  };
  return tokenizePages([page], VALUE_BOUNDARY)[0]!.tokens;
}

/** Words of one line, 6 pt apart. */
function line(y: number, text: string, x = 40): PlacedWord[] {
  return [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => [x + 6 * index, y, word]);
}

function readingOf(tokens: readonly Token[], more: Partial<PageReading> = {}): PageReading {
  return {
    ...{ tokens, probabilityOf: () => 0.9, likeliest: () => 'general:address', areApart: () => false },
    affinity: () => 5,
    ...more,
  };
}
const texts = (tokens: readonly Token[]) => tokens.map(({ text }) => text);

describe('membersOf', () => {
  it('returns the tokens of a likeliest class, and those with a probability of at least 0.4', () => {
    const tokens = tokensOf(line(40, 'один два три четыре'));
    const shares = [0.3, 0.45, 0.2, 0];
    const reading = readingOf(tokens, {
      probabilityOf: (i, name) => (name === 'general:owner' ? shares[i]! : 0),
      likeliest: (i) => (i === 0 ? 'general:owner' : 'none'),
    });
    expect(membersOf(reading, 'general:owner')).toEqual([0, 1]);
  });
});

describe('connect', () => {
  /** Groups `count` words whose affinity is that of `pairs`, or `other`. */
  function groups(count: number, pairs: Record<string, number>, other: number): number[][] {
    const tokens = tokensOf(Array.from({ length: count }, (_, i) => [40 * i, 40, 'слово']));
    const affinity = (a: number, b: number) => pairs[`${Math.min(a, b)}-${Math.max(a, b)}`] ?? other;
    return connect([...tokens.keys()], readingOf(tokens, { affinity }))
      .map((group) => group.sort((a, b) => a - b))
      .sort((a, b) => a[0]! - b[0]!);
  }

  it('joins tokens whose mean affinity is positive, even if that of one pair is not', () => {
    expect(groups(3, { '0-1': 3, '1-2': 2, '0-2': -1 }, 0)).toEqual([[0, 1, 2]]);
  });

  it('does not join a token whose mean affinity to the group is negative', () => {
    expect(groups(3, { '0-1': 3, '1-2': 2, '0-2': -3 }, 0)).toEqual([[0, 1], [2]]);
  });

  it('does not join two rows through one doubtful pair', () => {
    const row = (from: number) => ({
      [`${from}-${from + 1}`]: 5,
      [`${from}-${from + 2}`]: 5,
      [`${from + 1}-${from + 2}`]: 5,
    });
    const rows = groups(6, { ...row(0), ...row(3), '2-3': 4 }, -2);
    expect(rows).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  it('does not join two rows through a pair with the highest affinity of all if each row is otherwise apart', () => {
    const pairs = { '0-1': 5, '2-3': 5, '1-2': 4.9 };
    expect(groups(4, pairs, -2)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('leaves tokens without positive affinity alone', () => {
    expect(groups(3, {}, -1)).toEqual([[0], [1], [2]]);
    expect(groups(2, {}, 0)).toEqual([[0], [1]]);
    expect(groups(0, {}, 1)).toEqual([]);
  });

  it('looks at each pair of tokens once where groups of many tokens compete', () => {
    const tokens = tokensOf(Array.from({ length: 300 }, (_, i) => [3 * i, 40, 'слово']));
    const random = createRandom(1);
    const affinities = tokens.map(() => tokens.map(() => 10 * random() - 6));
    let calls = 0;
    const affinity = (a: number, b: number) => {
      calls += 1;
      return affinities[Math.min(a, b)]![Math.max(a, b)]!;
    };
    const found = connect([...tokens.keys()], readingOf(tokens, { affinity }));
    expect(calls).toBe((300 * 299) / 2);
    expect(found.flat().sort((a, b) => a - b)).toEqual([...tokens.keys()]);
    expect(Math.max(...found.map(({ length }) => length))).toBeGreaterThan(2);
  });

  it('keeps the parts of one word together', () => {
    const tokens = tokensOf([
      [40, 40, '4471/12'],
      [100, 40, '5'],
    ]);
    expect(texts(tokens)).toEqual(['4471', '/', '12', '5']);
    expect(connect([0, 2, 3], readingOf(tokens, { affinity: () => -5 }))).toEqual([[0, 2], [3]]);
  });

  it('returns each of 2,000 members once', () => {
    const tokens = tokensOf(Array.from({ length: 2000 }, (_, i) => [20 * (i % 50), 20 * Math.floor(i / 50), 'а']));
    const affinity = (a: number, b: number) => (Math.floor(a / 10) === Math.floor(b / 10) ? 5 : -5);
    const found = connect([...tokens.keys()], readingOf(tokens, { affinity }));
    expect(found.flat().sort((a, b) => a - b)).toEqual([...tokens.keys()]);
    expect(found[0]).toHaveLength(10);
  });
});

describe('inReadingOrder', () => {
  it('orders tokens by line and within a line from left to right', () => {
    const tokens = tokensOf([...line(60, 'ул. Мира'), ...line(40, 'город Пермь')]);
    expect(texts(inReadingOrder([...tokens].reverse()))).toEqual(['город', 'Пермь', 'ул.', 'Мира']);
  });

  it('takes tokens that are up to half of their height apart for one line', () => {
    const tokens = tokensOf([
      [100, 40, 'второе'],
      [40, 44, 'первое'],
      [40, 55, 'третье'],
    ]);
    expect(texts(inReadingOrder(tokens))).toEqual(['первое', 'второе', 'третье']);
  });
});

describe('groupOf', () => {
  const groupTexts = (words: readonly PlacedWord[], members: readonly number[]) =>
    texts(groupOf(members, readingOf(tokensOf(words)), 'general:address').tokens);

  it('adds punctuation that stands between two tokens of a line', () => {
    expect(groupTexts(line(40, '4471 — 12'), [0, 2])).toEqual(['4471', '—', '12']);
    expect(groupTexts(line(40, 'дом № 12'), [0, 2])).toEqual(['дом', '№', '12']);
  });

  it('adds a dash at the end of a line', () => {
    const words = [...line(40, 'бетонный —'), ...line(60, 'под пристройкой')];
    expect(groupTexts(words, [0, 2, 3])).toEqual(['бетонный', '—', 'под', 'пристройкой']);
  });

  it('adds a dash at the end of a line behind the wide space of a typewriter', () => {
    const [word, dash, ...rest] = tokensOf([...line(40, 'подвал —'), ...line(60, 'кирпичные своды')]);
    const tokens = [word!, { ...dash!, x0: word!.x1 + 1.2 * (word!.y1 - word!.y0), x1: word!.x1 + 20 }, ...rest];
    const found = groupOf([0, 2, 3], readingOf(tokens), 'general:address').tokens;
    expect(texts(found)).toEqual(['подвал', '—', 'кирпичные', 'своды']);
  });

  it('adds a № at a line break', () => {
    expect(groupTexts([...line(40, 'улица дом №'), ...line(60, '12')], [0, 1, 3])).toEqual(['улица', 'дом', '№', '12']);
    expect(groupTexts([...line(40, 'улица дом'), ...line(60, '№ 12')], [0, 1, 3])).toEqual(['улица', 'дом', '№', '12']);
  });

  it('adds no № before a word or of another ruled cell', () => {
    expect(groupTexts([...line(40, 'садовое товарищество'), ...line(60, '№ Ромашка')], [0, 1, 3])).not.toContain('№');
    const tokens = tokensOf([...line(40, 'Садоводство №'), ...line(60, '7')]);
    const reading = readingOf(tokens, { areApart: (a, b) => a === 1 || b === 1 });
    expect(texts(groupOf([0, 2], reading, 'general:address').tokens)).toEqual(['Садоводство', '7']);
  });

  it('adds a dash that begins the next line, unless each line begins with one', () => {
    const words = [...line(40, 'бетонный'), ...line(60, '— под пристройкой')];
    expect(groupTexts(words, [0, 2, 3])).toEqual(['бетонный', '—', 'под', 'пристройкой']);
    const list = [...line(40, '— бетонный'), ...line(60, '— кирпичный')];
    expect(groupTexts(list, [1, 3])).toEqual(['бетонный', 'кирпичный']);
    const begun = [...line(40, 'бутовый,'), ...line(60, '— кирпичный'), ...line(80, '— бетонный')];
    expect(groupTexts(begun, [0, 2, 4])).toEqual(['бутовый,', 'кирпичный', 'бетонный']);
    const ruled = readingOf(tokensOf(words), { areApart: (a, b) => [a, b].includes(1) });
    expect(texts(groupOf([0, 2, 3], ruled, 'general:address').tokens)).toEqual(['бетонный', 'под', 'пристройкой']);
  });

  it('adds no punctuation before the first token, after the last one, or from other lines', () => {
    const words = [...line(40, '— один два —'), ...line(60, '— три')];
    expect(groupTexts(words, [1, 2, 5])).toEqual(['один', 'два', 'три']);
  });

  it('adds neither words nor drawn lines', () => {
    expect(groupTexts(line(40, 'один слово | два'), [0, 3])).toEqual(['один', 'два']);
  });

  it('does not repeat punctuation that is itself a member', () => {
    expect(groupTexts(line(40, '4471 — 12'), [0, 1, 2])).toEqual(['4471', '—', '12']);
  });

  // A comma in a scan: its box also fits between itself and its neighbours.
  it('does not repeat a mark that is a member and at most 1 pt wide', () => {
    const [word, mark, next] = tokensOf(line(40, 'Пермь , Мира'));
    const tokens = [word!, { ...mark!, x1: mark!.x0 + 0.8 }, next!];
    expect(texts(groupOf([0, 1, 2], readingOf(tokens), 'general:address').tokens)).toEqual(['Пермь', ',', 'Мира']);
  });

  it('scores the group by the mean probability of its members', () => {
    const reading = readingOf(tokensOf(line(40, 'один — два')), { probabilityOf: (i) => [0.9, 0.1, 0.5][i]! });
    expect(groupOf([0, 2], reading, 'general:address').score).toBeCloseTo(0.7);
  });
});

describe('textOf', () => {
  it('separates words by spaces', () => {
    expect(textOf(tokensOf(line(40, 'ул. Мира, д. 5')))).toBe('ул. Мира, д. 5');
  });

  it('does not separate the parts of a word', () => {
    expect(textOf(tokensOf(line(40, 'дело 4471/12')))).toBe('дело 4471/12');
  });

  it('joins characters in separate boxes', () => {
    expect(textOf(tokensOf(line(40, '5 2 : 1 0 : 0 9')))).toBe('52:10:09');
  });

  it('keeps the spaces between fewer than four single characters', () => {
    expect(textOf(tokensOf(line(40, '5 а 2')))).toBe('5 а 2');
  });
});
