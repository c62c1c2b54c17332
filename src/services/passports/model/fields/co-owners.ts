import { findCell } from './blocks.ts';
import { type Area, middleX, middleY, type Sheet } from './page-tokens.ts';

/** A share of less than the whole, alone in its cell. */
const SHARE = /^(\d{1,4})\s?\/\s?(\d{1,4})$/u;
const MAX_OWNERS = 30;

/**
 * The owners in the column of a table of rights that `name` is in, top to bottom: those in adjacent rows that also have a share, such
 * as `1/2`, in a cell of its own. Owners in rows without one followed each other. Undefined if there is only one.
 */
export function coOwners<T extends Area & { readonly text: string }>(
  name: readonly T[],
  { tokens, ...rules }: { readonly tokens: readonly T[] } & Pick<Sheet, 'horizontal' | 'vertical'>,
): readonly (readonly T[])[] | undefined {
  const cell = name[0] && findCell(name[0], rules);
  if (!cell || !hasShare(cell, tokens, rules)) return undefined;
  const found = [name];
  for (const side of ['above', 'below'] as const) {
    for (
      let next = adjacent(cell, side, rules);
      next && found.length < MAX_OWNERS;
      next = adjacent(next, side, rules)
    ) {
      const text = tokens.filter((token) => isInside(next!, token));
      if (!/^\p{Lu}/u.test(text[0]?.text ?? '') || !hasShare(next, tokens, rules)) break;
      if (side === 'above') found.unshift(text);
      else found.push(text);
    }
  }
  return found.length > 1 ? found : undefined;
}

/** The cell of the same column above or below. */
function adjacent(cell: Area, side: 'above' | 'below', rules: Pick<Sheet, 'horizontal' | 'vertical'>) {
  const x = middleX(cell);
  const y = side === 'above' ? cell.y0 - STEP : cell.y1 + STEP;
  const next = findCell({ x0: x, x1: x, y0: y, y1: y }, rules);
  const isColumn = next && Math.abs(next.x0 - cell.x0) < NEAR && Math.abs(next.x1 - cell.x1) < NEAR;
  return isColumn ? next : undefined;
}

// In points; the pieces of a scanned line differ a little.
const NEAR = 3;
const STEP = 4;

function hasShare<T extends Area & { readonly text: string }>(
  row: Area,
  tokens: readonly T[],
  rules: Pick<Sheet, 'horizontal' | 'vertical'>,
): boolean {
  const beside = tokens.filter(
    (token) => middleY(token) > row.y0 && middleY(token) < row.y1 && !isInside(row, token) && /[\d/]/u.test(token.text),
  );
  return beside.some((first) => {
    const cell = /^\d{1,4}/u.test(first.text) ? findCell(first, rules) : undefined;
    const text = cell && tokens.filter((token) => isInside(cell, token)).map((token) => token.text);
    const [, part, whole] = SHARE.exec(text?.join('') ?? '') ?? [];
    return Number(part) < Number(whole);
  });
}

const isInside = (area: Area, place: Area): boolean =>
  middleX(place) > area.x0 && middleX(place) < area.x1 && middleY(place) > area.y0 && middleY(place) < area.y1;
