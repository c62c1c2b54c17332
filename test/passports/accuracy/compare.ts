import type { Field } from '../../../src/services/passports/extraction.ts';
import type { Truth } from './layout.ts';

/** The number of correctly extracted values and table cells. */
export interface Accuracy {
  readonly values: number;
  readonly valuesFound: number;
  readonly cells: number;
  readonly cellsFound: number;
  /** Missing or wrong fields, as `key: truth | reading (confidence)`. */
  readonly wrong: readonly string[];
}

/** Compares numbers to 0.005, and texts without case, ё, quotation mark styles and spaces around punctuation. */
export function compareFields(fields: Readonly<Record<string, Field>>, { values, accept = {} }: Truth): Accuracy {
  const wrong: string[] = [];
  const count = { values: 0, valuesFound: 0, cells: 0, cellsFound: 0 };
  for (const [key, truth] of Object.entries(values)) {
    const { value: reading, confidence } = fields[key] ?? {};
    const found = [truth, ...(accept[key] ?? [])].some((expected) => isSame(reading, expected));
    const cell = /:\d/u.test(key);
    count[cell ? 'cells' : 'values']++;
    if (found) count[cell ? 'cellsFound' : 'valuesFound']++;
    else
      wrong.push(`${key}: ${truth} | ${reading}${typeof confidence !== 'number' ? '' : ` (${confidence.toFixed(3)})`}`);
  }
  return { ...count, wrong };
}

/** Sums the results of several documents. */
export function sumShares(shares: readonly Accuracy[]): Accuracy {
  const sum = (key: 'values' | 'valuesFound' | 'cells' | 'cellsFound') =>
    shares.reduce((all, one) => all + one[key], 0);
  return {
    values: sum('values'),
    valuesFound: sum('valuesFound'),
    cells: sum('cells'),
    cellsFound: sum('cellsFound'),
    wrong: shares.flatMap(({ wrong }) => wrong),
  };
}

function isSame(reading: unknown, truth: string | number): boolean {
  if (typeof truth === 'number') return typeof reading === 'number' && Math.abs(reading - truth) < 0.005;
  return reading !== undefined && reading !== null && normalize(String(reading)) === normalize(truth);
}

const normalize = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[«»"“”„]/gu, '"')
    .replace(/\s+/gu, ' ')
    .replace(/\s*([,.;:()/-])\s*/gu, '$1')
    .trim();
