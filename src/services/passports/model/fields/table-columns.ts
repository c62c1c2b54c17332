import type { TableSpec } from '../../schema/schema.ts';
import { median } from './blocks.ts';
import type { Header } from './headers.ts';
import { type Token, textOf } from './sheet.ts';

/** Whether the middle of the token lies in the column. */
export const inColumn = (token: Extent, { x0, x1 }: Extent): boolean => {
  const middle = (token.x0 + token.x1) / 2;
  return x0 <= middle && middle <= x1;
};

interface Extent {
  readonly x0: number;
  readonly x1: number;
}

/** A column whose head says nothing known is the one that is missing, if only one of its kind is. */
export function guessed(
  header: Header,
  rows: readonly (readonly Token[])[],
  { columns }: TableSpec,
): Header['columns'] {
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
const textsIn = (place: Extent, rows: readonly (readonly Token[])[]): string[] =>
  rows.map((row) => textOf(row.filter((token) => inColumn(token, place)))).filter((text) => /[\p{L}\d]/u.test(text));

const share = (texts: readonly string[], fits: (text: string, i: number) => boolean): number =>
  texts.length < 2 ? 0 : texts.filter(fits).length / texts.length;

/** 0..1: how much a column looks as one of its type does; whole numbers are those that count the rows. */
const FITS = {
  string: (texts: readonly string[]) => share(texts, (text) => /\p{L}{3}/u.test(text)),
  number: (texts: readonly string[]) => share(texts, (text) => /^\d+[.,]\d+$/u.test(text)),
  integer: (texts: readonly string[]) =>
    share(texts, (text, i) => /^\d{1,3}$/u.test(text) && Number(text) === (i === 0 ? 1 : Number(texts[i - 1]) + 1)),
};
/** The score of a column that is known by what stands in it, not by its head. */
export const GUESSED = 0.75;

/** Columns as wide as what stands in them: each takes the stretch of text that lies under its header. */
export function spread(rows: readonly (readonly Token[])[], header: Header): Header['columns'] {
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
