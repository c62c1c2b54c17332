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

  it('joins decimals with a separator that is printed between the boxes', () => {
    const page = boxed('16|8');
    const separator = (text: string) => ({ text, box: [0.1285, 0.106, 0.1325, 0.114] as const, confidence: null });
    const readWith = (text: string, others = page) =>
      read({ ...others, words: others.words.toSpliced(2, 0, separator(text)) });
    expect(readWith(',')).toEqual(['16,8']);
    expect(readWith('.')).toEqual(['16.8']);
    expect(readWith('/')).toEqual(['16', '/', '8']);
    expect(readWith(',', boxed('УЛ|М'))).toEqual(['УЛ', ',', 'М']);
    // A speck between two fields.
    const { words, rules, ...far } = boxed('161|852');
    const moved = ([x0, y0, x1, y1]: Rule): Rule => (x0 > 0.146 ? [x0 + 0.02, y0, x1 + 0.02, y1] : [x0, y0, x1, y1]);
    const fields = { ...far, words: words.map((word) => ({ ...word, box: moved(word.box) })), rules: rules.map(moved) };
    const speck = { text: '.', box: [0.15, 0.106, 0.154, 0.114] as const, confidence: 0.3 };
    expect(read({ ...fields, words: fields.words.toSpliced(3, 0, speck) })).toEqual(['161', '.', '852']);
  });

  it('joins two digits in boxes, but no other two characters', () => {
    expect(read(boxed('41'))).toEqual(['41']);
    expect(read(boxed('4✕'))).toEqual(['4', '✕']);
    expect(read(boxed('4 '))).toEqual(['4']);
  });

  it('leaves two narrow columns of a table of cells as they are', () => {
    const row = boxed('22');
    const below = { ...row.words[0]!, text: '3' };
    const shifted = ([x0, y0, x1, y1]: Rule): Rule => [x0, y0 + 0.017, x1, y1 + 0.017];
    const words = [...row.words, ...[below, row.words[1]!].map((word) => ({ ...word, box: shifted(word.box) }))];
    expect(read({ ...row, words, rules: [...row.rules, ...row.rules.map(shifted)] })).toEqual(['2', '2', '3', '2']);
    const wide: Rule = [0.228, 0.1, 0.228, 0.116];
    expect(read({ ...row, rules: [...row.rules, wide] })).toEqual(['2', '2']);
  });

  it('joins the characters of boxes that each have an outline of their own', () => {
    const { words, ...page } = boxed('МИРА 12');
    const sides = page.rules.flatMap(([x0, y0, x1, y1]): Rule[] => [
      [x0 - 0.001, y0, x1 - 0.001, y1],
      [x0 + 0.001, y0, x1 + 0.001, y1],
    ]);
    const joined = joinBoxedCharacters({ ...page, words, rules: sides.slice(1, -1) });
    expect(joined.words.map(({ text }) => text)).toEqual(['МИРА', '12']);
    expect(joined.rules).toHaveLength(2);
  });

  it('joins the characters of a table of boxes, and keeps the rules between its columns', () => {
    const lines = ['1|КУХНЯ |8,3', '2|ХОЛЛ  |12 '].map(boxed);
    const shift = (at: number) => at * 0.02;
    const words = lines.flatMap((line, at) =>
      line.words.map((word) => {
        const [x0, y0, x1, y1] = word.box;
        return { ...word, box: [x0, y0 + shift(at), x1, y1 + shift(at)] as const };
      }),
    );
    const across = [0.1, 0.116, 0.12, 0.136].map((y): Rule => [0.1, y, 0.25, y]);
    const sides = lines[0]!.rules.map(([x0, y0, x1]): Rule => [x0, y0, x1, 0.136]);
    const joined = joinBoxedCharacters({ ...lines[0]!, words, rules: [...across, ...sides] });
    expect(joined.words.map(({ text }) => text)).toEqual(['1', 'КУХНЯ', '8,3', '2', 'ХОЛЛ', '12']);
    // Of ten boxes in three groups.
    expect(joined.rules).toHaveLength(across.length + 6);
  });

  it('leaves columns of a table as they are', () => {
    const { rules, ...page } = boxed('1234');
    const high = rules.map(([x0, y0, x1]): Rule => [x0, y0, x1, 0.2]);
    expect(read({ ...page, rules: high })).toEqual(['1', '2', '3', '4']);
    const words = page.words.map((word) => ({ ...word, text: `${word.text}5` }));
    expect(read({ ...page, words, rules })).toEqual(['15', '25', '35', '45']);
    const rows = [0.1, 0.116, 0.132].map((y): Rule => [0.1, y, 0.156, y]);
    expect(read({ ...page, rules: [...rows, ...rules.map(([x0, y0, x1]): Rule => [x0, y0, x1, 0.132])] })).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
  });
});
