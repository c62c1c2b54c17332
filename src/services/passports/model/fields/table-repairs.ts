import { ROUNDING } from '../../cross-checks.ts';
import type { Value } from '../../extraction.ts';
import { findNumber } from '../../schema/numbers.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';
import { joinText, type Token } from './page-tokens.ts';

export interface ReadCell {
  readonly spec: ColumnSpec;
  readonly value: Exclude<Value, null>;
  readonly tokens: readonly Token[];
  readonly score: number;
}

/** Corrects OCR errors that the rest of the table, or its total among `tokens`, reveals, with a lower score. */
export function repairRows(rows: ReadCell[][], tokens: readonly Token[]): ReadCell[][] {
  return restoreDecimalPoints(correctNumbering(rows), tokens);
}

/** Corrects a row number whose neighbours differ by two (OCR reads a 3 as a 5), or one without digits after a number. */
function correctNumbering(rows: ReadCell[][]): ReadCell[][] {
  const numberCell = (row: ReadCell[] | undefined) => row?.find(({ spec }) => isNumbering(spec));
  return rows.map((row, i) => {
    const cell = numberCell(row);
    const before = toRowNumber(numberCell(rows[i - 1]));
    const after = toRowNumber(numberCell(rows[i + 1]));
    if (!cell || !before || cell.tokens[0]!.confidence === null) return row;
    const next = `${before.prefix}${String(before.number + 1).padStart(before.length, '0')}`;
    const read = toRowNumber(cell);
    const isBetween = after?.prefix === before.prefix && after.number === before.number + 2;
    const isDoubtful = read
      ? read.prefix === before.prefix && isBetween
      : !/\d/u.test(String(cell.value)) && (isBetween || !after);
    if (!isDoubtful || String(cell.value) === next) return row;
    const value = typeof cell.value === 'string' ? next : Number(next);
    return row.map((one) => (one === cell ? { ...cell, value, score: REPAIRED_SCORE } : one));
  });
}

/** Undefined for a number with letters behind it (`3а`), which is read right: OCR does not invent them. */
function toRowNumber(cell: ReadCell | undefined): { prefix: string; number: number; length: number } | undefined {
  const [, prefix, digits] = /^(\p{Lu}?)(\d{1,4})$/u.exec(String(cell?.value ?? '')) ?? [];
  return digits === undefined ? undefined : { prefix: prefix!, number: Number(digits), length: digits.length };
}

/**
 * Corrects numbers without a point that the row also contains with one, or whose column then has a printed sum. Others that exceed
 * all numbers of the unit are only doubtful: a hall of `120` m².
 */
function restoreDecimalPoints(rows: ReadCell[][], tokens: readonly Token[]): ReadCell[][] {
  const decimals = new Map<string | undefined, UnitDecimals>();
  for (const { spec } of rows.flat()) {
    if (spec.type === 'number' && !decimals.has(spec.unit)) decimals.set(spec.unit, decimalsOf(rows, spec.unit));
  }
  const twins = new Set<ReadCell>();
  const corrected = new Map<ReadCell, number>();
  for (const row of rows) {
    for (const cell of row) {
      const typical = cell.spec.type === 'number' ? decimals.get(cell.spec.unit) : undefined;
      const { value } = cell;
      const written = joinText(cell.tokens);
      if (!typical || typical.decimals === 0 || typeof value !== 'number' || cell.tokens[0]!.confidence === null)
        continue;
      if (!/^\d+$/u.test(written) || written.length <= typical.decimals) continue;
      const number = Number((value / 10 ** typical.decimals).toFixed(typical.decimals));
      const others = row.filter((other) => other !== cell && other.spec.unit === cell.spec.unit);
      if (others.length === 1 && others[0]!.value === number) twins.add(cell);
      else if (value <= 1.2 * typical.max) continue;
      corrected.set(cell, number);
    }
  }
  const hasPrintedSum = (spec: ColumnSpec) => {
    const cells = rows.flat().filter((cell) => cell.spec === spec);
    const sum = cells.reduce((all, cell) => all + (corrected.get(cell) ?? Number(cell.value)), 0);
    return tokens.some(
      ({ text }) => /\d[.,]\d/u.test(text) && Math.abs((findNumber(text, 2)?.value ?? 0) - sum) < ROUNDING,
    );
  };
  const sums = new Set([...corrected.keys()].map(({ spec }) => spec).filter(hasPrintedSum));
  return rows.map((row) =>
    row.map((cell) => {
      const value = corrected.get(cell);
      if (value === undefined) return cell;
      const isRight = twins.has(cell) || sums.has(cell.spec);
      return { ...cell, value: isRight ? value : cell.value, score: Math.min(cell.score, REPAIRED_SCORE) };
    }),
  );
}

const REPAIRED_SCORE = 0.7;

interface UnitDecimals {
  /** Of most numbers; 0 if it varies or there are too few. */
  readonly decimals: number;
  readonly max: number;
}

function decimalsOf(rows: readonly (readonly ReadCell[])[], unit: string | undefined): UnitDecimals {
  const cells = rows.flatMap((row) => row.filter(({ spec }) => spec.type === 'number' && spec.unit === unit));
  const lengths = cells.map(({ tokens }) => /[.,](\d+)$/u.exec(joinText(tokens))?.[1]?.length ?? 0);
  for (const decimals of [1, 2]) {
    const alike = cells.filter((_, i) => lengths[i] === decimals);
    if (alike.length < 3 || alike.length < 0.6 * cells.length) continue;
    return { decimals, max: Math.max(...alike.map(({ value }) => Number(value))) };
  }
  return { decimals: 0, max: 0 };
}
