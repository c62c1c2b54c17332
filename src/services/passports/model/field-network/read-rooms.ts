import { median } from '../../../../base/median.ts';
import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';
import { middleY } from '../fields/page-tokens.ts';
import { type ReadCell, repairRows } from '../fields/table-repairs.ts';
import { connect, groupOf, membersOf } from './group-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { parseGroup, type ReadValue } from './read-values.ts';

interface Row {
  readonly cells: readonly ReadCell[];
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
}

/** The rows of a table, by the classes `section:column`; columns side by side are read one after another. */
export function readRows(readings: readonly PageReading[], section: string, table: TableSpec): ReadCell[][] {
  const pages = readings.map((reading) => rowsOfPage(reading, section, table));
  const all = pages.flat();
  const kept = pages.flatMap((rows) => inPrintedOrder(withoutStrays(rows, all)));
  return repairRows(kept.map(({ cells }) => [...cells]));
}

const FEW_ROWS = 3;

function rowsOfPage(reading: PageReading, section: string, { columns }: TableSpec): Row[] {
  const names = new Map<number, ColumnSpec>();
  for (const spec of columns) for (const i of membersOf(reading, `${section}:${spec.key}`)) choose(names, i, spec);
  function choose(known: Map<number, ColumnSpec>, i: number, spec: ColumnSpec) {
    const other = known.get(i);
    const share = ({ key }: ColumnSpec) => reading.probabilityOf(i, `${section}:${key}`);
    if (!other || share(spec) > share(other)) known.set(i, spec);
  }
  return connect([...names.keys()], reading).flatMap((members): Row[] => {
    const cells = columns.flatMap((spec): ReadCell[] => {
      const own = oneCell(
        members.filter((i) => names.get(i) === spec),
        spec,
        reading,
        `${section}:${spec.key}`,
      );
      const read = own.length > 0 ? parseGroup(groupOf(own, reading, `${section}:${spec.key}`), spec) : undefined;
      return read
        ? [{ spec, ...read, value: spec.type === 'string' && !isNumbering(spec) ? withDot(read) : read.value }]
        : [];
    });
    // A number alone is not a room.
    if (!cells.some(({ spec }) => spec.type === 'number') && cells.length < 2) return [];
    const tokens = cells.flatMap((cell) => cell.tokens);
    return [
      {
        cells,
        x0: Math.min(...tokens.map(({ x0 }) => x0)),
        x1: Math.max(...tokens.map(({ x1 }) => x1)),
        y: median(tokens.map(middleY)),
      },
    ];
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
  if (spec.type === 'string' && !isNumbering(spec)) return [...members];
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
  return places.sort((a, b) => likelihood(b) - likelihood(a))[0] ?? [];
}

/**
 * Drops rows that lack most of the columns of the others: a row of column numbers, a row of another table. A few rows on a
 * page of their own are compared with `all`, and must be surer and numbered if these are.
 */
function withoutStrays(rows: readonly Row[], all: readonly Row[]): Row[] {
  const isApart = rows.length < FEW_ROWS && rows.length < all.length;
  const others = isApart ? all : rows;
  const count = new Map<ColumnSpec, number>();
  for (const { cells } of others) for (const { spec } of cells) count.set(spec, (count.get(spec) ?? 0) + 1);
  const usual = [...count].filter(([, times]) => times >= 0.6 * others.length).map(([spec]) => spec);
  const numbering = isApart ? usual.find(isNumbering) : undefined;
  return rows.filter(({ cells }) => {
    const specs = cells.map(({ spec }) => spec);
    const score = cells.reduce((sum, cell) => sum + cell.score, 0) / cells.length;
    const isLike = specs.filter((spec) => usual.includes(spec)).length >= 0.6 * usual.length;
    return isLike && score >= (isApart ? 0.7 : 0.5) && (!numbering || specs.includes(numbering));
  });
}

/** By their numbers if these are consecutive; else groups of columns from left to right, in each from top to bottom. */
function inPrintedOrder(rows: readonly Row[]): Row[] {
  const numbers = rows.map(({ cells }) => Number(cells.find(({ spec }) => isNumbering(spec))?.value));
  const lowest = Math.min(...numbers);
  const isConsecutive = new Set(numbers).size === rows.length && Math.max(...numbers) - lowest === rows.length - 1;
  if (isConsecutive) return rows.map((_, i) => rows[numbers.indexOf(lowest + i)]!);
  const groups: { x0: number; x1: number; rows: Row[] }[] = [];
  for (const row of [...rows].sort((a, b) => a.x0 - b.x0)) {
    const group = groups.find(({ x1 }) => x1 > row.x0 + 0.2 * (row.x1 - row.x0));
    if (group) {
      group.x1 = Math.max(group.x1, row.x1);
      group.rows.push(row);
    } else groups.push({ x0: row.x0, x1: row.x1, rows: [row] });
  }
  return groups.flatMap((group) => group.rows.sort((a, b) => a.y - b.y));
}
