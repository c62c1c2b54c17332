import { expect, it } from 'vitest';
import { tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import { fitShapes } from './fit-shapes.ts';
import type { PageReading } from './page-reading.ts';

const SHAPES = [
  '^\\p{Lu}[\\p{L}-]+\\s+\\p{Lu}\\.\\s?\\p{Lu}\\.$',
  '^\\p{Lu}\\.\\s?(\\p{Lu}\\.\\s?)?\\p{Lu}[\\p{L}-]+$',
];
const NAME = 'general:head';

/** The value that is read of a line, where the network takes the words of `found` for the name with these probabilities. */
function nameOf(line: string, found: Readonly<Record<string, number>>, shapes: readonly string[] = SHAPES): string {
  const words = [...line.matchAll(/\S+/gu)].map(({ 0: text, index }) => ({
    text,
    box: [40 + 6 * index, 40, 40 + 6 * (index + text.length), 50].map((at) => at / 600) as never,
    confidence: 0.9,
  }));
  const page = { page: 1, width: 600, height: 600, turn: 0, reader: 'tesseract', rules: [], words } as const;
  const [sheet] = tokenizePages([page], VALUE_BOUNDARY);
  const { tokens } = sheet!;
  const share = (i: number) => found[tokens[i]!.text] ?? 0;
  const reading: PageReading = {
    tokens,
    probabilityOf: share,
    likeliest: (i) => (share(i) > 0.5 ? NAME : 'none'),
    affinity: () => 1,
    areApart: () => false,
  };
  const members = tokens.flatMap((_, i) => (share(i) > 0.5 ? [i] : []));
  return fitShapes(members, reading, NAME, { type: 'string', shapes: [...shapes] })
    .map((i) => tokens[i]!.text)
    .join(' ');
}

it.each([
  ['after the name', 'Техник Новосёлов Ю. м.', { Новосёлов: 1, 'Ю.': 1 }, 'Новосёлов Ю. м.'],
  ['before it', 'Техник И. Т. Кожевников', { Кожевников: 1, 'Т.': 0.9 }, 'И. Т. Кожевников'],
])('adds initials %s', (_, line, found, expected) => {
  expect(nameOf(line, found)).toBe(expected);
});

it('leaves out words that are not part of the name', () => {
  expect(nameOf('Белозёров Н. С. подпись', { Белозёров: 1, 'Н.': 1, 'С.': 1, подпись: 0.6 })).toBe('Белозёров Н. С.');
});

it('chooses the surer of two names', () => {
  const found = { 'Ю.Н.': 0.6, Бикбаев: 0.6, 'С.И.': 0.9, Чернов: 0.9 };
  expect(nameOf('Ю.Н. Бикбаев С.И. Чернов', found)).toBe('С.И. Чернов');
});

it('keeps names in English, with titles and degrees, and fields without shapes', () => {
  expect(nameOf('Dr Susan Helliwell MRICS', { Dr: 1, Susan: 1, Helliwell: 1, MRICS: 1 })).toBe(
    'Dr Susan Helliwell MRICS',
  );
  expect(nameOf('Белозёров Н. С. подпись', { Белозёров: 1, подпись: 1 }, [])).toBe('Белозёров подпись');
});
