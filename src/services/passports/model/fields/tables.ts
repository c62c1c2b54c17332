import type { Value } from '../../extraction.ts';
import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { linesOf, median } from './blocks.ts';
import { cellOf, gridOf } from './grid.ts';
import { type Header, headersOf } from './headers.ts';
import { type Line, type Sheet, type Token, textOf } from './sheet.ts';
import { repaired } from './table-repairs.ts';
import { labelWord } from './words.ts';

/** A cell of a row that was read. */
export interface ReadCell {
  readonly spec: ColumnSpec;
  readonly value: Exclude<Value, null>;
  readonly tokens: readonly Token[];
  readonly score: number;
}

export interface ReadTable {
  readonly rows: readonly (readonly ReadCell[])[];
  /** Rows that sum up others. */
  readonly totals: readonly (readonly ReadCell[])[];
  /** Every token that belongs to the table: no label of a field is looked for among them. */
  readonly used: readonly Token[];
}

/** The rows of the table `spec`, wherever in the document it stands; it may go on over pages, with or without its header. */
export function tableRows(sheets: readonly Sheet[], spec: TableSpec): ReadTable {
  const perSheet = sheets.map((sheet) => headersOf(sheet, spec));
  const best = bestOf(perSheet.flat(), spec);
  const rows: ReadCell[][] = [];
  const totals: ReadCell[][] = [];
  const used: Token[] = [];
  if (!best) return { rows, totals, used };
  let open: Header | undefined;
  for (const [i, sheet] of sheets.entries()) {
    const headers = (perSheet[i] ?? []).filter((header) => alike(header, best));
    const starts = headers.length > 0 ? headers : open ? [{ ...open, sheet, bottom: 0, tokens: [] }] : [];
    open = undefined;
    for (const [j, header] of starts.entries()) {
      const body = readBody(sheet, header, spec, starts[j + 1]?.top ?? sheet.height);
      if (body.rows.length === 0 && headers.length === 0) continue;
      rows.push(...body.rows);
      totals.push(...body.totals);
      used.push(...header.tokens, ...body.used);
      open = body.ended ? undefined : header;
    }
  }
  return { rows: repaired(rows), totals, used };
}

/** The head with the most below it. */
function bestOf(headers: readonly Header[], spec: TableSpec): Header | undefined {
  const weighed = headers.map((header) => {
    const next = headers.filter(({ sheet, top }) => sheet === header.sheet && top > header.bottom)[0];
    const { rows } = readBody(header.sheet, header, spec, next?.top ?? header.sheet.height);
    const cells = rows.reduce((sum, row) => sum + row.length, 0);
    return { header, cells: rows.length < 2 ? cells / 4 : cells };
  });
  return weighed.filter(({ cells }) => cells > 0).sort((a, b) => b.cells - a.cells)[0]?.header;
}

/** Has nearly the columns of the other. */
function alike(header: Header, other: Header): boolean {
  const keys = new Set(header.columns.map(({ spec }) => spec.key));
  const same = other.columns.filter(({ spec }) => keys.has(spec.key)).length;
  return same >= 0.75 * Math.max(header.columns.length, other.columns.length);
}

interface Body {
  readonly rows: ReadCell[][];
  readonly totals: ReadCell[][];
  readonly used: Token[];
  /** Something follows the table on the page, so it does not go on over the next. */
  readonly ended: boolean;
}

function readBody(sheet: Sheet, header: Header, spec: TableSpec, end: number): Body {
  const below = sheet.tokens.filter(
    ({ y0, y1 }) =>
      (y0 + y1) / 2 > header.bottom - 1 &&
      (y0 + y1) / 2 < end - 1 &&
      !header.tokens.some((one) => one.y0 === y0 && one.y1 === y1 && one.sheet === sheet),
  );
  const lines = header.ruled ? ruledRows(sheet, below, header) : freeRows(below, header);
  const known = guessed(header, lines.rows, spec);
  const columns = (header.ruled ? [...known] : [...spread(lines.rows, { ...header, columns: known })]).sort(
    (a, b) => a.x0 - b.x0,
  );
  const body: Body = { rows: [], totals: [], used: [], ended: lines.ended };
  for (const line of lines.rows) {
    const cells = columns.map((column) => ({
      column,
      tokens: line.filter((token) => inColumn(token, column)),
    }));
    if (numbering(cells.map(({ tokens }) => textOf(tokens)))) {
      body.used.push(...line);
      continue;
    }
    // Misread, it may count oddly, but a room has no number for a name.
    if (cells.some(({ column, tokens }) => column.spec.type === 'string' && /^\d{1,2}$/u.test(textOf(tokens)))) {
      body.used.push(...line);
      continue;
    }
    const read = cells.flatMap(({ column, tokens }) => readCell(column.spec, column.score, tokens) ?? []);
    const numbers = read.filter((cell) => cell.spec.type === 'number').length;
    const sums = isTotal(line, spec);
    if (sums) {
      body.totals.push(read);
      body.used.push(...line);
    } else if (numbers > 0 && read.length > 1) {
      body.rows.push(read);
      body.used.push(...line);
    } else {
      const last = body.rows.at(-1);
      const text = read.filter((cell) => cell.spec.type === 'string');
      if (last && text.length === 1 && read.length === 1 && near(last, line)) {
        lengthen(last, text[0]!);
        body.used.push(...line);
      } else if (header.ruled) body.used.push(...line);
    }
  }
  return body;
}

/** A column whose head says nothing known is the one that is missing, if only one of its kind is. */
function guessed(header: Header, rows: readonly (readonly Token[])[], { columns }: TableSpec): Header['columns'] {
  const found = [...header.columns];
  let spare = [...header.spare];
  for (const type of ['string', 'number', 'integer'] as const) {
    const missing = columns.filter((one) => one.type === type && !found.some(({ spec }) => spec.key === one.key));
    const [best] = spare
      .map((place) => ({ place, fit: FITS[type](textsIn(place, rows)) }))
      .sort((a, b) => b.fit - a.fit);
    if (missing.length !== 1 || !best || best.fit < 0.6) continue;
    found.push({ spec: missing[0]!, x0: best.place.x0, x1: best.place.x1, score: GUESSED });
    spare = spare.filter((place) => place !== best.place);
  }
  return found;
}

/** What stands in the column, row by row; a dash is nothing. */
const textsIn = (place: { x0: number; x1: number }, rows: readonly (readonly Token[])[]): string[] =>
  rows
    .map((row) => textOf(row.filter((token) => inColumn(token, place))))
    .filter((text) => /[\p{L}\d]/u.test(text));

const share = (texts: readonly string[], fits: (text: string, i: number) => boolean): number =>
  texts.length < 2 ? 0 : texts.filter(fits).length / texts.length;

/** 0..1: how much a column looks as one of its type does; whole numbers are those that count the rows. */
const FITS = {
  string: (texts: readonly string[]) => share(texts, (text) => /\p{L}{3}/u.test(text)),
  number: (texts: readonly string[]) => share(texts, (text) => /^\d+[.,]\d+$/u.test(text)),
  integer: (texts: readonly string[]) =>
    share(texts, (text, i) => /^\d{1,3}$/u.test(text) && Number(text) === (i === 0 ? 1 : Number(texts[i - 1]) + 1)),
};
const GUESSED = 0.75;

function readCell(spec: ColumnSpec, score: number, tokens: readonly Token[]): ReadCell | undefined {
  const text = textOf(tokens);
  if (text === '' || /^[-—–_.\s]+$/u.test(text)) return undefined;
  const found = readValue(spec, text);
  if (!found) return undefined;
  return { spec, value: found.value, tokens, score: Math.min(1, score) };
}

/** A row of the numbers of the columns: 1, 2, 3, 4 … */
function numbering(texts: readonly string[]): boolean {
  const filled = texts.filter((text) => text !== '');
  return (
    filled.length >= 3 &&
    filled.every((text) => /^\d{1,2}$/u.test(text)) &&
    filled.every(
      (text, i) => i === 0 || (Number(text) > Number(filled[i - 1]) && Number(text) - Number(filled[i - 1]) < 4),
    )
  );
}

function isTotal(line: readonly Token[], { totals = [] }: TableSpec): boolean {
  const words = line.slice(0, 4).flatMap(({ text }) => labelWord(text) ?? []);
  return totals.some((total) => {
    const wanted = labelWord(total);
    return wanted && words.slice(0, 2).some((word) => word.stem === wanted.stem);
  });
}

const near = (row: readonly ReadCell[], line: readonly Token[]): boolean => {
  const last = row.flatMap(({ tokens }) => tokens);
  const bottom = Math.max(...last.map(({ y1 }) => y1));
  const height = median(line.map(({ y0, y1 }) => y1 - y0));
  return line[0]!.sheet === last[0]!.sheet && Math.min(...line.map(({ y0 }) => y0)) < bottom + 0.8 * height;
};

function lengthen(row: ReadCell[], more: ReadCell): void {
  const at = row.findIndex(({ spec }) => spec === more.spec);
  const old = row[at];
  if (!old) row.push(more);
  else row[at] = { ...old, value: `${old.value} ${more.value}`, tokens: [...old.tokens, ...more.tokens] };
}

const inColumn = (token: Line, { x0, x1 }: Line | { x0: number; x1: number }): boolean => {
  const middle = (token.x0 + token.x1) / 2;
  return x0 <= middle && middle <= x1;
};

/** Rows as the ruled lines part them; a cell that holds several lines of numbers is several rows. */
function ruledRows(sheet: Sheet, tokens: readonly Token[], header: Header): { rows: Token[][]; ended: boolean } {
  const grid = gridOf(sheet);
  const left = Math.min(...header.columns.map(({ x0 }) => x0));
  const right = Math.max(...header.columns.map(({ x1 }) => x1));
  const rows = new Map<number, { top: number; bottom: number; tokens: Token[] }>();
  const outside: Token[] = [];
  for (const token of tokens) {
    const cell = cellOf(grid, token);
    // What lies across all of the columns is a heading, or something else between the same edges.
    const across = header.columns.length > 1 && cell !== undefined && cell.x0 < left + 4 && cell.x1 > right - 4;
    if (!cell || across || cell.x1 < left + 2 || cell.x0 > right - 2) {
      outside.push(token);
      continue;
    }
    const key = Math.round(cell.y0);
    const known = [...rows.values()].find((row) => Math.abs(row.top - cell.y0) < 4);
    if (known) {
      known.tokens.push(token);
      known.bottom = Math.max(known.bottom, cell.y1);
    } else rows.set(key, { top: cell.y0, bottom: cell.y1, tokens: [token] });
  }
  const found: Token[][] = [];
  let bottom: number | undefined;
  for (const row of [...rows.values()].sort((a, b) => a.top - b.top)) {
    const aside = bottom !== undefined && row.top > bottom + 8;
    if (aside) break;
    bottom = Math.max(bottom ?? 0, row.bottom);
    const lines = linesOf(row.tokens);
    const numbers = header.columns.find(({ spec }) => spec.type === 'number');
    const many = lines.filter(
      (line) => numbers && line.some((token) => inColumn(token, numbers) && /\d/u.test(token.text)),
    );
    if (many.length > 1) found.push(...lines);
    else found.push(lines.flat());
  }
  const ended = outside.some((token) => token.y0 > (bottom ?? 0) && token.y1 < sheet.height * 0.94);
  return { rows: found, ended };
}

/** Lines below the header, as long as they look like rows. */
function freeRows(tokens: readonly Token[], header: Header): { rows: Token[][]; ended: boolean } {
  const rows: Token[][] = [];
  let bottom = header.bottom;
  let pitch = Number.POSITIVE_INFINITY;
  for (const line of linesOf(tokens)) {
    const top = Math.min(...line.map(({ y0 }) => y0));
    const height = median(line.map(({ y0, y1 }) => y1 - y0));
    const gap = top - bottom;
    const first = rows.length === 0;
    if (header.bottom > 0 && gap > (first ? 4 : Math.max(2.5, pitch + 1.2)) * height) return { rows, ended: true };
    const numbers = line.filter(({ text }) => /^[\d.,]+$/u.test(text)).length;
    const run = widest(line);
    // A sentence across the columns is no row.
    if (numbers === 0 && run.x1 - run.x0 > 0.6 * (header.x1 - header.x0) && line.length > 4)
      return { rows, ended: true };
    if (!first && numbers === 0 && gap > 1.6 * height) return { rows, ended: true };
    if (!first) pitch = Math.min(pitch, Math.max(0, gap / height));
    rows.push(line);
    bottom = Math.max(...line.map(({ y1 }) => y1));
  }
  return { rows, ended: false };
}

function widest(line: readonly Token[]): { x0: number; x1: number } {
  return { x0: Math.min(...line.map(({ x0 }) => x0)), x1: Math.max(...line.map(({ x1 }) => x1)) };
}

/** Columns as wide as what stands in them: each takes the stretch of text that lies under its header. */
function spread(rows: readonly (readonly Token[])[], header: Header): Header['columns'] {
  const columns = [...header.columns].sort((a, b) => a.x0 - b.x0);
  const stretches = stretchesOf(rows);
  const middle = ({ x0, x1 }: { x0: number; x1: number }) => (x0 + x1) / 2;
  const edges = columns.map((column) => {
    const over = stretches
      .map((stretch) => ({ stretch, shared: Math.min(stretch.x1, column.x1) - Math.max(stretch.x0, column.x0) }))
      .sort((a, b) => b.shared - a.shared)[0];
    return over && over.shared > 0
      ? { x0: Math.min(over.stretch.x0, column.x0), x1: Math.max(over.stretch.x1, column.x1) }
      : column;
  });
  return columns.map((column, i) => {
    const edge = edges[i]!;
    const before = edges[i - 1];
    const behind = edges[i + 1];
    const x0 = before ? Math.max(edge.x0 - 6, Math.min(edge.x0, (before.x1 + edge.x0) / 2)) : edge.x0 - 20;
    const x1 = behind ? Math.min(edge.x1 + 6, Math.max(edge.x1, (behind.x0 + edge.x1) / 2)) : edge.x1 + 20;
    return { ...column, x0: Math.min(x0, middle(column)), x1: Math.max(x1, middle(column)) };
  });
}

/** Where text stands in most rows, from the left. */
function stretchesOf(rows: readonly (readonly Token[])[]): { x0: number; x1: number }[] {
  const words = rows.flat();
  const space = 0.55 * median(words.map(({ y0, y1 }) => y1 - y0));
  const merged: { x0: number; x1: number }[] = [];
  for (const { x0, x1 } of [...words].sort((a, b) => a.x0 - b.x0)) {
    const last = merged.at(-1);
    if (last && x0 <= last.x1 + space) last.x1 = Math.max(last.x1, x1);
    else merged.push({ x0, x1 });
  }
  return merged;
}
