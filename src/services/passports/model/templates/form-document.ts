import { median } from '../../../../base/median.ts';
import { type Box, type ReadPage, toPageBox } from '../../page-geometry.ts';
import { findCell, groupLines } from '../fields/blocks.ts';
import { type MarkedForm, markedForm } from '../fields/marked-options.ts';
import { type Area, FORM_BOUNDARY, middleX, middleY, tokenizePages } from '../fields/page-tokens.ts';
import { hashWord, normalizeWord } from './word-hash.ts';

/** A word, or a part of one, in points with all pages below each other. */
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
  /** By page; undefined for a page that asks for no marks with a pen. */
  readonly marked: readonly (MarkedForm<FormToken> | undefined)[];
}

/** Bounds the time and memory of a document; the rest of a longer one is ignored. */
const MAX_TOKENS = 20_000;
const PAGE_GAP = 40;

/** Splits the words of pages into tokens and lines. */
export function createFormDocument(pages: readonly ReadPage[]): FormDocument {
  const tops: number[] = [];
  const tokens: FormToken[] = [];
  const lines: FormToken[][] = [];
  const horizontal: Area[] = [];
  const vertical: Area[] = [];
  let top = 0;
  for (const [page, sheet] of tokenizePages(pages, FORM_BOUNDARY).entries()) {
    const below = (place: Area): Area => ({ x0: place.x0, y0: top + place.y0, x1: place.x1, y1: top + place.y1 });
    tops.push(top);
    horizontal.push(...sheet.horizontal.map(below));
    vertical.push(...sheet.vertical.map(below));
    for (const line of groupLines(sheet.tokens.slice(0, MAX_TOKENS - tokens.length), 0.5)) {
      const numbered = line.map(({ text, glued, confidence, ...place }, i): FormToken => {
        const word = /\d/u.test(text) && !/\p{L}{3}/u.test(text) ? '' : normalizeWord(text);
        const id = tokens.length + i;
        return { ...below(place), id, page, line: lines.length, text, glued, confidence, word, hash: hashWord(word) };
      });
      tokens.push(...numbered);
      lines.push(numbered);
    }
    top += sheet.height + PAGE_GAP;
  }
  const marked = pages.map((_, page) =>
    markedForm(
      lines.filter(([first]) => first!.page === page),
      horizontal,
    ),
  );
  const em = median(tokens.map(({ y0, y1 }) => y1 - y0)) || 10;
  return { pages, tops, tokens, lines, horizontal, vertical, em, marked };
}

/** The box of an area on the page as the PDF shows it. */
export function pageBoxOf({ pages, tops }: FormDocument, page: number, { x0, y0, x1, y1 }: Area): Box {
  const { width, height } = pages[page]!.reading ?? pages[page]!;
  const top = tops[page]!;
  return toPageBox(pages[page]!, [x0 / width, (y0 - top) / height, x1 / width, (y1 - top) / height]);
}

const MIN_COVERAGE = 0.75;

/** The cell around the middle of a place; undefined unless all four sides are ruled over most of their length. */
export function cellAt({ horizontal, vertical }: FormDocument, place: Area): Area | undefined {
  const cell = findCell(place, { horizontal, vertical });
  if (!cell) return undefined;
  const { x0, x1, y0, y1 } = cell;
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
  return isRuled ? cell : undefined;
}

/** A vertical rule stands between two tokens of a line. */
export function isRuledOff({ vertical }: FormDocument, left: Area, right: Area): boolean {
  const y = (middleY(left) + middleY(right)) / 2;
  return vertical.some(
    ({ x0, y0, y1 }) =>
      x0 > middleX(left) && x0 < middleX(right) && x0 > left.x1 - 2 && x0 < right.x0 + 2 && y0 < y && y1 > y,
  );
}
