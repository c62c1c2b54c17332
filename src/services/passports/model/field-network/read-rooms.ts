import { median } from '../../../../base/median.ts';
import { unitFactor } from '../../schema/amounts.ts';
import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering, readValue } from '../../schema/values.ts';
import { overlapIndex } from '../fields/line-index.ts';
import { boundingBox, middleY } from '../fields/page-tokens.ts';
import { withoutSubtotals } from '../fields/subtotals.ts';
import { type ReadCell, repairRows } from '../fields/table-repairs.ts';
import { connect, groupOf, inReadingOrder, membersOf, textOf } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { parseGroup, type ReadValue } from './read-values.ts';
import { COLUMN_SCORE, columnHeader, FEW_ROWS, findNumbers, foreignColumnAfter, type Row } from './room-columns.ts';
import { inPrintedOrder } from './room-order.ts';
import { withSharedHeights } from './shared-heights.ts';
import { withoutStrays } from './stray-rows.ts';
import { withDoubtfulWords } from './value-ends.ts';
import { MIN_DIGITS, withDecimals, withThousands } from './whole-amounts.ts';

/** The rows of a table, by the classes `section:column`; columns side by side are read one after another. */
export function readRows(readings: readonly PageReading[], section: string, table: TableSpec): ReadCell[][] {
  const headers = new Map<ColumnSpec, string>();
  const pages = withoutPlans(readings.map((reading) => rowsOfPage(reading, section, table, headers)));
  const likely = pages.flat();
  const kept = pages.map((rows, i) => ({
    rows: inPrintedOrder(withoutStrays(rows, likely)),
    tokens: readings[i]!.tokens,
  }));
  const numbers = table.columns.filter(isNumbering).map((spec) => findNumbers(kept, spec));
  const all = kept.flatMap(({ rows }) =>
    rows.map((row) => [...numbers.flatMap((found) => found.get(row) ?? []), ...row.cells]),
  );
  return repairRows(
    withoutSubtotals(all, table),
    readings.flatMap(({ tokens }) => tokens),
  );
}

/** Drops the rows of pages with much shorter rows than the page with most cells, and hardly a name: the figures of a plan. */
function withoutPlans(pages: readonly Row[][]): Row[][] {
  const cellsOf = (rows: readonly Row[]) => rows.reduce((sum, { cells }) => sum + cells.length, 0);
  const table = pages.reduce<readonly Row[]>((most, rows) => (cellsOf(rows) > cellsOf(most) ? rows : most), []);
  const usual = cellsOf(table) / table.length;
  const named = (rows: readonly Row[]) => rows.filter(({ cells }) => cells.some(isText)).length;
  const isPlan = (rows: readonly Row[]) =>
    cellsOf(rows) < PLAN_SHARE * usual * rows.length && named(rows) < MAX_NAMED * rows.length;
  return pages.map((rows) => (isPlan(rows) ? [] : rows));
}

// Chosen. A room of a plan has a number and an area, one of a table a name and mostly more.
const PLAN_SHARE = 0.6;
const MAX_NAMED = 0.3;

/** Updates `headers`, those that name a unit to convert, with the units of the page; a page without any has those of the pages before. */
function rowsOfPage(
  reading: PageReading,
  section: string,
  { columns }: TableSpec,
  headers: Map<ColumnSpec, string>,
): Row[] {
  const names = new Map<number, ColumnSpec>();
  for (const spec of columns) for (const i of membersOf(reading, `${section}:${spec.key}`)) choose(names, i, spec);
  function choose(known: Map<number, ColumnSpec>, i: number, spec: ColumnSpec) {
    const other = known.get(i);
    const share = ({ key }: ColumnSpec) => reading.probabilityOf(i, `${section}:${key}`);
    if (!other || share(spec) > share(other)) known.set(i, spec);
  }
  const { tokens } = reading;
  /** Adds the doubtful words of a text on its lines: `номер на 4` before `места`. */
  function withRest(sure: readonly number[], name: string): number[] {
    const isRest = (i: number) =>
      !names.has(i) &&
      /[\p{L}\d]/u.test(tokens[i]!.text) &&
      sure.some((j) => Math.abs(middleY(tokens[j]!) - middleY(tokens[i]!)) < SAME_ROW * heightOf(tokens[j]!));
    return withDoubtfulWords(sure, reading, name).filter((i) => sure.includes(i) || isRest(i));
  }
  const joined = connect([...names.keys()], reading);
  const groups = joined.flatMap((members) => apart(members, names, reading));
  const rows = groups.flatMap((members): Row[] => {
    const cells = columns.flatMap((spec): ReadCell[] => {
      const name = `${section}:${spec.key}`;
      const sure = members.filter((i) => names.get(i) === spec);
      if (sure.length === 0) return [];
      const own = isTextColumn(spec) ? withRest(sure, name) : oneCell(sure, spec, reading, name);
      const read = parseGroup(groupOf(own, reading, name), spec);
      return read ? [{ spec, ...read, value: isTextColumn(spec) ? withDot(read) : read.value }] : [];
    });
    // A number alone is not a room.
    if (!cells.some(({ spec }) => spec.type === 'number') && cells.length < 2) return [];
    return [rowOf(cells)];
  });
  const known = withoutForeignColumns(joinedOnLines(rows), reading);
  for (const spec of columns) {
    if (spec.type !== 'number') continue;
    const header = columnHeader(known, reading.tokens, spec);
    const factor = unitFactor(spec.unit, header);
    if (factor === 1) headers.delete(spec);
    else if (factor !== undefined) headers.set(spec, header);
  }
  const all = withDoubtfulCells(known, reading, section, columns, headers).map((row) => inUnits(row, headers));
  const [token] = reading.tokens;
  return token ? withSharedHeights(all, token.sheet) : all;
}

/** Converts the numbers of a row from the units of their columns: `Area, sq ft`. */
const inUnits = (row: Row, headers: ReadonlyMap<ColumnSpec, string>): Row => ({
  ...row,
  cells: row.cells.flatMap((cell) => {
    const header = headers.get(cell.spec);
    const read = header === undefined ? cell : readValue(cell.spec, textOf(cell.tokens), header);
    return read ? [{ ...cell, value: read.value }] : [];
  }),
});

/** Cuts the texts of rows before a column that has no class, such as the kind of each room. */
function withoutForeignColumns(rows: readonly Row[], { tokens }: PageReading): Row[] {
  const texts = [...new Set(rows.flatMap(({ cells }) => cells.filter(isText).map(({ spec }) => spec)))];
  const edges = new Map(texts.map((spec) => [spec, foreignColumnAfter(rows, tokens, spec)]));
  return rows.map((row) => {
    const cells = row.cells.map((cell) => {
      const kept = cell.tokens.filter(({ x0, y0, y1 }) => x0 < (edges.get(cell.spec) ?? Infinity) - 0.3 * (y1 - y0));
      const read =
        kept.length < cell.tokens.length && parseGroup({ ...cell, tokens: kept, lowest: cell.score }, cell.spec);
      return read ? { ...cell, ...read } : cell;
    });
    return rowOf(cells);
  });
}

/** Joins rows on one line that have different columns: the network took the last cells of a room for another room. */
function joinedOnLines(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  for (const row of [...rows].sort((a, b) => a.x0 - b.x0)) {
    const height = Math.max(...row.cells.flatMap(({ tokens }) => tokens.map(({ y0, y1 }) => y1 - y0)));
    const at = joined.findLastIndex(({ y }) => Math.abs(y - row.y) < SAME_ROW * height);
    const left = joined[at];
    const isRest =
      left && left.x1 < row.x0 && !left.cells.some((one) => row.cells.some(({ spec }) => spec === one.spec));
    if (isRest) joined[at] = rowOf([...left.cells, ...row.cells]);
    else joined.push(row);
  }
  return rows.length === joined.length ? [...rows] : joined;
}

// Chosen. In heights of a word.
const SAME_ROW = 0.5;

/**
 * Separates the rooms of a table with a column per room that goes on below itself: there several columns repeat, from the first
 * one. A table with a row per room has several columns on one line.
 */
function apart(
  members: readonly number[],
  names: ReadonlyMap<number, ColumnSpec>,
  { tokens }: PageReading,
): (readonly number[])[] {
  const sorted = [...members].sort((a, b) => middleY(tokens[a]!) - middleY(tokens[b]!));
  const rooms: number[][] = [];
  for (const [at, i] of sorted.entries()) {
    const [spec, before] = [names.get(i), sorted[at - 1]];
    const isNew = before === undefined || names.get(before) !== spec;
    if (isNew && before !== undefined && middleY(tokens[i]!) < tokens[before]!.y1) return [members];
    if (isNew && spec === names.get(sorted[0]!)) rooms.push([]);
    rooms.at(-1)!.push(i);
  }
  return rooms.every((room) => new Set(room.map((i) => names.get(i))).size > 1) ? rooms : [members];
}

const heightOf = ({ y0, y1 }: { readonly y0: number; readonly y1: number }): number => y1 - y0;

function rowOf(cells: readonly ReadCell[]): Row {
  const tokens = cells.flatMap((cell) => cell.tokens);
  const { x0, x1 } = boundingBox(tokens);
  return { cells, x0, x1, y: median(tokens.map(middleY)) };
}

const isTextColumn = (spec: ColumnSpec): boolean => spec.type === 'string' && !isNumbering(spec);

const isText = ({ spec }: ReadCell): boolean => isTextColumn(spec);

/** Adds cells that the network doubts, such as areas in feet, where other rows of the table have one above or below. */
function withDoubtfulCells(
  rows: readonly Row[],
  reading: PageReading,
  section: string,
  columns: readonly ColumnSpec[],
  headers: ReadonlyMap<ColumnSpec, string>,
): Row[] {
  const known = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ tokens }) => tokens)));
  const places = columns.map((spec) =>
    rows.flatMap((row) =>
      row.cells.flatMap((cell) => (cell.spec === spec ? [{ row, area: boundingBox(cell.tokens) }] : [])),
    ),
  );
  return rows.map((row) => {
    const line = overlapIndex(reading.tokens)(row.y, row.y).filter(
      (i) => reading.tokens[i]!.y0 < row.y && reading.tokens[i]!.y1 > row.y,
    );
    const found = columns.flatMap((spec, at): ReadCell[] => {
      if (row.cells.some((cell) => cell.spec === spec)) return [];
      const column = places[at]!.filter(({ row: other }) => other.x0 < row.x1 && other.x1 > row.x0);
      if (column.length < (headers.has(spec) ? 1 : FEW_ROWS)) return [];
      const { x0, x1 } = boundingBox(column.map(({ area }) => area));
      const members = line.filter((i) => {
        const token = reading.tokens[i]!;
        return token.x0 < x1 && token.x1 > x0 && !known.has(token);
      });
      if (members.length === 0) return [];
      const whole = withMissedThousands(members, reading, spec, `${section}:${spec.key}`);
      const read = parseGroup(groupOf(whole, reading, `${section}:${spec.key}`), spec);
      const isCell = read && (!isNumbering(spec) || /\d/u.test(String(read.value)));
      for (const token of isCell ? read.tokens : []) known.add(token);
      return isCell ? [{ spec, ...read, score: Math.max(read.score, COLUMN_SCORE) }] : [];
    });
    return found.length === 0 ? row : rowOf([...row.cells, ...found]);
  });
}

/** Keeps the dot of an abbreviation at the end (`веранда отапл.`), which is left out elsewhere as that of a sentence. */
function withDot({ value, tokens }: ReadValue): ReadValue['value'] {
  const { text, confidence } = tokens.at(-1)!;
  const isAbbreviation = /[бвгджзклмнпрстфхцчшщ]\.$/u.test(text) && (confidence === null || tokens.length > 1);
  return isAbbreviation ? `${String(value).replace(/\.$/u, '')}.` : value;
}

/** The likeliest of several places of a number. */
function oneCell(members: readonly number[], spec: ColumnSpec, reading: PageReading, name: string): number[] {
  const { tokens, probabilityOf } = reading;
  const places: number[][] = [];
  for (const i of [...members].sort((a, b) => tokens[a]!.x0 - tokens[b]!.x0)) {
    const last = places.at(-1);
    const end = last && tokens[last.at(-1)!]!.x1;
    if (last && tokens[i]!.x0 - end! < 1.5 * (tokens[i]!.y1 - tokens[i]!.y0)) last.push(i);
    else places.push([i]);
  }
  const likelihood = (place: readonly number[]) =>
    place.reduce((sum, i) => sum + probabilityOf(i, name), 0) / place.length;
  const place = places.sort((a, b) => likelihood(b) - likelihood(a))[0] ?? [];
  return withMissedThousands(place, reading, spec, name);
}

/** Other numbers on the line are cells of their own: without any likelihood, only `051,3` has its thousands before it. */
function withMissedThousands(
  members: readonly number[],
  reading: PageReading,
  spec: ColumnSpec,
  name: string,
): number[] {
  const cell = withDecimals(members, reading, spec, name);
  const [first] = inReadingOrder(cell.map((i) => reading.tokens[i]!));
  if (!first || !/^\d{3}[.,]\d/u.test(first.text)) return cell;
  const least = first.text.startsWith('0') ? 0 : MIN_DIGITS;
  const whole = withThousands(cell, reading, spec);
  const isPart = (i: number) =>
    [name, 'none'].includes(reading.likeliest(i)) && reading.probabilityOf(i, name) >= least;
  return whole.every((i) => cell.includes(i) || isPart(i)) ? whole : cell;
}
