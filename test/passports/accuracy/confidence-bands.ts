import type { Field } from '../../../src/services/passports/extraction.ts';
import { compareFields } from './compare.ts';
import type { Truth } from './layout.ts';

/** Lower limits, the highest first. */
export const BANDS = [0.99, 0.97, 0.95, 0.9, 0.8, 0] as const;

/** The values that were read with a confidence in one band, and how many of them are right. */
export interface Band {
  readonly from: number;
  readonly read: number;
  readonly right: number;
}

// A free text, which the truth does not contain.
const NOT_COMPARED = 'notes:text';

/** Counts values outside tables by confidence. A value that is not printed counts as wrong. */
export function countBands(fields: Readonly<Record<string, Field>>, truth: Truth): Band[] {
  const counts = BANDS.map((from) => ({ from, read: 0, right: 0 }));
  for (const [key, field] of Object.entries(fields)) {
    if (/:\d/u.test(key) || key === NOT_COMPARED || field.value === null) continue;
    const band = counts.find(({ from }) => (field.confidence ?? 0) >= from)!;
    band.read++;
    const expected = truth.values[key];
    if (expected === undefined) continue;
    const one = { values: { [key]: expected }, ...(truth.accept && { accept: truth.accept }) };
    if (compareFields({ [key]: field }, one).wrong.length === 0) band.right++;
  }
  return counts;
}

/** Sums the bands of several documents. */
export const sumBands = (all: readonly (readonly Band[])[]): Band[] =>
  BANDS.map((from, at) => ({
    from,
    read: all.reduce((sum, bands) => sum + bands[at]!.read, 0),
    right: all.reduce((sum, bands) => sum + bands[at]!.right, 0),
  }));

/** The bands from `limit` on as one. */
export function bandFrom(bands: readonly Band[], limit: number): Band {
  const above = bands.filter(({ from }) => from >= limit);
  const sum = (key: 'read' | 'right') => above.reduce((all, one) => all + one[key], 0);
  return { from: limit, read: sum('read'), right: sum('right') };
}
