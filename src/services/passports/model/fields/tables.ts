import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering, readValue } from '../../schema/values.ts';
import { parseLabelWord } from './label-words.ts';
import { joinText, type Sheet, type Token } from './page-tokens.ts';
import { inferColumns, isInColumn, widenColumns } from './table-columns.ts';
import { findHeaders, type Header } from './table-headers.ts';
import { type ReadCell, repairRows } from './table-repairs.ts';
import { splitRuledRows, splitUnruledRows } from './table-rows.ts';

export interface ReadTable {
  readonly rows: readonly (readonly ReadCell[])[];
  readonly totals: readonly (readonly ReadCell[])[];
  /** Excluded from the search for field labels. */
  readonly usedTokens: readonly Token[];
}

/** Extracts a table, which may span pages, with or without a repeated header. */
export function extractTable(sheets: readonly Sheet[], spec: TableSpec): ReadTable {
  const perSheet = sheets.map((sheet) => findHeaders(sheet, spec));
  const best = bestOf(perSheet.flat(), spec);
  const rows: ReadCell[][] = [];
  const totals: ReadCell[][] = [];
  const usedTokens: Token[] = [];
  if (!best) return { rows, totals, usedTokens };
  let open: Header | undefined;
  for (const [i, sheet] of sheets.entries()) {
    const headers = (perSheet[i] ?? []).filter((header) => hasSimilarColumns(header, best));
    const starts = headers.length > 0 ? headers : open ? [{ ...open, sheet, bottom: 0, tokens: [] }] : [];
    open = undefined;
    for (const [j, header] of starts.entries()) {
      const body = readBody(sheet, header, spec, starts[j + 1]?.top ?? sheet.height);
      if (body.rows.length === 0 && headers.length === 0) continue;
      rows.push(...body.rows);
      totals.push(...body.totals);
      usedTokens.push(...header.tokens, ...body.lines.flat());
      open = body.ended ? undefined : header;
    }
  }
  return {
    rows: repairRows(
      rows,
      sheets.flatMap(({ tokens }) => tokens),
    ),
    totals,
    usedTokens,
  };
}

/** Selects the header with the most filled cells below it. */
function bestOf(headers: readonly Header[], spec: TableSpec): Header | undefined {
  const weighed = headers.map((header) => {
    const next = headers.filter(({ sheet, top }) => sheet === header.sheet && top > header.bottom)[0];
    const { rows } = readBody(header.sheet, header, spec, next?.top ?? header.sheet.height);
    return { header, cells: header.columns.length * rows.flat().length };
  });
  return weighed.filter(({ cells }) => cells > 0).sort((a, b) => b.cells - a.cells)[0]?.header;
}

function hasSimilarColumns(header: Header, other: Header): boolean {
  const keys = new Set(header.columns.map(({ spec }) => spec.key));
  const same = other.columns.filter(({ spec }) => keys.has(spec.key)).length;
  return same >= 0.75 * Math.max(header.columns.length, other.columns.length);
}

interface Body {
  readonly rows: ReadCell[][];
  readonly totals: ReadCell[][];
  readonly lines: readonly (readonly Token[])[];
  readonly ended: boolean;
}

function readBody(sheet: Sheet, header: Header, spec: TableSpec, end: number): Body {
  const below = sheet.tokens.filter(
    ({ y0, y1 }) =>
      (y0 + y1) / 2 > header.bottom - 1 &&
      (y0 + y1) / 2 < end - 1 &&
      !header.tokens.some((one) => one.y0 === y0 && one.y1 === y1 && one.sheet === sheet),
  );
  const lines = header.ruled ? splitRuledRows(sheet, below, header) : splitUnruledRows(below, header);
  const columns = inferColumns(header.ruled ? header : widenColumns(header), lines.rows, spec);
  const body: Body = { rows: [], totals: [], lines: lines.rows, ended: lines.ended };
  for (const line of lines.rows) {
    const cells = columns.map((column) => ({
      column,
      tokens: line.filter((token) => isInColumn(token, column)),
    }));
    // A row of column numbers: a room is not named by a number.
    if (cells.some(({ column, tokens }) => isText(column.spec) && /^\d{1,2}$/u.test(joinText(tokens)))) continue;
    const read = cells.flatMap(({ column, tokens }) => readCell(column.spec, column.score, tokens) ?? []);
    const numbers = read.filter((cell) => cell.spec.type === 'number').length;
    if (isTotal(line, spec)) body.totals.push(read);
    else if (numbers > 0 && read.length > 1) body.rows.push(read);
  }
  return body;
}

const isText = (spec: ColumnSpec): boolean => spec.type === 'string' && !isNumbering(spec);

function readCell(spec: ColumnSpec, score: number, tokens: readonly Token[]): ReadCell | undefined {
  const text = joinText(tokens);
  if (text === '' || /^[-—–_.\s]+$/u.test(text)) return undefined;
  const found = readValue(spec, text);
  if (!found) return undefined;
  return { spec, value: found.value, tokens, score: Math.min(1, score) };
}

function isTotal(line: readonly Token[], { totals = [] }: TableSpec): boolean {
  const words = line.slice(0, 4).flatMap(({ text }) => parseLabelWord(text) ?? []);
  return totals.some((total) => {
    const totalWord = parseLabelWord(total);
    return totalWord && words.slice(0, 2).some((word) => word.stem === totalWord.stem);
  });
}
