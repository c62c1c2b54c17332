import { median } from '../../../../base/median.ts';
import { type ColumnSpec, isNumbering, type TableSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { parseLabelWord } from './label-words.ts';
import { joinText, type Sheet, type Token } from './page-tokens.ts';
import { fitColumnsToText, INFERRED_SCORE, inferColumns, isInColumn } from './table-columns.ts';
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
      usedTokens.push(...header.tokens, ...body.used);
      open = body.ended ? undefined : header;
    }
  }
  return { rows: repairRows(rows), totals, usedTokens };
}

/** Selects the header with the most filled cells below it. */
function bestOf(headers: readonly Header[], spec: TableSpec): Header | undefined {
  const weighed = headers.map((header) => {
    const next = headers.filter(({ sheet, top }) => sheet === header.sheet && top > header.bottom)[0];
    const { rows } = readBody(header.sheet, header, spec, next?.top ?? header.sheet.height);
    // A numbered list does not indicate a table of rooms.
    const isEvidence = ({ spec, score }: ReadCell) => spec.type === 'number' || score > INFERRED_SCORE;
    // Two columns may match by chance: "Назначение | жилое".
    const cells = header.columns.length * rows.reduce((sum, row) => sum + row.filter(isEvidence).length, 0);
    return { header, cells: rows.length < 2 ? cells / 4 : cells };
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
  readonly used: Token[];
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
  const known = inferColumns(header, lines.rows, spec);
  const columns = (header.ruled ? [...known] : [...fitColumnsToText(lines.rows, { ...header, columns: known })]).sort(
    (a, b) => a.x0 - b.x0,
  );
  const body: Body = { rows: [], totals: [], used: [], ended: lines.ended };
  for (const line of lines.rows) {
    const cells = columns.map((column) => ({
      column,
      tokens: line.filter((token) => isInColumn(token, column)),
    }));
    if (isColumnNumbering(cells.map(({ tokens }) => joinText(tokens)))) {
      body.used.push(...line);
      continue;
    }
    // Misread column numbers: a room is not named by a number.
    if (cells.some(({ column, tokens }) => isText(column.spec) && /^\d{1,2}$/u.test(joinText(tokens)))) {
      body.used.push(...line);
      continue;
    }
    const read = cells.flatMap(({ column, tokens }) => readCell(column.spec, column.score, tokens) ?? []);
    const numbers = read.filter((cell) => cell.spec.type === 'number').length;
    if (isTotal(line, spec)) {
      body.totals.push(read);
      body.used.push(...line);
    } else if (numbers > 0 && read.length > 1) {
      body.rows.push(read);
      body.used.push(...line);
    } else {
      const last = body.rows.at(-1);
      const text = read.filter((cell) => isText(cell.spec));
      if (last && text.length === 1 && read.length === 1 && isBelow(last, line)) {
        appendText(last, text[0]!);
        body.used.push(...line);
      } else if (header.ruled) body.used.push(...line);
    }
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

/** Whether a row numbers the columns: 1, 2, 3, 4 … */
function isColumnNumbering(texts: readonly string[]): boolean {
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
  const words = line.slice(0, 4).flatMap(({ text }) => parseLabelWord(text) ?? []);
  return totals.some((total) => {
    const totalWord = parseLabelWord(total);
    return totalWord && words.slice(0, 2).some((word) => word.stem === totalWord.stem);
  });
}

const isBelow = (row: readonly ReadCell[], line: readonly Token[]): boolean => {
  const last = row.flatMap(({ tokens }) => tokens);
  const bottom = Math.max(...last.map(({ y1 }) => y1));
  const height = median(line.map(({ y0, y1 }) => y1 - y0));
  return line[0]!.sheet === last[0]!.sheet && Math.min(...line.map(({ y0 }) => y0)) < bottom + 0.8 * height;
};

function appendText(row: ReadCell[], more: ReadCell): void {
  const at = row.findIndex(({ spec }) => spec === more.spec);
  const old = row[at];
  if (!old) row.push(more);
  else row[at] = { ...old, value: `${old.value} ${more.value}`, tokens: [...old.tokens, ...more.tokens] };
}
