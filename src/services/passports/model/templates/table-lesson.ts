import { median } from '../../../../base/median.ts';
import { createRangeIndex } from '../../../../base/range-index.ts';
import type { Value } from '../../extraction.ts';
import type { ColumnSpec, Section } from '../../schema/schema.ts';
import { boundingBox, middleX, middleY } from '../fields/page-tokens.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import type { LessonColumns, LessonTable } from './lesson.ts';
import { isEqual } from './locate-value.ts';
import { numberRuns, type ParsedRun, parseRuns } from './number-runs.ts';
import { isTotals } from './read-table.ts';
import { normalizeValue } from './word-hash.ts';

export type TableRow = ReadonlyMap<ColumnSpec, Exclude<Value, null>>;

interface LocatedRow {
  /** Index of the confirmed row. */
  readonly row: number;
  readonly cells: ReadonlyMap<ColumnSpec, readonly FormToken[]>;
  readonly anchor: FormToken;
}

export type TablePlaces = Pick<LessonTable, 'groups' | 'cards' | 'ruled' | 'continues'>;

/** Finds the columns and the extent of a table from its confirmed rows; undefined if too few rows are on the page. */
export function locateTable(
  document: FormDocument,
  section: Section,
  rows: readonly TableRow[],
): { places: TablePlaces; tokens: Set<FormToken> } | undefined {
  // The second pass prefers the columns of the first: two numbers on a line occur elsewhere by chance.
  const rough = locateRows(document, rows, [], []);
  const located = locateRows(document, rows, commonColumns(rough, document.em), rough);
  if (located.length < Math.max(1, 0.6 * rows.length)) return undefined;
  const groups: LocatedRow[][] = [];
  for (const row of located) {
    const group = groups.find(([first]) => Math.abs(middleX(first!.anchor) - middleX(row.anchor)) < 3 * document.em);
    if (group) group.push(row);
    else groups.push([row]);
  }
  if (groups.length > 3) return undefined;
  const columns = groups.map((group, i) => {
    const expected = (groups[i - 1]?.at(-1)?.row ?? -1) + 1;
    return locateColumns(document, group, Math.max(0, group[0]!.row - expected));
  });
  const first = located[0]!.anchor;
  const ruled =
    document.horizontal.filter(
      ({ x0, x1, y0 }) =>
        x0 < first.x0 && x1 > first.x1 && y0 > first.y0 - 2 * document.em && y0 < columns[0]!.y1 + document.em,
    ).length >= Math.min(3, located.length);
  const lines = new Set(located.map(({ anchor }) => anchor.line));
  const lastLine = Math.max(...lines);
  const totals = section.table?.totals ?? [];
  const continues = document.lines.some(
    (line, at) => at > first.line && at < lastLine && !lines.has(at) && isTotals(line, totals),
  );
  return { places: { groups: columns, ruled, continues }, tokens: bodyTokens(document, located, columns) };
}

function commonColumns(rows: readonly LocatedRow[], em: number): number[] {
  const all = rows.map(({ anchor }) => middleX(anchor));
  const between = createRangeIndex(all, (x) => x);
  return [...new Set(all)].filter((x) => between(x - 2 * em, x + 2 * em).length >= 0.3 * all.length);
}

function locateRows(
  document: FormDocument,
  rows: readonly TableRow[],
  columns: readonly number[],
  rough: readonly LocatedRow[],
): LocatedRow[] {
  const located: LocatedRow[] = [];
  const used = new Set<FormToken>();
  const runs = numberRuns(document);
  const parsed = new Map<ColumnSpec, readonly ParsedRun[]>();
  const valuesOf = (spec: ColumnSpec) => {
    const values = parsed.get(spec) ?? parseRuns(runs, spec);
    parsed.set(spec, values);
    return values;
  };
  const usual = columnPlaces(rough, document);
  for (const [index, row] of rows.entries()) {
    const specs = [...row.keys()];
    const anchorSpec = specs.find(({ type }) => type === 'number') ?? specs.find(({ type }) => type === 'integer');
    if (!anchorSpec) continue;
    const last = located.at(-1);
    let best: { row: LocatedRow; score: number } | undefined;
    for (const { tokens: number, value } of valuesOf(anchorSpec)) {
      const anchor = number.at(-1)!;
      if (number.some((token) => used.has(token)) || !isEqual(value, row.get(anchorSpec)!)) continue;
      const isBelow = last && isInColumnOf(last, anchor, document) && anchor.id > last.anchor.id;
      const far = last ? Math.abs(anchor.line - last.anchor.line) : 0;
      const isInColumn = columns.some((x) => Math.abs(x - middleX(anchor)) < 2 * document.em);
      const placeScore =
        (isBelow ? 3 : 0) +
        (isInColumn ? 3 : 0) -
        Math.min(2, 0.05 * far) -
        (last && anchor.id < last.anchor.id ? 1 : 0);
      // Not even with all cells: many rows may have the same number.
      if (best && 2 * specs.length + placeScore <= best.score) continue;
      const cells = new Map<ColumnSpec, readonly FormToken[]>([[anchorSpec, number]]);
      const claimed = new Set(number);
      for (const spec of specs) {
        if (spec === anchorSpec) continue;
        const above = isInColumnOf(last, anchor, document) ? last?.cells.get(spec)?.[0]?.x0 : undefined;
        const x = usual(spec, anchor) ?? above ?? anchor.x0;
        const tokens = cellOf(document, spec, row.get(spec)!, anchor, claimed, x);
        if (tokens.length === 0) continue;
        cells.set(spec, tokens);
        for (const token of tokens) claimed.add(token);
      }
      const score = 2 * cells.size + placeScore;
      if (!best || score > best.score) best = { row: { row: index, cells, anchor }, score };
    }
    if (!best || (row.size > 1 && best.row.cells.size < 2)) continue;
    located.push(best.row);
    for (const tokens of best.row.cells.values()) for (const token of tokens) used.add(token);
  }
  return located;
}

/** The usual left end of the cells in the rows of an anchor's column; undefined for few rows. */
function columnPlaces(rows: readonly LocatedRow[], document: FormDocument) {
  const known = new Map<ColumnSpec, Map<number, number | undefined>>();
  return (spec: ColumnSpec, anchor: FormToken): number | undefined => {
    const places = known.get(spec) ?? new Map<number, number | undefined>();
    known.set(spec, places);
    const at = middleX(anchor);
    if (places.has(at)) return places.get(at);
    const all = rows
      .filter((row) => isInColumnOf(row, anchor, document))
      .flatMap(({ cells }) => cells.get(spec)?.[0]?.x0 ?? []);
    const usual = all.length > 2 ? median(all) : undefined;
    places.set(at, usual);
    return usual;
  };
}

const isInColumnOf = (row: LocatedRow | undefined, anchor: FormToken, { em }: FormDocument): boolean =>
  row !== undefined && Math.abs(middleX(row.anchor) - middleX(anchor)) < 3 * em;

/** The tokens of another cell of the anchor's row, on its line or for texts also on the lines around, next to `x`. */
function cellOf(
  document: FormDocument,
  spec: ColumnSpec,
  value: Exclude<Value, null>,
  anchor: FormToken,
  claimed: ReadonlySet<FormToken>,
  x: number,
): FormToken[] {
  const line = document.lines[anchor.line]!.filter((token) => !claimed.has(token));
  const drift = (token: FormToken) => Math.abs(token.x0 - x);
  if (typeof value !== 'string') {
    const runs = numberRuns({ ...document, lines: [line] });
    const equal = parseRuns(runs, spec).filter((run) => isEqual(run.value, value));
    return [...(equal.sort((a, b) => drift(a.tokens[0]!) - drift(b.tokens[0]!))[0]?.tokens ?? [])];
  }
  const near = [anchor.line, anchor.line - 1, anchor.line + 1]
    .flatMap((at) => document.lines[at] ?? [])
    .filter(
      (token) =>
        token.page === anchor.page &&
        !claimed.has(token) &&
        Math.abs(middleY(token) - middleY(anchor)) < 2.2 * document.em,
    );
  const words = value
    .split(/\s+/u)
    .map(normalizeValue)
    .filter((word) => word !== '');
  const found: FormToken[] = [];
  for (const word of words) {
    const options = near.filter((token) => !found.includes(token) && normalizeValue(token.text) === word);
    const own = options.sort(
      (a, b) => Math.abs(a.line - anchor.line) - Math.abs(b.line - anchor.line) || drift(a) - drift(b),
    );
    if (own[0]) found.push(own[0]);
  }
  return found.length >= 0.5 * words.length ? found : [];
}

/** `missing` rows above the first one were not found. */
function locateColumns(document: FormDocument, rows: readonly LocatedRow[], missing: number): LessonColumns {
  const { em } = document;
  const specs = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const spans = specs
    .map((spec) => ({ spec, ...boundingBox(rows.flatMap(({ cells }) => cells.get(spec) ?? [])) }))
    .sort((a, b) => a.x0 - b.x0);
  const lines = new Set(rows.map(({ anchor }) => anchor.line));
  const own = new Set(rows.flatMap(({ cells }) => [...cells.values()].flat()));
  const others = document.tokens.filter((token) => lines.has(token.line) && !own.has(token));
  const all = boundingBox(rows.flatMap(({ cells }) => [...cells.values()].flat()));
  const columns = spans.map((span, i) => {
    const before = spans[i - 1];
    const after = spans[i + 1];
    const leftOthers = others.filter(({ x1 }) => x1 < span.x0 + 1).map(({ x1 }) => x1);
    const rightOthers = others.filter(({ x0 }) => x0 > span.x1 - 1).map(({ x0 }) => x0);
    const left = Math.max(before?.x1 ?? Number.NEGATIVE_INFINITY, ...leftOthers);
    const right = Math.min(after?.x0 ?? Number.POSITIVE_INFINITY, ...rightOthers);
    return {
      key: span.spec.key,
      x0:
        boundary(document, all.y0, { left, right: span.x0, isEnd: true }, before?.spec.type === 'string', em) ??
        span.x0 - 2 * em,
      x1:
        boundary(document, all.y0, { left: span.x1, right, isEnd: false }, span.spec.type === 'string', em) ??
        span.x1 + (span.spec.type === 'string' ? 12 : 2) * em,
    };
  });
  const ys = rows.map(({ anchor }) => middleY(anchor));
  const steps = ys.slice(1).flatMap((y, i) => (y > ys[i]! ? [y - ys[i]!] : []));
  const firstPage = rows.filter(({ anchor }) => anchor.page === rows[0]!.anchor.page);
  const extent = boundingBox(firstPage.flatMap(({ cells }) => [...cells.values()].flat()));
  const pitch = steps.length > 0 ? median(steps) : 1.6 * em;
  return { ...extent, y0: extent.y0 - missing * pitch, pitch, columns };
}

/** The vertical rule in a space that is nearest to the column at its end or start, or the limit of the space. */
function boundary(
  { vertical }: FormDocument,
  y: number,
  { left, right, isEnd }: { left: number; right: number; isEnd: boolean },
  isText: boolean,
  em: number,
): number | undefined {
  const rules = vertical
    .filter(({ x0, y0, y1 }) => x0 > left - 2 && x0 < right + 2 && y0 < y + em && y1 > y)
    .map(({ x0 }) => x0);
  if (rules.length > 0) return isEnd ? Math.max(...rules) : Math.min(...rules);
  if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined;
  // A text at the left may be longer in another document.
  return isText ? right - Math.min(0.5 * em, (right - left) / 2) : (left + right) / 2;
}

/** All tokens of the rows' lines and between them, so that none counts as a word of the form. */
function bodyTokens(
  document: FormDocument,
  rows: readonly LocatedRow[],
  groups: readonly LessonColumns[],
): Set<FormToken> {
  const left = Math.min(...groups.flatMap(({ columns }) => columns.map(({ x0 }) => x0)));
  const right = Math.max(...groups.flatMap(({ columns }) => columns.map(({ x1 }) => x1)));
  const tokens = new Set(rows.flatMap(({ cells }) => [...cells.values()].flat()));
  const pages = new Map<number, FormToken[]>();
  for (const { anchor } of rows) pages.set(anchor.page, [...(pages.get(anchor.page) ?? []), anchor]);
  for (const [page, anchors] of pages) {
    const top = Math.min(...anchors.map(({ y0 }) => y0));
    const bottom = Math.max(...anchors.map(({ y1 }) => y1));
    for (const token of document.tokens) {
      const isInside = middleY(token) > top - 2 && middleY(token) < bottom + 2 && token.x1 > left && token.x0 < right;
      if (token.page === page && isInside) tokens.add(token);
    }
  }
  return tokens;
}
