import { median } from '../../../../base/median.ts';
import { type Box, type ReadPage, toPageBox } from '../../page-geometry.ts';
import { detectAlphabet, normalizeHomoglyphs } from '../fields/homoglyphs.ts';
import { hashWord, normalizeWord } from './word-hash.ts';

/** In points, with all pages below each other. */
export interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A word, or a part of one. */
export interface FormToken extends Area {
  /** Index in the document, in reading order. */
  readonly id: number;
  readonly page: number;
  readonly line: number;
  readonly text: string;
  /** No space separates it from the token before it. */
  readonly glued: boolean;
  readonly confidence: number | null;
  /** Letters only; empty for a token with digits. */
  readonly word: string;
  readonly hash: number;
}

export interface FormDocument {
  readonly pages: readonly ReadPage[];
  /** The top of each page. */
  readonly tops: readonly number[];
  readonly tokens: readonly FormToken[];
  /** Tokens of each visual line, from left to right; lines from top to bottom. */
  readonly lines: readonly (readonly FormToken[])[];
  readonly horizontal: readonly Area[];
  readonly vertical: readonly Area[];
  /** The usual height of a token. */
  readonly em: number;
}

/** Bounds the time and memory of a document; the rest of a longer one is ignored. */
const MAX_TOKENS = 20_000;
const PAGE_GAP = 40;
const LEADERS = /_{2,}|\.{3,}|…+|·{2,}|-{4,}|—{3,}/u;
const PIECES = /(?<=[:;=])(?=\p{L})|(?<=\p{L}\.)(?=\d)|(?<=№)(?=\d)|(?<=\/)|(?=\/)|(?<=\()(?=\p{L}{3})/u;

/** Splits the words of pages into tokens and lines. */
export function createFormDocument(pages: readonly ReadPage[]): FormDocument {
  const alphabet = detectAlphabet(pages.flatMap(({ words }) => words));
  const tops: number[] = [];
  const loose: Omit<FormToken, 'id' | 'line'>[] = [];
  const rules: Area[] = [];
  let top = 0;
  for (const [index, page] of pages.entries()) {
    const { width, height } = page.reading ?? page;
    tops.push(top);
    const place = ([x0, y0, x1, y1]: Box): Area => ({
      x0: x0 * width,
      y0: top + y0 * height,
      x1: x1 * width,
      y1: top + y1 * height,
    });
    rules.push(...page.rules.map(place));
    for (const { text: raw, box, confidence } of page.words) {
      if (loose.length >= MAX_TOKENS) break;
      const at = place(box);
      if (at.x1 <= at.x0 || at.y1 <= at.y0 || (confidence !== null && confidence < 0.1 && !/\d/u.test(raw))) continue;
      const text = page.reader === 'text' ? raw : normalizeHomoglyphs(raw, alphabet);
      for (const { piece, start, glued } of splitWord(text)) {
        const width = (at.x1 - at.x0) / text.length;
        const word = /\d/u.test(piece) && !/\p{L}{3}/u.test(piece) ? '' : normalizeWord(piece);
        loose.push({
          ...{ page: index, text: piece, glued, confidence, word, hash: hashWord(word) },
          ...{ y0: at.y0, y1: at.y1, x0: at.x0 + width * start, x1: at.x0 + width * (start + piece.length) },
        });
      }
    }
    top += height + PAGE_GAP;
  }
  const lines = groupLines(loose);
  const tokens: FormToken[] = [];
  const numbered = lines.map((tokensOfLine, line) =>
    tokensOfLine.map((token) => {
      const complete = { ...token, line, id: tokens.length };
      tokens.push(complete);
      return complete;
    }),
  );
  return {
    ...{ pages, tops, tokens, lines: numbered },
    horizontal: rules.filter((rule) => rule.x1 - rule.x0 >= rule.y1 - rule.y0),
    vertical: rules.filter((rule) => rule.x1 - rule.x0 < rule.y1 - rule.y0),
    em: median(tokens.map(({ y0, y1 }) => y1 - y0)) || 10,
  };
}

function splitWord(text: string): { piece: string; start: number; glued: boolean }[] {
  const pieces: { piece: string; start: number; glued: boolean }[] = [];
  let at = 0;
  let isGlued = false;
  const add = (part: string) => {
    for (const piece of part.split(PIECES)) {
      if (piece.trim() !== '') pieces.push({ piece, start: at, glued: isGlued });
      isGlued ||= piece !== '';
      at += piece.length;
    }
  };
  for (let rest = text; rest !== ''; ) {
    const match = LEADERS.exec(rest);
    add(match ? rest.slice(0, match.index) : rest);
    if (!match) break;
    at += match[0].length;
    isGlued = false;
    rest = rest.slice(match.index + match[0].length);
  }
  return pieces;
}

/** Tokens follow their left neighbour, so that lines may be slightly slanted. */
function groupLines<T extends Area & { page: number }>(tokens: readonly T[]): T[][] {
  const lines: T[][] = [];
  for (const page of new Set(tokens.map((token) => token.page))) {
    const open: T[][] = [];
    for (const token of tokens.filter((one) => one.page === page).sort((a, b) => a.x0 - b.x0)) {
      let best: { line: T[]; overlap: number } | undefined;
      for (const line of open) {
        const last = line.at(-1)!;
        const shared = Math.min(last.y1, token.y1) - Math.max(last.y0, token.y0);
        const overlap = shared / Math.min(last.y1 - last.y0, token.y1 - token.y0);
        if (overlap > 0.5 && overlap > (best?.overlap ?? 0) && token.x0 > last.x0 - 1) best = { line, overlap };
      }
      if (best) best.line.push(token);
      else open.push([token]);
    }
    const middle = (line: readonly T[]) => median(line.map(({ y0, y1 }) => (y0 + y1) / 2));
    lines.push(...open.sort((a, b) => middle(a) - middle(b)));
  }
  return lines;
}

export const middleY = ({ y0, y1 }: Area): number => (y0 + y1) / 2;
export const middleX = ({ x0, x1 }: Area): number => (x0 + x1) / 2;

export function areaAround(areas: readonly Area[]): Area {
  return {
    x0: Math.min(...areas.map(({ x0 }) => x0)),
    y0: Math.min(...areas.map(({ y0 }) => y0)),
    x1: Math.max(...areas.map(({ x1 }) => x1)),
    y1: Math.max(...areas.map(({ y1 }) => y1)),
  };
}

/** The text of tokens, with spaces except before glued ones. */
export function textOf(tokens: readonly FormToken[]): string {
  let text = '';
  for (const [i, token] of tokens.entries()) {
    const isGlued = token.glued && tokens[i - 1]?.id === token.id - 1;
    text += text === '' || isGlued ? token.text : ` ${token.text}`;
  }
  return text;
}

/** The box of an area on the page as the PDF shows it. */
export function pageBoxOf({ pages, tops }: FormDocument, page: number, { x0, y0, x1, y1 }: Area): Box {
  const { width, height } = pages[page]!.reading ?? pages[page]!;
  const top = tops[page]!;
  return toPageBox(pages[page]!, [x0 / width, (y0 - top) / height, x1 / width, (y1 - top) / height]);
}

const CORNER_GAP = 4;
const MIN_COVERAGE = 0.75;

/** The ruled cell around a point; undefined unless all four sides are ruled. */
export function cellAt({ horizontal, vertical }: Pick<FormDocument, 'horizontal' | 'vertical'>, x: number, y: number) {
  let [x0, x1, y0, y1] = [
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (const rule of vertical) {
    if (rule.y0 - CORNER_GAP > y || rule.y1 + CORNER_GAP < y) continue;
    if (rule.x0 <= x) x0 = Math.max(x0, rule.x0);
    else x1 = Math.min(x1, rule.x0);
  }
  for (const rule of horizontal) {
    if (rule.x0 - CORNER_GAP > x || rule.x1 + CORNER_GAP < x) continue;
    if (rule.y0 <= y) y0 = Math.max(y0, rule.y0);
    else y1 = Math.min(y1, rule.y0);
  }
  if (![x0, x1, y0, y1].every(Number.isFinite)) return undefined;
  const covered = (rules: readonly Area[], at: number, axis: 'x' | 'y', from: number, to: number) => {
    const length = rules
      .filter((rule) => Math.abs((axis === 'x' ? rule.x0 : rule.y0) - at) < 2.5)
      .map((rule) => (axis === 'x' ? [rule.y0, rule.y1] : [rule.x0, rule.x1]))
      .reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b!, to) - Math.max(a!, from)), 0);
    return length >= MIN_COVERAGE * (to - from);
  };
  const isRuled =
    covered(vertical, x0, 'x', y0, y1) &&
    covered(vertical, x1, 'x', y0, y1) &&
    covered(horizontal, y0, 'y', x0, x1) &&
    covered(horizontal, y1, 'y', x0, x1);
  return isRuled ? { x0, y0, x1, y1 } : undefined;
}

/** A vertical rule stands between two tokens of a line. */
export function isRuledOff({ vertical }: FormDocument, left: Area, right: Area): boolean {
  const y = (middleY(left) + middleY(right)) / 2;
  return vertical.some(
    ({ x0, y0, y1 }) =>
      x0 > middleX(left) && x0 < middleX(right) && x0 > left.x1 - 2 && x0 < right.x0 + 2 && y0 < y && y1 > y,
  );
}
