import type { ColumnSpec, Section } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { toTextValue } from '../fields/correct-text.ts';
import { boundingBox, joinText, middleX, middleY } from '../fields/page-tokens.ts';
import { withoutSubtotals } from '../fields/subtotals.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import type { LessonColumns, LessonTable } from './lesson.ts';
import { project, projectBelow } from './project.ts';
import { readCards } from './read-cards.ts';
import type { ReadRow, TableCell } from './read-row.ts';
import type { PlaceContext } from './text-run.ts';
import { normalizeWord } from './word-hash.ts';

export const MAX_ROWS = 2000;

/** Reads the rows of a table at the places of the lesson's columns, over pages and groups of columns. */
export function readTable(
  table: Pick<LessonTable, 'groups' | 'cards' | 'ruled' | 'continues'>,
  section: Section,
  context: PlaceContext,
): ReadRow[] {
  if (table.cards) return readCards(table.cards, section, context);
  const starts = table.groups.flatMap((group) => placeGroup(group, section, context) ?? []);
  const first = starts[0];
  if (!first || starts.length < table.groups.length) return [];
  const rows: ReadRow[] = [];
  let open = starts.map(() => true);
  for (
    let page = first.page;
    page < context.document.pages.length && open.some(Boolean) && rows.length < MAX_ROWS;
    page++
  ) {
    const isContinued = page > first.page;
    open = starts.map((start, i) => {
      if (!open[i]) return false;
      const body = readBody(
        table,
        { ...start, page, top: isContinued ? Number.NEGATIVE_INFINITY : start.top },
        section,
        context,
      );
      rows.push(...body.rows);
      return !body.ended && body.rows.length > 0;
    });
  }
  return section.table ? withoutSubtotals(rows, section.table) : rows;
}

interface PlacedGroup {
  readonly page: number;
  /** Where the first row begins. */
  readonly top: number;
  readonly left: number;
  readonly right: number;
  readonly pitch: number;
  readonly bottom: number;
  readonly group: LessonColumns;
  readonly columns: readonly { readonly spec: ColumnSpec; readonly x0: number; readonly x1: number }[];
}

function placeGroup(group: LessonColumns, section: Section, context: PlaceContext): PlacedGroup | undefined {
  const { document, lesson, match } = context;
  const { em } = document;
  const top = { x0: group.x0, x1: group.x1, y0: group.y0 - 0.2 * lesson.em, y1: group.y0 + 0.2 * lesson.em };
  const place = projectBelow(lesson, match, top) ?? project(lesson, match, top);
  if (!place) return undefined;
  const scale = match.scales[place.page] ?? 1;
  const shift = place.area.x0 - group.x0 / scale;
  const columns = group.columns.flatMap(({ key, x0, x1 }) => {
    const spec = section.table?.columns.find((column) => column.key === key);
    return spec
      ? [
          {
            spec,
            x0: snap(document, place.page, x0 / scale + shift),
            x1: snap(document, place.page, x1 / scale + shift),
          },
        ]
      : [];
  });
  if (columns.length === 0) return undefined;
  return {
    ...{
      page: place.page,
      top: middleY(place.area) - 0.5 * em,
      pitch: group.pitch / scale,
      bottom: group.y1,
      group,
      columns,
    },
    left: Math.min(...columns.map(({ x0 }) => x0)),
    right: Math.max(...columns.map(({ x1 }) => x1)),
  };
}

/** The position of a vertical rule nearby. */
function snap({ vertical, em, tops }: FormDocument, page: number, x: number): number {
  let best = x;
  let least = 0.8 * em;
  for (const rule of vertical) {
    if (rule.y0 < tops[page]! || rule.y0 > (tops[page + 1] ?? Number.POSITIVE_INFINITY)) continue;
    if (Math.abs(rule.x0 - x) < least) [best, least] = [rule.x0, Math.abs(rule.x0 - x)];
  }
  return best;
}

function readBody(
  table: Pick<LessonTable, 'ruled' | 'continues'>,
  placed: PlacedGroup,
  section: Section,
  context: PlaceContext,
): { rows: ReadRow[]; ended: boolean } {
  const { document, match, lesson } = context;
  const { em } = document;
  const totals = section.table?.totals ?? [];
  const wordOf = new Map([...match.tokens].map(([index, token]) => [token, lesson.words[index]!]));
  const rows: { cells: TableCell[]; y: number }[] = [];
  const loose: { tokens: FormToken[]; y: number }[] = [];
  let bottom = placed.top;
  let misfits = 0;
  let ended = false;
  for (const line of document.lines) {
    if (line[0]!.page !== placed.page) continue;
    const inside = line.filter((token) => middleX(token) > placed.left && middleX(token) < placed.right);
    if (inside.length === 0) continue;
    const y = middleY(boundingBox(inside));
    if (y < placed.top) continue;
    const { y0 } = boundingBox(inside);
    const words = inside.flatMap((token) => wordOf.get(token) ?? []).filter(({ strong }) => strong);
    const isEnd = words.some((word) => word.y0 > placed.bottom);
    const isHead = words.length > 0 && !isEnd;
    if (isTotals(line, totals) || isTotals(inside, totals)) {
      if (rows.length === 0) continue;
      if (table.continues) {
        bottom = y;
        continue;
      }
      ended = true;
      break;
    }
    if (isNumbering(inside)) continue;
    const cells = placed.columns.flatMap(({ spec, x0, x1 }) => {
      const tokens = inside.filter((token) => middleX(token) >= x0 && middleX(token) < x1);
      return readCell(spec, tokens) ?? [];
    });
    const isRow = cells.some(({ spec }) => spec.type === 'number') && (cells.length > 1 || placed.columns.length === 1);
    if (isEnd && words.length >= 0.5 * inside.length) {
      ended = rows.length > 0 || ended;
      if (rows.length > 0) break;
      continue;
    }
    const gap = rows.length > 0 ? y0 - bottom : 0;
    if (gap > Math.max(2.2 * placed.pitch, 4 * em) && !(table.continues && isRow)) {
      ended = true;
      break;
    }
    if (isRow) {
      rows.push({ cells, y });
      bottom = boundingBox(inside).y1;
      misfits = 0;
      continue;
    }
    const text = cells.filter(({ spec }) => spec.type === 'string');
    if (!isHead && text.length > 0 && cells.length <= 2) loose.push({ tokens: text[0]!.tokens.slice(), y });
    // The words before the first row are the heads of the columns.
    if (rows.length > 0 && !isHead && ++misfits > (table.ruled || table.continues ? 4 : 2)) {
      ended = true;
      break;
    }
  }
  for (const { tokens, y } of loose) addText(rows, placed, tokens, y, document, table.ruled);
  return { rows: rows.map(({ cells }) => cells), ended };
}

/** Adds a further line of a text to the nearest row, unless a rule separates them. */
function addText(
  rows: { cells: TableCell[]; y: number }[],
  placed: PlacedGroup,
  tokens: FormToken[],
  y: number,
  document: FormDocument,
  ruled: boolean,
): void {
  const column = placed.columns.find(
    ({ spec, x0, x1 }) => spec.type === 'string' && middleX(tokens[0]!) >= x0 && middleX(tokens[0]!) < x1,
  );
  const x = middleX(boundingBox(tokens));
  const isSeparated = (to: number) =>
    document.horizontal.some(({ x0, x1, y0 }) => x0 < x && x1 > x && y0 > Math.min(y, to) && y0 < Math.max(y, to));
  const near = rows
    .filter((row) => Math.abs(row.y - y) < 2 * document.em && !(ruled && isSeparated(row.y)))
    .sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y));
  const row = near.find((one) => one.y < y && Math.abs(one.y - y) < 1.1 * Math.abs(near[0]!.y - y) + 1) ?? near[0];
  if (!column || !row) return;
  const at = row.cells.findIndex(({ spec }) => spec === column.spec);
  const all = [...(row.cells[at]?.tokens ?? []), ...tokens].sort((a, b) => a.id - b.id);
  const cell = { spec: column.spec, value: toTextValue(column.spec, joinText(all), all), tokens: all };
  if (at < 0) row.cells.push(cell);
  else row.cells[at] = cell;
}

function readCell(spec: ColumnSpec, tokens: readonly FormToken[]): TableCell | undefined {
  const text = joinText(tokens);
  if (!/[\p{L}\d]/u.test(text)) return undefined;
  if (spec.type === 'string') return { spec, value: toTextValue(spec, text, tokens), tokens };
  if (/\p{L}{3}/u.test(text)) return undefined;
  const read = readValue(spec, text);
  return read && { spec, value: read.value, tokens };
}

export function isTotals(line: readonly FormToken[], totals: readonly string[]): boolean {
  const words = line.filter(({ word }) => word !== '').slice(0, 2);
  return totals.some((total) => words.some(({ word }) => word === normalizeWord(total)));
}

/** A line that numbers the columns: 1, 2, 3 … */
function isNumbering(tokens: readonly FormToken[]): boolean {
  const numbers = tokens.map(({ text }) => Number(text));
  return (
    numbers.length >= 3 &&
    numbers.every((number, i) => Number.isInteger(number) && (i === 0 || number === numbers[i - 1]! + 1))
  );
}
