import type { ReadCell } from './read-cell.ts';
import { textOf } from './sheet.ts';

/** Rows with what OCR misread put right, where the rest of the table tells what it was; such cells are less sure. */
export function repaired(rows: ReadCell[][]): ReadCell[][] {
  return pointed(renumbered(rows));
}

/** Rows that count themselves, where one number does not fit and its neighbours do: OCR took a 3 for a 5. */
function renumbered(rows: ReadCell[][]): ReadCell[][] {
  const count = (row: ReadCell[] | undefined) =>
    row?.find(({ spec, tokens }) => spec.type === 'integer' && tokens[0]!.confidence !== null);
  return rows.map((row, i) => {
    const cell = count(row);
    const before = count(rows[i - 1])?.value;
    const behind = count(rows[i + 1])?.value;
    if (!cell || typeof before !== 'number' || cell.value === before + 1 || behind !== before + 2) return row;
    return row.map((one) => (one === cell ? { ...cell, value: before + 1, score: REPAIRED } : one));
  });
}

/**
 * Numbers whose decimal point OCR lost: written without one among numbers of the same unit with as many decimals each, and larger
 * than any of them, or ten times what the row says elsewhere.
 */
function pointed(rows: ReadCell[][]): ReadCell[][] {
  const decimals = new Map<string | undefined, UnitDecimals>();
  for (const { spec } of rows.flat()) {
    if (spec.type === 'number' && !decimals.has(spec.unit)) decimals.set(spec.unit, decimalsOf(rows, spec.unit));
  }
  return rows.map((row) =>
    row.map((cell) => {
      const usual = cell.spec.type === 'number' ? decimals.get(cell.spec.unit) : undefined;
      const { value } = cell;
      const written = textOf(cell.tokens);
      if (!usual || usual.decimals === 0 || typeof value !== 'number' || cell.tokens[0]!.confidence === null)
        return cell;
      if (!/^\d+$/u.test(written) || written.length <= usual.decimals) return cell;
      const less = Number((value / 10 ** usual.decimals).toFixed(usual.decimals));
      const twin = row.some((other) => other.spec.unit === cell.spec.unit && other.value === less);
      return twin || value > 1.2 * usual.most ? { ...cell, value: less, score: REPAIRED } : cell;
    }),
  );
}

const REPAIRED = 0.7;

interface UnitDecimals {
  /** How many decimals most numbers of the unit have; 0 where they differ or are few. */
  readonly decimals: number;
  /** The largest of those that have them. */
  readonly most: number;
}

function decimalsOf(rows: readonly (readonly ReadCell[])[], unit: string | undefined): UnitDecimals {
  const cells = rows.flatMap((row) => row.filter(({ spec }) => spec.type === 'number' && spec.unit === unit));
  const lengths = cells.map(({ tokens }) => /[.,](\d+)$/u.exec(textOf(tokens))?.[1]?.length ?? 0);
  for (const decimals of [1, 2]) {
    const alike = cells.filter((_, i) => lengths[i] === decimals);
    if (alike.length < 3 || alike.length < 0.6 * cells.length) continue;
    return { decimals, most: Math.max(...alike.map(({ value }) => Number(value))) };
  }
  return { decimals: 0, most: 0 };
}
