import { adjacentCell, findCell, groupLines } from './blocks.ts';
import { type Area, isInside, middleY, type Sheet } from './page-tokens.ts';

type TextArea = Area & { readonly text: string };
type Page<T> = { readonly tokens: readonly T[] } & Pick<Sheet, 'horizontal' | 'vertical'>;

/** The field of the owners. */
export const OWNER = 'general:owner';

/** A share of less than the whole, alone in its cell. */
const SHARE = /^(\d{1,4})\s?\/\s?(\d{1,4})$/u;
const MAX_OWNERS = 30;
/** Cells of a row that are searched for a share. */
const MAX_CELLS = 20;
const TOTAL = /^(?:Итого|Всего|Total)/u;

/**
 * The value of all owners in the column of a table of rights, from top to bottom: those in adjacent rows that have a share such as
 * `1/2` in a cell of its own. Undefined for one owner, and if the shares add up to more than the whole: then owners followed each
 * other. `read` reads the words of one owner.
 */
export function readCoOwners<T extends TextArea>(
  owner: readonly T[],
  page: Page<T>,
  read: (tokens: readonly T[]) => { readonly value: unknown; readonly tokens: readonly T[] } | undefined,
): { readonly value: string; readonly tokens: readonly T[] } | undefined {
  const owners = coOwners(owner, page).map(read);
  const known = owners.filter((one) => one !== undefined);
  return known.length > 1 && known.length === owners.length
    ? { value: known.map(({ value }) => value).join(', '), tokens: known.flatMap(({ tokens }) => tokens) }
    : undefined;
}

/** The words of each owner; empty if they are not co-owners. */
export function coOwners<T extends TextArea>(owner: readonly T[], page: Page<T>): (readonly T[])[] {
  const cell = owner[0] && findCell(owner[0], page);
  let sum = cell ? shareBeside(cell, page) : 0;
  if (!cell || sum === 0) return [];
  const found = [owner];
  for (const side of ['above', 'below'] as const) {
    for (
      let next = adjacentCell(cell, side, page);
      next && found.length < MAX_OWNERS;
      next = adjacentCell(next, side, page)
    ) {
      const row = next;
      const words = groupLines(page.tokens.filter((token) => isInside(row, token))).flat();
      const share = shareBeside(row, page);
      if (!words[0] || !/^\p{Lu}/u.test(words[0].text) || TOTAL.test(words[0].text) || share === 0) break;
      sum += share;
      if (side === 'above') found.unshift(words);
      else found.push(words);
    }
  }
  return found.length > 1 && sum < 1 + 1e-6 ? found : [];
}

/** The share in the row of a cell; 0 without one, and for the whole. */
function shareBeside<T extends TextArea>(owner: Area, { tokens, horizontal, vertical }: Page<T>): number {
  const row = tokens.filter(
    (token) => middleY(token) > owner.y0 && middleY(token) < owner.y1 && !isInside(owner, token),
  );
  const cells: Area[] = [];
  for (const first of row) {
    if (!/^\d{1,4}(?:\/|$)/u.test(first.text) || cells.some((cell) => isInside(cell, first))) continue;
    const cell = findCell(first, { horizontal, vertical });
    if (!cell) continue;
    const words = groupLines(row.filter((token) => isInside(cell, token))).flat();
    const [, part, whole] = SHARE.exec(words.map(({ text }) => text).join('')) ?? [];
    if (Number(part) < Number(whole)) return Number(part) / Number(whole);
    if (cells.push(cell) === MAX_CELLS) break;
  }
  return 0;
}
