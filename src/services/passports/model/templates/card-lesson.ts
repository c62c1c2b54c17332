import { createOnce } from '../../../../base/create-once.ts';
import { median } from '../../../../base/median.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { type Area, boundingBox, middleX, middleY } from '../fields/page-tokens.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import { isEqual } from './locate-value.ts';
import { numberRuns, parseRuns, SIGNED_NUMBER } from './number-runs.ts';
import type { TablePlaces, TableRow } from './table-lesson.ts';
import { groupBy } from './weak-words.ts';
import { normalizeValue } from './word-hash.ts';

interface LocatedCard extends Area {
  readonly row: number;
  readonly cells: ReadonlyMap<ColumnSpec, readonly FormToken[]>;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const MAX_CARDS = 200;
const MAX_COLUMNS = 40;
/** Of one row; more numbers that equal its own say little. */
const MAX_PLACES = 50;

// In heights of a word.
const REACH = { x: 30, y: 6 };
/** From the place that the cell has in most cards. */
const USUAL = { x: 8, y: 1.2 };
const SAME_LINE = 0.7;

/**
 * Finds a grid of cards, one per confirmed row, each with its cells at the same places on several lines. Undefined where the cells of a
 * row stand on one line, as in a table, or where less than 80 % of the rows are found.
 */
export function locateCards(
  document: FormDocument,
  rows: readonly TableRow[],
): { places: TablePlaces; tokens: Set<FormToken> } | undefined {
  if (rows.length > MAX_CARDS) return undefined;
  const rough = findCards(document, rows, new Map());
  const cards = findCards(document, rows, usualPlaces(rough));
  if (cards.length < 2 || cards.length < 0.8 * rows.length) return undefined;
  const { em, pages } = document;
  const { page } = [...cards[0]!.cells.values()][0]![0]!;
  const lines = stack(cards, 'y');
  const columns = stack(cards, 'x');
  const firsts = new Map(lines.flatMap((line) => line.map((card) => [card, firstLine(line)] as const)));
  const lefts = new Map(columns.flatMap((column) => column.map((card) => [card, boundingBox(column).x0] as const)));
  const cells = [...new Set(cards.flatMap(({ cells }) => [...cells.keys()]))].map((spec) => {
    const all = cards.flatMap((card) => {
      const tokens = card.cells.get(spec);
      if (!tokens) return [];
      const box = boundingBox(tokens.filter(({ line }) => line === tokens[0]!.line));
      return [{ x0: box.x0 - lefts.get(card)!, x1: box.x1 - lefts.get(card)!, y: middleY(box) - firsts.get(card)! }];
    });
    const y = median(all.map((one) => one.y));
    const isSteady = all.filter((one) => Math.abs(one.y - y) < SAME_LINE * em).length >= 0.8 * all.length;
    return { spec, isSteady, x0: Math.min(...all.map(({ x0 }) => x0)), x1: Math.max(...all.map(({ x1 }) => x1)), y };
  });
  const ys = cells.map(({ y }) => y);
  if (!cells.every(({ isSteady }) => isSteady) || Math.max(...ys) - Math.min(...ys) < SAME_LINE * em) return undefined;
  const steps = lines.slice(1).map((line, i) => firstLine(line) - firstLine(lines[i]!));
  const heights = lines.map((line) => boundingBox(line).y1 - boundingBox(line).y0);
  const area = boundingBox(cards);
  const rowsDown = columns[0]!.map(({ row }) => row).sort((a, b) => a - b);
  const isDown = columns.length > 1 && lines.length > 1 && rowsDown[1] === rowsDown[0]! + 1;
  const own = new Set(cards.flatMap(({ cells }) => [...cells.values()].flat()));
  const beside = document.tokens.filter((token) => token.page === page && !own.has(token) && isWithin(token, area, em));
  const labels = labelsOf(beside, cards);
  const grid = {
    ...area,
    y0: firstLine(lines[0]!) - em / 2,
    pitch: steps.length > 0 ? Math.min(...steps) : Math.max(...heights) + em,
    columns: columnRanges(
      columns.map((column) => boundingBox(column).x0),
      pages[page]!.width,
      em,
    ),
    down: isDown,
    cells: cells.map(({ spec, x0, x1, y }) => ({ key: spec.key, x0, x1, y })),
    labels,
  };
  return {
    places: { groups: [], cards: grid, ruled: false, continues: false },
    tokens: new Set([...own, ...beside.filter((token) => labels.includes(token.hash) || isBetween(token, area))]),
  };
}

/** On the lines of the cards, also where labels stand beside the values. */
const isWithin = (token: FormToken, area: Area, em: number): boolean =>
  middleX(token) > area.x0 - REACH.x * em &&
  middleX(token) < area.x1 + REACH.x * em &&
  middleY(token) > area.y0 - em / 2 &&
  middleY(token) < area.y1 + em / 2;

const isBetween = (token: FormToken, area: Area): boolean => middleX(token) > area.x0 && middleX(token) < area.x1;

/** The middle of the first line of cards side by side. */
const firstLine = (cards: readonly LocatedCard[]): number =>
  Math.min(...cards.flatMap(({ cells }) => [...cells.values()].map((tokens) => middleY(tokens[0]!))));

/** Groups cards that overlap along an axis: those above each other (`x`), or side by side (`y`). */
function stack(cards: readonly LocatedCard[], axis: 'x' | 'y'): LocatedCard[][] {
  const [start, end] = axis === 'x' ? (['x0', 'x1'] as const) : (['y0', 'y1'] as const);
  const groups: LocatedCard[][] = [];
  let limit = Number.NEGATIVE_INFINITY;
  for (const card of [...cards].sort((a, b) => a[start] - b[start])) {
    if (card[start] < limit) groups.at(-1)!.push(card);
    else groups.push([card]);
    limit = Math.max(limit, card[end]);
  }
  return groups;
}

/** Where the cards of each column may have words: up to the next column. The grid continues to the right margin with the same distance. */
function columnRanges(lefts: readonly number[], right: number, em: number): { x0: number; x1: number }[] {
  const gaps = lefts.slice(1).map((x0, i) => x0 - lefts[i]!);
  const step = Math.min(...gaps);
  if (gaps.length === 0 || step < em) return [{ x0: lefts[0]!, x1: right }];
  const all = [lefts[0]!];
  // Columns of which no card was found, and those that the document did not fill.
  for (const next of [...lefts.slice(1), right]) {
    const isColumn = next !== right;
    while (all.length < MAX_COLUMNS && next - all.at(-1)! > (isColumn ? 1.5 : 1.8) * step) all.push(all.at(-1)! + step);
    if (isColumn) all.push(next);
  }
  return all.map((x0, i) => ({ x0, x1: all[i + 1] ?? x0 + step }));
}

/** Hashes of the words that most cards print beside their values, also left of all values and right of them. */
function labelsOf(beside: readonly FormToken[], cards: readonly LocatedCard[]): number[] {
  const counts = new Map<number, number>();
  for (const { word, hash } of beside) if (word !== '') counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= 0.6 * cards.length).map(([hash]) => hash);
}

/** Where each cell stands from the first number of its card, in most cards. */
function usualPlaces(cards: readonly LocatedCard[]): Map<ColumnSpec, Place> {
  const all = new Map<ColumnSpec, Place[]>();
  for (const { cells } of cards) {
    const anchor = [...cells.values()][0]![0]!;
    for (const [spec, [first]] of cells) {
      const place = { x: first!.x0 - anchor.x0, y: middleY(first!) - middleY(anchor) };
      all.set(spec, [...(all.get(spec) ?? []), place]);
    }
  }
  return new Map(
    [...all].map(([spec, places]) => [
      spec,
      { x: median(places.map(({ x }) => x)), y: median(places.map(({ y }) => y)) },
    ]),
  );
}

/** Each row at the number whose surroundings have most of its cells, nearest to their usual places. */
function findCards(
  document: FormDocument,
  rows: readonly TableRow[],
  usual: ReadonlyMap<ColumnSpec, Place>,
): LocatedCard[] {
  const { em } = document;
  const used = new Set<FormToken>();
  const runsOf = createOnce((spec: ColumnSpec) => parseRuns(numberRuns(document, SIGNED_NUMBER), spec));
  const runsByLine = createOnce((spec: ColumnSpec) => groupBy(runsOf(spec), ({ tokens }) => [tokens[0]!.line]));
  const found: LocatedCard[] = [];
  const anchorSpec = mostDistinct(rows);
  if (!anchorSpec) return [];
  const anchored = rows.flatMap((values, row) => {
    const value = values.get(anchorSpec);
    const places = value === undefined ? [] : runsOf(anchorSpec).filter((run) => isEqual(run.value, value));
    return places.length > 0 ? [{ row, values, places }] : [];
  });
  // In the order of the page: what a card has beside its left neighbour is then already taken.
  anchored.sort((a, b) => a.places[0]!.tokens[0]!.id - b.places[0]!.tokens[0]!.id);
  for (const { row, values, places } of anchored) {
    let best: { cells: Map<ColumnSpec, readonly FormToken[]>; score: number } | undefined;
    const free = places.filter(({ tokens }) => !tokens.some((token) => used.has(token)));
    for (const { tokens } of free.slice(0, MAX_PLACES)) {
      const anchor = tokens[0]!;
      const cells = new Map<ColumnSpec, readonly FormToken[]>([[anchorSpec, tokens]]);
      const claimed = new Set(tokens);
      const lines = linesAround(document, anchor);
      let drift = 0;
      for (const [spec, cell] of values) {
        if (spec === anchorSpec) continue;
        const place = usual.get(spec);
        const { x, y } = place ?? { x: 0, y: 0 };
        const aside = (token: FormToken) => Math.abs(token.x0 - anchor.x0 - x);
        const below = (token: FormToken) => Math.abs(middleY(token) - middleY(anchor) - y);
        const distance = (token: FormToken) => (aside(token) + 2 * below(token)) / em;
        const reach = place ? USUAL : REACH;
        const isNear = (token: FormToken) => aside(token) < reach.x * em && below(token) < reach.y * em;
        const isFree = (token: FormToken) => !used.has(token) && !claimed.has(token);
        const own =
          typeof cell === 'string'
            ? textNear(lines.flatMap((line) => document.lines[line]!).filter(isFree), cell, distance, isNear)
            : nearest(
                lines
                  .flatMap((line) => runsByLine(spec).get(line) ?? [])
                  .filter((run) => isEqual(run.value, cell) && run.tokens.every(isFree) && isNear(run.tokens[0]!)),
                (run) => distance(run.tokens[0]!),
              )?.tokens;
        if (!own) continue;
        drift += distance(own[0]!);
        cells.set(spec, own);
        for (const token of own) claimed.add(token);
      }
      const score = cells.size - 0.02 * drift;
      if (!best || score > best.score) best = { cells, score };
      // Whole and close together: another number can hardly be better.
      if (score > values.size - 0.5) break;
    }
    if (!best || (values.size > 1 && best.cells.size < 2)) continue;
    const all = [...best.cells.values()].flat();
    for (const token of all) used.add(token);
    found.push({ row, cells: best.cells, ...boundingBox(all) });
  }
  return found;
}

/** The column of numbers with most different values: rooms have equal heights more often than equal areas. */
function mostDistinct(rows: readonly TableRow[]): ColumnSpec | undefined {
  const specs = new Set(rows.flatMap((row) => [...row.keys()].filter(({ type }) => type === 'number')));
  const different = (spec: ColumnSpec) => new Set(rows.flatMap((row) => row.get(spec) ?? [])).size;
  return nearest([...specs], (spec) => -different(spec));
}

/** The lines of the anchor's page within reach, by index. */
function linesAround({ lines, em }: FormDocument, anchor: FormToken): number[] {
  const isNear = (line: number) => {
    const first = lines[line]?.[0];
    return first?.page === anchor.page && Math.abs(middleY(first) - middleY(anchor)) < REACH.y * em;
  };
  const near = [anchor.line];
  while (isNear(near[0]! - 1)) near.unshift(near[0]! - 1);
  while (isNear(near.at(-1)! + 1)) near.push(near.at(-1)! + 1);
  return near;
}

const normalized = createOnce((token: FormToken) => normalizeValue(token.text));

/** The words of a text, the first one nearest to its place; undefined if most are missing. */
function textNear(
  tokens: readonly FormToken[],
  value: string,
  distance: (token: FormToken) => number,
  isNear: (token: FormToken) => boolean,
): readonly FormToken[] | undefined {
  const words = value
    .split(/\s+/u)
    .map(normalizeValue)
    .filter((word) => word !== '');
  const found: FormToken[] = [];
  for (const word of words) {
    const options = tokens.filter((token) => !found.includes(token) && normalized(token) === word);
    const last = found.at(-1);
    const fromLast = (token: FormToken) => Math.hypot(token.x0 - last!.x1, 2 * (middleY(token) - middleY(last!)));
    const own = last ? nearest(options, fromLast) : nearest(options.filter(isNear), distance);
    if (own) found.push(own);
  }
  return found.length > 0 && found.length >= 0.5 * words.length ? found : undefined;
}

function nearest<T>(all: readonly T[], distance: (one: T) => number): T | undefined {
  return all.reduce<T | undefined>((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}
