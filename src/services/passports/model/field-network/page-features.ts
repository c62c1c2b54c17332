import { createRangeIndex } from '../../../../base/range-index.ts';
import type { Sheet, Token } from '../fields/page-tokens.ts';
import { linkTokens, type PageGraph, RELATIONS } from './page-graph.ts';

/** The number of n-gram buckets; 0 is empty. */
export const BUCKETS = 32_768;
/** N-grams per token. */
export const GRAMS = 16;
/** Numbers per token. */
export const NUMBERS = 48;

/** What the network reads of a page; all arrays are row by row per token. */
export interface PageFeatures {
  readonly count: number;
  /** count × {@link GRAMS} */
  readonly grams: Int32Array;
  /** count × {@link NUMBERS}, about -2 to 2 */
  readonly numbers: Float32Array;
  /** count × 2: the middle of the token in letter heights. */
  readonly places: Float32Array;
  /** count × relations: index of the neighbour plus 1; 0 for none. */
  readonly neighbours: Int32Array;
}

/** Describes the words of a page for the network. */
export function describePage(sheet: Sheet): PageFeatures {
  const { tokens } = sheet;
  const graph = linkTokens(sheet);
  const isOnBlank = blankCheck(sheet, graph.unit);
  const count = tokens.length;
  const features = {
    count,
    grams: new Int32Array(count * GRAMS),
    numbers: new Float32Array(count * NUMBERS),
    places: new Float32Array(count * 2),
    neighbours: new Int32Array(count * RELATIONS.length),
  };
  for (const [i, token] of tokens.entries()) {
    features.grams.set(gramsOf(token.text), i * GRAMS);
    features.numbers.set(numbersOf(token, i, sheet, graph, isOnBlank(token)), i * NUMBERS);
    features.places[2 * i] = (token.x0 + token.x1) / 2 / graph.unit;
    features.places[2 * i + 1] = (token.y0 + token.y1) / 2 / graph.unit;
    for (const [r, other] of graph.neighbours[i]!.entries()) features.neighbours[i * RELATIONS.length + r] = other + 1;
  }
  return features;
}

/** The word, its start and its character trigrams as hash buckets; digits are equal to each other. */
export function gramsOf(text: string): number[] {
  const folded = text.slice(0, 60).toLowerCase().replaceAll('ё', 'е').replace(/\d/gu, '0').replace(/0{5,}/gu, '0000');
  const plain = withoutEnds(folded, '«"„“(\'[', '»"”)\'],.:;').slice(0, 40);
  const word = `<${plain}>`;
  const found = [hash(word), hash(`^${plain.slice(0, 5)}`)];
  // Evenly over a long word.
  const starts = Math.max(1, word.length - 2);
  const step = Math.max(1, starts / (GRAMS - found.length));
  for (let at = 0; Math.floor(at) < starts && found.length < GRAMS; at += step) {
    found.push(hash(word.slice(Math.floor(at), Math.floor(at) + 3)));
  }
  return found;
}

/** The text without `before` at its start and `after` at its end. */
function withoutEnds(text: string, before: string, after: string): string {
  let [from, to] = [0, text.length];
  while (from < to && before.includes(text[from]!)) from++;
  while (to > from && after.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** FNV-1a over UTF-16 units, as a bucket from 1. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value ^= value >>> 15;
  return 1 + ((value >>> 0) % (BUCKETS - 1));
}

const flag = (is: boolean): number => (is ? 1 : 0);
const clip = (value: number, to = 2): number => Math.max(-to, Math.min(to, value));
/** 0 at 0, 1 at 10 units. */
const logarithm = (value: number): number => clip(Math.log1p(Math.max(0, value)) / Math.log(11));
const share = (text: string, pattern: RegExp): number => (text.match(pattern)?.length ?? 0) / Math.max(1, text.length);

/** Whether a ruled line or a blank is below a token. */
function blankCheck({ horizontal, blanks }: Sheet, unit: number): (token: Token) => boolean {
  const linesBetween = createRangeIndex([...horizontal, ...blanks], ({ y0 }) => y0);
  return ({ x0, x1, y0, y1 }) =>
    linesBetween(y0 + 0.5 * (y1 - y0), y1 + 0.8 * unit).some((line) => line.x0 < x1 && line.x1 > x0);
}

function numbersOf(
  token: Token,
  index: number,
  sheet: Sheet,
  { unit, neighbours, cells }: PageGraph,
  onBlank: boolean,
): number[] {
  const { text, x0, y0, x1, y1 } = token;
  const { tokens, width, height } = sheet;
  const cell = cells[index]!;
  const gap = (relation: number): number => {
    const at = neighbours[index]![relation]!;
    if (at < 0) return 2;
    const other = tokens[at]!;
    const distance = relation === 0 ? x0 - other.x1 : relation === 1 ? other.x0 - x1 : Math.abs(other.y1 - y1) - unit;
    return logarithm(distance / unit);
  };
  const value = Number(withoutEnds(text, '', ',.:;').replace(',', '.'));
  const side = (edge: number | undefined, of: number): number =>
    edge === undefined ? 2 : logarithm(Math.abs(edge - of) / unit);
  return [
    clip(x0 / width),
    clip(y0 / height),
    clip(x1 / width),
    clip((y1 - y0) / unit),
    logarithm((x1 - x0) / unit),
    clip((x1 - x0) / unit / Math.max(1, text.length)),
    clip(text.length / 10),
    share(text, /\d/gu),
    share(text, /\p{Lu}/gu),
    share(text, /\p{Ll}/gu),
    share(text, /[\u0400-\u04ff]/gu),
    share(text, /[A-Za-z]/gu),
    flag(/[:=]$/u.test(text)),
    flag(/,$/u.test(text)),
    flag(/\.$/u.test(text)),
    flag(/^[(]/u.test(text)),
    flag(/[)][,.:;]?$/u.test(text)),
    flag(/^[«"„“]/u.test(text)),
    flag(/[»"”]/u.test(text)),
    flag(/^[^\p{L}\d]+$/u.test(text)),
    flag(token.glued),
    token.confidence ?? 1,
    flag(token.confidence === null),
    flag(onBlank),
    flag(cell.left !== undefined),
    flag(cell.right !== undefined),
    flag(cell.top !== undefined),
    flag(cell.bottom !== undefined),
    side(cell.left, x0),
    side(cell.right, x1),
    side(cell.top, y0),
    side(cell.bottom, y1),
    gap(0),
    gap(1),
    gap(2),
    gap(3),
    flag(/^\d{1,2}$/u.test(text)),
    flag(/^\d{1,4}[.,]\d{1,2}$/u.test(text)),
    flag(/^(1[789]|20)\d\d[.,]?$/u.test(text)),
    flag(/^\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})/u.test(text)),
    flag(/^\d\d?:\d\d?:\d+/u.test(text)),
    flag(/^[IVXLІХ]+[.,)]?$/u.test(text)),
    flag(/^\d{1,3}([.,]\d{3})+/u.test(text) || /^\d{4,}[.,]?$/u.test(text)),
    flag(/^\p{Lu}\.(\p{Lu}\.)?$/u.test(text)),
    flag(/^\d+[.)]$/u.test(text) || /^\d+(\.\d+)+\.?$/u.test(text)),
    Number.isFinite(value) && text !== '' ? clip(Math.log10(1 + Math.abs(value)) / 3) : 0,
    flag(/%$/u.test(text)),
    flag(y1 - y0 > 1.8 * (x1 - x0) && text.length > 2),
  ];
}
