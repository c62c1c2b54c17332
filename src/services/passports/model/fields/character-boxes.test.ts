import { describe, expect, it } from 'vitest';
import type { ReadPage, Rule } from '../../page-geometry.ts';
import { joinBoxedCharacters } from './character-boxes.ts';

const SIZE = 1000;
const STEP = 14;

/** Boxes of 14 by 16 points with one character each; a space is an empty box, a `|` a gap of 5 points. */
function boxed(text: string): ReadPage {
  const words: ReadPage['words'][number][] = [];
  const edges: number[] = [];
  let x = 100;
  for (const group of text.split('|')) {
    edges.push(x);
    for (const character of group) {
      const box = [(x + 4) / SIZE, 0.103, (x + 10) / SIZE, 0.113] as const;
      if (character !== ' ') words.push({ text: character, box, confidence: null });
      x += STEP;
      edges.push(x);
    }
    x += 5;
  }
  const rules = edges.map((edge): Rule => [edge / SIZE, 0.1, edge / SIZE, 0.116]);
  return { page: 1, width: SIZE, height: SIZE, turn: 0, reader: 'text', words, rules };
}

const read = (page: ReadPage) => joinBoxedCharacters(page).words.map(({ text }) => text);

describe('joinBoxedCharacters', () => {
  it('joins the characters of adjacent boxes to words', () => {
    const page = joinBoxedCharacters(boxed('УЛ. МИРА'));
    expect(page.words.map(({ text }) => text)).toEqual(['УЛ.', 'МИРА']);
    expect(page.words[0]!.box).toEqual([0.104, 0.103, 0.138, 0.113]);
    expect(page.rules).toHaveLength(2);
  });

  it('removes the rules between groups of boxes that are less than a box apart', () => {
    const page = joinBoxedCharacters(boxed('08|06|2005'));
    expect(page.words.map(({ text }) => text)).toEqual(['08', '06', '2005']);
    expect(page.rules).toHaveLength(2);
  });

  it('leaves columns of a table as they are', () => {
    const { rules, ...page } = boxed('1234');
    const high = rules.map(([x0, y0, x1]): Rule => [x0, y0, x1, 0.2]);
    expect(read({ ...page, rules: high })).toEqual(['1', '2', '3', '4']);
    const words = page.words.map((word) => ({ ...word, text: `${word.text}5` }));
    expect(read({ ...page, words, rules })).toEqual(['15', '25', '35', '45']);
  });
});
