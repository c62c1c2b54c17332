import { describe, expect, it } from 'vitest';
import { detectTurn, type Glyph, groupWords, isGarbled } from './page-words.ts';

const page = { width: 600, height: 800 };

/** A line of 10 pt letters, 5 pt wide, from (x, y). */
function line(text: string, { x = 60, y = 100, turn = 0 as Glyph['turn'] } = {}): Glyph[] {
  return [...text].map((letter, index): Glyph => {
    const box = [x + index * 5, y, x + index * 5 + 5, y + 8] as const;
    return {
      text: letter,
      glyphBox: letter === ' ' ? [0, 0, 0, 0] : box,
      advanceBox: box,
      size: 10,
      turn,
      unknown: false,
    };
  });
}

const texts = (glyphs: readonly Glyph[]) => groupWords(glyphs, page).map(({ text }) => text);

describe('groupWords', () => {
  it('normalizes ligatures, hyphens, accents and invisible characters', () => {
    expect(texts(line('o\ufb03ce'))).toEqual(['office']);
    expect(texts(line('кадаст\u00adро\u00ad'))).toEqual(['кадастро-']);
    expect(texts(line('кадаст\u0002'))).toEqual(['кадаст-']);
    expect(texts(line('13\u20114\u200b5'))).toEqual(['13-4', '5']);
    expect(texts(line('Йи\u0306'))).toEqual(['Йй']);
    // PostgreSQL rejects lone surrogates and NUL.
    expect(texts(line('a').map((glyph) => ({ ...glyph, text: '\ud800a\u0000' })))).toEqual(['a']);
  });

  it('ends words at spaces, at gaps and at the next line or column', () => {
    expect(texts([...line('one two'), ...line('three', { x: 200 }), ...line('four', { y: 120 })])).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
  });

  it('joins parts of a word between which other text of the line comes', () => {
    const parts = [...line('Рыж', { x: 100 }), ...line('№ 65', { x: 300 }), ...line(' ', { x: 320 })];
    expect(texts([...parts, ...line('ова Т.', { x: 115 })])).toEqual(['Рыжова', '№', '65', 'Т.']);
    expect(texts([...parts, ...line('ова', { x: 118 })])).toEqual(['Рыж', '№', '65', 'ова']);
    expect(texts([...parts, ...line('ова', { x: 115, y: 112 })])).toEqual(['Рыж', '№', '65', 'ова']);
  });

  it('keeps superscripts in the word', () => {
    expect(texts([...line('54 м'), ...line('2', { x: 80, y: 96 })])).toEqual(['54', 'м2']);
  });

  it('clips boxes at the page edge and omits words outside the page', () => {
    const [word] = groupWords(line('edge', { x: 585 }), page);
    expect(word!.box[2]).toBe(1);
    expect(texts(line('out', { x: 610 }))).toEqual([]);
    expect(texts(line('out', { y: -20 }))).toEqual([]);
  });
});

it('detectTurn returns the rotation of most of the text', () => {
  expect(detectTurn([...line('sideways text', { turn: 90 }), ...line('stamp')])).toBe(270);
  expect(detectTurn([])).toBe(0);
});

describe('isGarbled', () => {
  it('detects unmapped characters and Cyrillic encoded as Latin-1', () => {
    expect(isGarbled(line('\ue001\ue002\ue003 ok'))).toBe(true);
    expect(isGarbled(line('Òåõíè÷åñêèé ïàñïîðò 54,3'))).toBe(true);
    expect(isGarbled(line('text').map((glyph) => ({ ...glyph, unknown: true })))).toBe(true);
  });

  it('accepts rare characters and foreign languages', () => {
    expect(isGarbled([])).toBe(false);
    expect(isGarbled(line('Технический паспорт \ue001 54,3 м²'))).toBe(false);
    expect(isGarbled(line('Propriété à usage d’habitation, élevée'))).toBe(false);
    expect(isGarbled(line('1 234,50 — № 5'))).toBe(false);
  });
});
