import { createOnce } from '../../../../base/create-once.ts';
import { median } from '../../../../base/median.ts';
import type { Box, ReadPage, Word } from '../../page-geometry.ts';
import { joinBoxedCharacters } from './character-boxes.ts';
import { detectAlphabet, normalizeHomoglyphs } from './homoglyphs.ts';

/** A word, or a part of one, in points on the upright page. */
export interface Token extends Area {
  readonly text: string;
  /** 0..1 from OCR; null for a text layer. */
  readonly confidence: number | null;
  /** Index on the page; parts of one word share it. */
  readonly word: number;
  /** Not separated from the token before it by a space. */
  readonly glued: boolean;
  /** Ascending in the document. */
  readonly id: number;
  readonly sheet: Sheet;
}

/** In points. */
export interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface Sheet {
  readonly page: ReadPage;
  readonly width: number;
  readonly height: number;
  readonly tokens: readonly Token[];
  readonly horizontal: readonly Area[];
  readonly vertical: readonly Area[];
  readonly blanks: readonly Area[];
}

const LEADERS = /_+|\.{3,}|…+|·{2,}|-{4,}|—{3,}/gu;
// As in общая/жилая, 4/9.
const BOUNDARY = /(?<=\p{L}{2})\/(?=\p{L}{2})|(?<=:)(?=\p{L}{2})/gu;

/** For {@link tokenizePages}: splits at the words of a form. */
export const FORM_BOUNDARY = /(?<=[:;=])(?=\p{L})|(?<=\p{L}\.)(?=\d)|(?<=№)(?=\d)|(?=\/)|(?<=\()(?=\p{L}{3})/gu;

/** For {@link tokenizePages}: also splits 5/9, Area:45 and tables drawn with characters. */
export const VALUE_BOUNDARY = /(?<=.)\/(?=.)|[|│¦](?=.)|(?<=.)[|│¦]|(?<=[:=])(?=[^\s\d])|(?<=[\p{L}²][:=])(?=\d)/gu;

/** The tokens of pages as the network reads them. */
export const valueTokens = createOnce((pages: readonly ReadPage[]) => tokenizePages(pages, VALUE_BOUNDARY));

/** Splits pages into tokens and lines; words are also split at `boundary`. */
export function tokenizePages(read: readonly ReadPage[], boundary: RegExp = BOUNDARY): Sheet[] {
  const pages = read.map(joinBoxedCharacters);
  let nextId = 0;
  const alphabet = detectAlphabet(pages.flatMap(({ words }) => words));
  return pages.map((page) => {
    const { width, height } = page.reading ?? page;
    const tokens: Token[] = [];
    const blanks: Area[] = [];
    const inPoints = ([x0, y0, x1, y1]: Box): Area => ({
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
      horizontal: joinCollinear(rules.filter((rule) => rule.x1 - rule.x0 >= rule.y1 - rule.y0)),
      vertical: rules.filter((rule) => rule.x1 - rule.x0 < rule.y1 - rule.y0),
    };
    const noise = findNoise(page);
    for (const [index, word] of page.words.entries()) {
      const place = inPoints(word.box);
      if (place.y1 - place.y0 <= 0 || place.x1 - place.x0 <= 0 || noise.has(word)) continue;
      const text = page.reader === 'text' ? word.text : normalizeHomoglyphs(word.text, alphabet);
      // Dot leaders.
      if ((word.confidence ?? 1) < 0.1 && !/\d|^(?:\p{Lu}\.){2}$/u.test(text)) {
        blanks.push(place);
        continue;
      }
      for (const piece of splitWord(text, boundary)) {
        const charWidth = (place.x1 - place.x0) / Math.max(1, text.length);
        const { y0, y1 } = place;
        const [x0, x1] = [place.x0 + charWidth * piece.start, place.x0 + charWidth * piece.end];
        if (piece.blank) blanks.push({ x0, y0, x1, y1 });
        else {
          const { text, glued } = piece;
          const { confidence } = word;
          tokens.push({ x0, y0, x1, y1, text, confidence, word: index, glued, id: nextId++, sheet });
        }
      }
    }
    if (page.reader !== 'text') sheet.tokens = trimOverlaps(tokens);
    return sheet;
  });
}

/** Ends a token before the next one beside it; `tsv.ts` does so for the words of one line image. */
function trimOverlaps(tokens: readonly Token[]): Token[] {
  const charWidth = median(tokens.map(({ x0, x1, text }) => (x1 - x0) / text.length));
  return tokens.map((token) => {
    const middle = (token.y0 + token.y1) / 2;
    const next = tokens.filter(
      (other) =>
        other !== token && other.x0 > token.x0 + 2 && other.x0 < token.x1 - 2 && other.y0 < middle && middle < other.y1,
    );
    if (next.length === 0) return token;
    const x1 = Math.min(
      ...next.map(({ x0 }) => x0 - 0.25 * (token.y1 - token.y0)),
      token.x0 + 1.4 * charWidth * token.text.length,
    );
    return { ...token, x1: Math.max(token.x0 + 1, x1) };
  });
}

/** Finds doubtful words left or right of all confident ones: the background of a photo. */
function findNoise({ reader, words }: ReadPage): Set<Word> {
  const confident = words.filter(({ text, confidence }) => (confidence ?? 1) > 0.7 && text.length > 2);
  if (reader === 'text' || confident.length < 10) return new Set();
  const height = median(confident.map(({ box }) => box[3] - box[1]));
  const left = Math.min(...confident.map(({ box }) => box[0])) - height;
  const right = Math.max(...confident.map(({ box }) => box[2])) + height;
  return new Set(
    words.filter(({ text, box: [x0, y0, x1, y1], confidence }) => {
      if (!/[\p{L}\d☐☑]/u.test(text) && (x1 < left + height || x0 > right - height)) return true;
      const isOddHeight = y1 - y0 < 0.5 * height || y1 - y0 > 1.6 * height;
      const isDoubtful = /^\d+$/u.test(text)
        ? isOddHeight
        : isOddHeight || (confidence ?? 1) < 0.9 || text.length === 1;
      return isDoubtful && (x1 < left || x0 > right);
    }),
  );
}

function joinCollinear(lines: readonly Area[]): Area[] {
  const joined: Area[] = [];
  for (const line of [...lines].sort((a, b) => a.x0 - b.x0)) {
    const at = joined.findIndex(
      (one) => Math.abs(one.y0 - line.y0) < 1.2 && line.x0 < one.x1 + 2.5 && line.x0 > one.x0 - 1,
    );
    if (at < 0) joined.push(line);
    else joined[at] = { ...joined[at]!, x1: Math.max(joined[at]!.x1, line.x1) };
  }
  return joined;
}

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly blank: boolean;
  readonly glued: boolean;
}

function splitWord(text: string, boundary: RegExp): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  const add = (to: number) => {
    let start = from;
    for (const cut of [...text.slice(from, to).matchAll(boundary)].map((match) => from + match.index)) {
      for (const end of /[/|│¦]/u.test(text[cut]!) ? [cut, cut + 1] : [cut]) {
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

export type TextToken = Pick<Token, 'text' | 'glued' | 'id'>;

/** Joins tokens with spaces, except before those glued to the token before them, unless that one is left out. */
export const joinText = (tokens: readonly TextToken[]): string =>
  tokens.map((token, i) => (hasSpaceBefore(token, tokens[i - 1]) ? ` ${token.text}` : token.text)).join('');

const hasSpaceBefore = ({ glued, id }: TextToken, before: TextToken | undefined): boolean =>
  before !== undefined && !(glued && before.id === id - 1);

/** The text of an address. Where its lines end early and without commas, each of them is a part of its own. */
export function withCommas<T extends TextToken & Area>(tokens: readonly T[]): string {
  const lines: T[][] = [];
  for (const token of tokens) {
    const last = lines.at(-1)?.at(-1);
    if (last && token.x0 > last.x0) lines.at(-1)!.push(token);
    else lines.push([token]);
  }
  const end = Math.max(...tokens.map(({ x1 }) => x1));
  const ends = lines.slice(0, -1).map((line) => line.at(-1)!);
  const isShort = ends.some((last, i) => {
    const next = lines[i + 1]![0]!;
    return last.x1 + (last.y1 - last.y0) + (next.x1 - next.x0) < end;
  });
  if (!isShort || ends.some(({ text }) => /[.,]$/u.test(text))) return joinText(tokens);
  return lines.map((line) => joinText(line)).join(', ');
}

/** The tokens that overlap a range of their joined text. */
export function tokensInRange<T extends TextToken>(
  tokens: readonly T[],
  { start, end }: { readonly start: number; readonly end: number },
): T[] {
  let at = 0;
  return tokens.filter((token, i) => {
    const from = hasSpaceBefore(token, tokens[i - 1]) ? at + 1 : at;
    at = from + token.text.length;
    return from < end && at > start;
  });
}

/** The bounding box of tokens of one page. */
export function boundingBox(tokens: readonly Area[]): Area {
  return {
    x0: Math.min(...tokens.map(({ x0 }) => x0)),
    y0: Math.min(...tokens.map(({ y0 }) => y0)),
    x1: Math.max(...tokens.map(({ x1 }) => x1)),
    y1: Math.max(...tokens.map(({ y1 }) => y1)),
  };
}

export const middleX = ({ x0, x1 }: Area): number => (x0 + x1) / 2;
export const middleY = ({ y0, y1 }: Area): number => (y0 + y1) / 2;

/** The middle of a place is in the area. */
export const isInside = (area: Area, place: Area): boolean =>
  middleX(place) > area.x0 && middleX(place) < area.x1 && middleY(place) > area.y0 && middleY(place) < area.y1;
