import { describe, expect, it } from 'vitest';
import { tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { endsOf, withDoubtfulWords } from './value-ends.ts';

const NAME = 'construction:wall_material';

/** Lines of words, each with its probability: `кирпич 0.9`. Pairs have the affinity 5, those with `apart` -5. */
function readingOf(text: string, { apart = -1, cell = -1 } = {}): PageReading {
  const parts = text.split('\n').flatMap((line, row) => {
    let x = 40;
    return [...line.matchAll(/(\S+) (\d\S*)/gu)].map(([, text = '', share]) => {
      const left = x;
      x += 6 * (text.length + 1);
      return { text, share: Number(share), left, top: 40 + 14 * row };
    });
  });
  const words = parts.map(({ text, left, top }) => {
    const box = [left, top, left + 6 * text.length, top + 10].map((at) => at / 900) as never;
    return { text, box, confidence: null };
  });
  const page = { page: 1, width: 900, height: 900, turn: 0, reader: 'text', rules: [], words } as const;
  const [sheet] = tokenizePages([page], VALUE_BOUNDARY);
  const share = (i: number) => parts[i]?.share ?? 0;
  return {
    tokens: sheet!.tokens,
    probabilityOf: (i, name) => (name === NAME ? share(i) : 0),
    likeliest: (i) => (share(i) >= 0.5 ? NAME : 'none'),
    affinity: (a, b) => (a === apart || b === apart ? -5 : 5),
    areApart: (a, b) => (a === cell) !== (b === cell),
  };
}
const sure = ({ tokens, probabilityOf }: PageReading) =>
  [...tokens.keys()].filter((i) => probabilityOf(i, NAME) >= 0.5);
const extended = (reading: PageReading, name = NAME) =>
  withDoubtfulWords(sure(reading), reading, name)
    .map((i) => reading.tokens[i]!.text)
    .join(' ');

describe('withDoubtfulWords', () => {
  it('adds doubtful words of the same value at both ends', () => {
    const reading = readingOf('Стены 0.01 из 0.12 красного 0.9 кирпича 0.9 на 0.06 растворе 0.06 Кровля 0.01');
    expect(extended(reading)).toBe('из красного кирпича на растворе');
  });

  it('adds the rest of a word that is hyphenated at the end of its line', () => {
    expect(extended(readingOf('precast 0.9 hollow- 0.9\ncore 0.01 floors 0.01'))).toBe('precast hollow- core');
    expect(extended(readingOf('precast 0.9 hollow- 0.9\nCore 0.01 floors 0.01'))).toBe('precast hollow-');
    expect(extended(readingOf('precast 0.9 hollow- 0.9\ncore 0.01', { cell: 2 }))).toBe('precast hollow-');
  });

  it('adds no word before the value that is as unlikely as a label', () => {
    expect(extended(readingOf('Стены 0.07 кирпичные 0.9'))).toBe('кирпичные');
  });

  it.each([
    ['of another value', { apart: 1 }],
    ['in another ruled cell', { cell: 1 }],
  ])('adds no word %s', (_, options) => {
    expect(extended(readingOf('кирпич 0.9 красный 0.3', options))).toBe('кирпич');
  });

  it('adds no option of a list, and no mark at the end', () => {
    expect(extended(readingOf('кирпич 0.9 ☐ 0 дерево 0.3'))).toBe('кирпич');
    expect(extended(readingOf('[92] 0.3 кирпич 0.9'))).toBe('кирпич');
    expect(extended(readingOf('кирпич 0.9 – 0'))).toBe('кирпич');
    expect(extended(readingOf('кирпич 0.9 – 0 брус 0.2'))).toBe('кирпич – брус');
  });

  it('adds words between two sure ones that the network doubts more', () => {
    const reading = readingOf('дощатые 0.9 по 0.1 дранке 0.03 в 0.02 санузле 0.9');
    expect(extended(reading)).toBe('дощатые по дранке в санузле');
    expect(extended(readingOf('кирпич 0.9 износ 0.01 красный 0.9'))).toBe('кирпич красный');
  });

  it('adds the `in` of `in situ`, which the network takes for a preposition, and the words before it that it doubts', () => {
    expect(extended(readingOf('are 0 in 0.001 situ 0.9 concrete 0.9'))).toBe('in situ concrete');
    expect(extended(readingOf('are 0 cast 0.2 in 0.001 situ 0.9'))).toBe('cast in situ');
    expect(extended(readingOf('are 0 in 0.001 concrete 0.9'))).toBe('concrete');
    expect(extended(readingOf('in 0.9 situ 0.9 in 0 1950 0'))).toBe('in situ');
  });

  it('adds doubtful words on a last line that is shorter', () => {
    expect(extended(readingOf('Кровля: 0 стальные 0.9 волнистые 0.9\nлисты 0.15'))).toBe('стальные волнистые листы');
    expect(extended(readingOf('Кровля: 0 стальные 0.9 волнистые 0.9\nИзнос 0.06'))).toBe('стальные волнистые');
  });

  it.each([
    ['дом 0.9 12-а, 0.9 корпус 0.3 Г 0', 'дом 12-а, корпус Г'],
    ['улица 0.9 Мира, 0.9 дом 0.9 7, 0.9\nкв. 0 12 0', 'улица Мира, дом 7, кв. 12'],
    ['дом 0.9 5, 0.9 корпус 0 2, 0 кв. 0 7 0 Литера 0 А 0', 'дом 5, корпус 2, кв. 7'],
    ['дом 0.9 12-а, 0.9 корпус 0.3 общежития 0', 'дом 12-а,'],
    ['дом 0.9 12-а 0.9 корпус 0.3 Г 0', 'дом 12-а'],
  ])('adds the part of an address that follows a comma: %j', (text, expected) => {
    const reading = readingOf(text);
    const words = withDoubtfulWords(sure(reading), reading, 'general:address').map((i) => reading.tokens[i]!.text);
    expect(words.join(' ')).toBe(expected);
  });

  it('adds no words beside a part of an address', () => {
    const reading = { ...readingOf('Омск 0.9 Мира 0.3'), probabilityOf: () => 0.3 };
    expect(withDoubtfulWords([0], reading, 'address.city')).toEqual([0]);
  });
});

describe('endsOf', () => {
  const found = (reading: PageReading) => sure(reading).map((i) => reading.tokens[i]!);

  it('returns the highest probability beside the value, and the lowest affinity within', () => {
    const reading = readingOf('Стены 0.02 красный 0.9 кирпич 0.9 на 0.04');
    expect(endsOf(found(reading), reading, NAME)).toEqual({ beside: 0.04, isLast: false, bond: 5 });
  });

  it('is last at the end of a line and of a cell', () => {
    const line = readingOf('Стены 0.02 кирпич 0.9');
    expect(endsOf(found(line), line, NAME)).toEqual({ beside: 0.02, isLast: true, bond: 6 });
    const cell = readingOf('кирпич 0.9 бетон 0.01', { cell: 1 });
    expect(endsOf(found(cell), cell, NAME).isLast).toBe(true);
  });
});
