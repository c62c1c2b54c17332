import { expect, it } from 'vitest';
import { tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { withWholeNames } from './whole-names.ts';

/** Lines of words at (40, y); letters are 6 pt wide and 10 pt high. */
function readingOf(lines: readonly string[]): PageReading {
  const words = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/gu)].map(({ 0: text, index }) => ({
      text,
      box: [40 + 6 * index, 40 + 14 * row, 40 + 6 * (index + text.length), 50 + 14 * row].map(
        (at) => at / 600,
      ) as never,
      confidence: null,
    })),
  );
  const page = { page: 1, width: 600, height: 600, turn: 0, reader: 'text', rules: [], words } as const;
  const [sheet] = tokenizePages([page], VALUE_BOUNDARY);
  return {
    tokens: sheet!.tokens,
    probabilityOf: () => 1,
    likeliest: () => 'general:issuer',
    affinity: () => 1,
    areApart: () => false,
  };
}

/** The name around the words of `found` in the text. */
function wholeName(lines: readonly string[], found: string): string {
  const reading = readingOf(lines);
  const members = found.split(' ').map((text) => reading.tokens.findIndex((token) => token.text === text));
  return withWholeNames(members, reading)
    .map((i) => reading.tokens[i]!.text)
    .join(' ');
}

it.each([
  [
    'the left',
    ['Выдан ФГУП «Ростехинвентаризация — БТИ», филиал'],
    'БТИ», филиал',
    'ФГУП «Ростехинвентаризация — БТИ», филиал',
  ],
  [
    'the left of a branch',
    ['Выдан ФГУП «Ростехинвентаризация — БТИ», Омский филиал'],
    'Омский филиал',
    'ФГУП «Ростехинвентаризация — БТИ», Омский филиал',
  ],
  ['the right', ['Выдан ООО «Бюро кадастра» 5 мая'], 'ООО «Бюро', 'ООО «Бюро кадастра»'],
  ['the line above', ['Выдан ООО «Бюро', 'кадастра» 5 мая'], 'кадастра»', 'ООО «Бюро кадастра»'],
  ['the line below', ['ООО «Бюро', 'кадастра» 5 мая'], 'ООО «Бюро', 'ООО «Бюро кадастра»'],
])('completes a quoted name from %s', (_, lines, found, expected) => {
  expect(wholeName(lines, found)).toBe(expected);
});

it('keeps a name whose other quotation mark is missing', () => {
  expect(wholeName(['Выдан Бюро кадастра» 5 мая'], 'кадастра»')).toBe('кадастра»');
  expect(wholeName(['Выдан «Бюро кадастра» 5 мая'], '«Бюро кадастра»')).toBe('«Бюро кадастра»');
});

it('completes text in brackets', () => {
  expect(wholeName(['Клуб (бывшая школа) 1961'], 'Клуб (бывшая')).toBe('Клуб (бывшая школа)');
});
