import type { Box, ReadPage, Word } from '../../page.ts';
import { alphabetOf, unmixed } from './alphabets.ts';

/** A word as the layout sees it: in points from the top left corner of the page set upright. */
export interface Token {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** As the reader gave it. */
  readonly confidence: number | null;
  /** The words of the page that it is of, by number: pieces of one word share it. */
  readonly word: number;
  /** Stands without a space behind the token before it. */
  readonly glued: boolean;
  /** Place among the tokens of the document. */
  readonly id: number;
  readonly sheet: Sheet;
}

/** A ruled line, or a blank of underscores or dots, in points. */
export interface Line {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A page as tokens and lines in points. */
export interface Sheet {
  readonly page: ReadPage;
  readonly width: number;
  readonly height: number;
  readonly tokens: readonly Token[];
  /** Ruled, level. */
  readonly across: readonly Line[];
  /** Ruled, upright. */
  readonly down: readonly Line[];
  /** Underscores and dotted leaders, which are no text. */
  readonly blanks: readonly Line[];
}

// Runs of these are drawn with characters, but are lines.
const LEADERS = /_+|\.{3,}|…+|·{2,}|-{4,}|—{3,}/gu;
// What parts two labels or two values written as one word: общая/жилая, 4/9.
const PARTED = /(?<=\p{L}{2})\/(?=\p{L}{2})|(?<=:)(?=\p{L}{2})/gu;

/** Sets the pages out in points; `tokens` are numbered through the document. */
export function sheetsOf(pages: readonly ReadPage[]): Sheet[] {
  let next = 0;
  const alphabet = alphabetOf(pages.flatMap(({ words }) => words));
  return pages.map((page) => {
    const { width, height } = page.reading ?? page;
    const tokens: Token[] = [];
    const blanks: Line[] = [];
    const inPoints = ([x0, y0, x1, y1]: Box): Line => ({
      x0: x0 * width,
      y0: y0 * height,
      x1: x1 * width,
      y1: y1 * height,
    });
    const rules = page.rules.map(inPoints);
    const sheet: { -readonly [Key in keyof Sheet]: Sheet[Key] } = {
      page,
      width,
      height,
      tokens,
      blanks,
      across: unbroken(rules.filter((rule) => rule.x1 - rule.x0 >= rule.y1 - rule.y0)),
      down: rules.filter((rule) => rule.x1 - rule.x0 < rule.y1 - rule.y0),
    };
    const specks = specksOf(page);
    for (const [index, word] of page.words.entries()) {
      const place = inPoints(word.box);
      if (place.y1 - place.y0 <= 0 || place.x1 - place.x0 <= 0 || specks.has(word)) continue;
      const text = page.reader === 'text' ? word.text : unmixed(word.text, alphabet);
      // Dotted leaders come out of OCR as words that it has no confidence in at all: blanks like any other.
      if ((word.confidence ?? 1) < 0.1 && !/\d/u.test(text)) {
        blanks.push(place);
        continue;
      }
      for (const piece of pieces(text)) {
        const each = (place.x1 - place.x0) / Math.max(1, text.length);
        const at = { ...place, x0: place.x0 + each * piece.start, x1: place.x0 + each * piece.end };
        if (piece.blank) blanks.push(at);
        else {
          const { confidence } = word;
          tokens.push({ ...at, text: piece.text, confidence, word: index, glued: piece.glued, id: next++, sheet });
        }
      }
    }
    if (page.reader !== 'text') sheet.tokens = parted(tokens);
    return sheet;
  });
}

/** OCR at times gives the first word of a line the box of the whole line: each is cut where the next begins. */
function parted(tokens: readonly Token[]): Token[] {
  const letter = tokens.map(({ x0, x1, text }) => (x1 - x0) / text.length).sort((a, b) => a - b)[
    Math.floor(tokens.length / 2)
  ];
  return tokens.map((token) => {
    const middle = (token.y0 + token.y1) / 2;
    const next = tokens.filter(
      (other) =>
        other !== token && other.x0 > token.x0 + 2 && other.x0 < token.x1 - 2 && other.y0 < middle && middle < other.y1,
    );
    if (next.length === 0) return token;
    const x1 = Math.min(
      ...next.map(({ x0 }) => x0 - 0.25 * (token.y1 - token.y0)),
      token.x0 + 1.4 * (letter ?? 5) * token.text.length,
    );
    return { ...token, x1: Math.max(token.x0 + 1, x1) };
  });
}

/** What OCR took for words on the table around a photographed sheet: scraps beside everything that was surely read. */
function specksOf({ reader, words }: ReadPage): Set<Word> {
  const sure = words.filter(({ text, confidence }) => (confidence ?? 1) > 0.7 && text.length > 2);
  if (reader === 'text' || sure.length < 10) return new Set();
  const height = sure.map(({ box }) => box[3] - box[1]).sort((a, b) => a - b)[Math.floor(sure.length / 2)]!;
  const left = Math.min(...sure.map(({ box }) => box[0])) - height;
  const right = Math.max(...sure.map(({ box }) => box[2])) + height;
  return new Set(
    words.filter(({ text, box: [x0, y0, x1, y1], confidence }) => {
      if (!/[\p{L}\d]/u.test(text) && (x1 < left + height || x0 > right - height)) return true;
      const odd = y1 - y0 < 0.5 * height || y1 - y0 > 1.6 * height;
      const scrap = /^\d+$/u.test(text) ? odd : odd || (confidence ?? 1) < 0.9 || text.length === 1;
      return scrap && (x1 < left || x0 > right);
    }),
  );
}

/** Level lines drawn in pieces, one behind the other, as the lines that they are. */
function unbroken(lines: readonly Line[]): Line[] {
  const whole: Line[] = [];
  for (const line of [...lines].sort((a, b) => a.x0 - b.x0)) {
    const at = whole.findIndex(
      (one) => Math.abs(one.y0 - line.y0) < 1.2 && line.x0 < one.x1 + 2.5 && line.x0 > one.x0 - 1,
    );
    if (at < 0) whole.push(line);
    else whole[at] = { ...whole[at]!, x1: Math.max(whole[at]!.x1, line.x1) };
  }
  return whole;
}

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly blank: boolean;
  readonly glued: boolean;
}

function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  const add = (to: number) => {
    let start = from;
    for (const cut of [...text.slice(from, to).matchAll(PARTED)].map((match) => from + match.index)) {
      for (const end of text[cut] === '/' ? [cut, cut + 1] : [cut]) {
        found.push({ text: text.slice(start, end), start, end, blank: false, glued: start > from });
        start = end;
      }
    }
    if (start < to) found.push({ text: text.slice(start, to), start, end: to, blank: false, glued: start > from });
  };
  for (const match of text.matchAll(LEADERS)) {
    add(match.index);
    from = match.index + match[0].length;
    found.push({ text: '', start: match.index, end: from, blank: true, glued: false });
  }
  add(text.length);
  return found.filter((piece) => piece.blank || piece.text.trim() !== '');
}

/** What the tokens say, in their order. */
export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) text += text === '' || token.glued ? token.text : ` ${token.text}`;
  return text;
}

/** The smallest place that holds all of them; they are of one sheet. */
export function placeOf(tokens: readonly Line[]): Line {
  return {
    x0: Math.min(...tokens.map(({ x0 }) => x0)),
    y0: Math.min(...tokens.map(({ y0 }) => y0)),
    x1: Math.max(...tokens.map(({ x1 }) => x1)),
    y1: Math.max(...tokens.map(({ y1 }) => y1)),
  };
}
