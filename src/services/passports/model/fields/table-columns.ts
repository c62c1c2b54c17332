import type { ColumnSpec, TableSpec } from '../../schema/schema.ts';
import { isNumbering } from '../../schema/values.ts';
import { joinText, type Token } from './page-tokens.ts';
import type { Extent, Header } from './table-headers.ts';

export const isInColumn = (token: Extent, { x0, x1 }: Extent): boolean => {
  const middle = (token.x0 + token.x1) / 2;
  return x0 <= middle && middle <= x1;
};

/** Assigns a column with an unknown header to the only missing column of its type. */
export function inferColumns(
  header: Header,
  rows: readonly (readonly Token[])[],
  { columns }: TableSpec,
): Header['columns'] {
  const found = [...header.columns];
  let spare = [...header.unknownColumns];
  for (const type of ['string', 'number', 'numbering'] as const) {
    const missing = columns.filter((one) => contentOf(one) === type && !found.some(({ spec }) => spec.key === one.key));
    const [best] = spare
      .map((place) => ({ place, fit: FIT[type](textsIn(place, rows)) }))
      .sort((a, b) => b.fit - a.fit);
    if (missing.length !== 1 || !best || best.fit < 0.6) continue;
    found.push({ spec: missing[0]!, x0: best.place.x0, x1: best.place.x1, score: INFERRED_SCORE });
    spare = spare.filter((place) => place !== best.place);
  }
  return found;
}

const textsIn = (place: Extent, rows: readonly (readonly Token[])[]): string[] =>
  rows
    .map((row) => joinText(row.filter((token) => isInColumn(token, place))))
    .filter((text) => /[\p{L}\d]/u.test(text));

const share = (texts: readonly string[], fits: (text: string, i: number) => boolean): number =>
  texts.length < 2 ? 0 : texts.filter(fits).length / texts.length;

const contentOf = (spec: ColumnSpec) => (isNumbering(spec) ? 'numbering' : spec.type);

/** How well texts fit a column type, 0..1; row numbers must be consecutive. */
const FIT = {
  string: (texts: readonly string[]) => share(texts, (text) => /\p{L}{3}/u.test(text)),
  number: (texts: readonly string[]) => share(texts, (text) => /^\d+[.,]\d+$/u.test(text)),
  numbering: (texts: readonly string[]) =>
    share(texts, (text, i) => /^\d{1,3}$/u.test(text) && Number(text) === (i === 0 ? 1 : Number(texts[i - 1]) + 1)),
};
/** The score of a column recognized by its content. */
const INFERRED_SCORE = 0.75;

/** Widens the columns to the middle between their headers. */
export function widenColumns(header: Header): Header {
  const places = [...header.columns, ...header.unknownColumns];
  const widen = <Column extends Extent>(column: Column): Column => {
    const before = places.map(({ x1 }) => x1).filter((x) => x < column.x0);
    const after = places.map(({ x0 }) => x0).filter((x) => x > column.x1);
    return { ...column, x0: (Math.max(...before) + column.x0) / 2, x1: (Math.min(...after) + column.x1) / 2 };
  };
  return { ...header, columns: header.columns.map(widen), unknownColumns: header.unknownColumns.map(widen) };
}
