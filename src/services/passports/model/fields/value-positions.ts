import { createRangeIndex } from '../../../../base/range-index.ts';
import type { Block } from './blocks.ts';
import type { Occurrence } from './label-finder.ts';
import type { Area, Sheet, Token } from './page-tokens.ts';

/** Positions of a value relative to its label, with their scores. */
export const POSITION_SCORES = { colon: 1, right: 0.98, same: 0.92, below: 0.8, above: 0.9 } as const;
export type ValuePosition = keyof typeof POSITION_SCORES;

export interface Layout {
  readonly pages: ReadonlyMap<Sheet, PageBlocks>;
  readonly labels: ReadonlyMap<Block, readonly Occurrence[]>;
}

type FindBlocks = (above: number, below: number) => readonly Block[];

/** The blocks of a page whose top or bottom is between two limits. */
interface PageBlocks {
  readonly byTop: FindBlocks;
  readonly byBottom: FindBlocks;
}

export const pageBlocks = (blocks: readonly Block[]): PageBlocks => ({
  byTop: createRangeIndex(blocks, ({ y0 }) => y0),
  byBottom: createRangeIndex(blocks, ({ y1 }) => y1),
});

export interface PositionedTokens {
  readonly place: ValuePosition;
  readonly tokens: readonly Token[];
}

/** Yields the words at each position where the value may be. `long` values may span lines; `stops` labels end a value. */
export function* findValuePositions(
  label: Occurrence,
  layout: Layout,
  { long, stops }: { long: boolean; stops: (other: Occurrence) => boolean },
): Generator<PositionedTokens> {
  const within = { ...layout, stops: (other: Occurrence) => other.score >= 0.7 && stops(other) };
  const { block } = label;
  const same = restOfBlock(label, within);
  const right = same.ends ? [] : toTheRight(label, within);
  const continued = (tokens: readonly Token[]) =>
    long ? [...tokens, ...continuationLines(tokens, block, within)] : tokens;
  if (same.tokens.length > 0) {
    const isOpen = !same.ends && right.length === 0;
    yield { place: same.colon ? 'colon' : 'same', tokens: isOpen ? continued(same.tokens) : same.tokens };
  }
  if (same.ends) return;
  if (right.length > 0) {
    // A date may start in the label's block: « __ » ______ 20__.
    const lead = long || same.tokens.some(({ text }) => /\d/u.test(text)) ? [] : same.tokens;
    yield { place: 'right', tokens: [...lead, ...continued(right.flatMap(({ tokens }) => tokens))] };
  }
  const below = adjacentWords(block, within, 'below');
  if (below.length > 0 && (right.length === 0 || block.cell)) yield { place: 'below', tokens: below };
  const above = label.from === 0 && /^\(/u.test(block.tokens[0]!.text) ? adjacentWords(block, within, 'above') : [];
  if (above.length > 0) yield { place: 'above', tokens: above };
}

interface Within extends Layout {
  readonly stops: (other: Occurrence) => boolean;
}

function restOfBlock(
  { block, to }: Occurrence,
  { labels, stops }: Within,
): { tokens: readonly Token[]; colon: boolean; ends: boolean } {
  const colon = findColon(block.tokens, to);
  const from = colon ?? to;
  const next = (labels.get(block) ?? []).find((other) => other.from >= from && stops(other))?.from;
  return { tokens: block.tokens.slice(from, next), colon: colon !== undefined, ends: next !== undefined };
}

/** The index after the colon of a longer label: "Инвентаризационная стоимость на дату составления, руб.:". */
function findColon(tokens: readonly Token[], to: number): number | undefined {
  for (let i = to - 1; i < Math.min(tokens.length, to + 9); i++) {
    const { text } = tokens[i]!;
    if (/:$/u.test(text)) return i + 1;
    if (i >= to && /\d{2}|[.;]$/u.test(text) && !/^\p{L}{1,3}\.$/u.test(text)) return undefined;
  }
  return undefined;
}

/** The blocks to the right, up to one that begins with a label; in a table, the next cell. */
function toTheRight({ block }: Occurrence, { labels, stops }: Within): Block[] {
  const found: Block[] = [];
  for (const next of block.row.slice(block.row.indexOf(block) + 1)) {
    const last = found.at(-1);
    if (last && next.x0 - last.x1 > MAX_GAP * block.height) break;
    const label = (labels.get(next) ?? []).find((other) => stops(other) && other.score > (last ? 0.6 : 0.8));
    if (label && label.from <= 1) break;
    found.push(label ? { ...next, tokens: next.tokens.slice(0, label.from) } : next);
    if (label || block.cell) break;
  }
  return found;
}

/** The nearest words that overlap the label horizontally, unless they are labels. */
function adjacentWords(block: Block, { pages, labels, stops }: Within, side: 'below' | 'above'): Token[] {
  const { byTop, byBottom } = pages.get(block.sheet)!;
  const [least, most] = [-0.4 * block.height, (block.cell ? 4 : 2.2) * block.height];
  const [near] = (
    side === 'below'
      ? byTop(block.y1 + least, block.y1 + most)
      : byBottom(block.y0 - most, block.y0 - least).toSorted((a, b) => b.y1 - a.y1)
  ).filter((other) => other !== block && !other.cell === !block.cell && overlap(other, block) > 0);
  if (!near || (labels.get(near) ?? []).some((other) => stops(other) && other.from <= 1 && other.score >= 0.8))
    return [];
  if (block.cell) return [...near.tokens];
  return near.row.filter((other) => overlap(other, block) > 0).flatMap(({ tokens }) => tokens);
}

const overlap = (a: Area, b: Area): number => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);

// In letter heights.
const MAX_GAP = 5;
const MIN_LINE_PITCH = 0.5;
const MAX_LINE_PITCH = 1.75;

/** Finds left-aligned lines below, without labels in or left of them. */
function continuationLines(
  first: readonly Token[],
  { sheet, height, cell }: Block,
  { pages, labels, stops }: Within,
): Token[] {
  if (cell) return [];
  const left = Math.min(...first.map(({ x0 }) => x0));
  const { byBottom } = pages.get(sheet)!;
  const more: Token[] = [];
  let bottom = Math.max(...first.map(({ y1 }) => y1));
  const hasLabel = (block: Block) => (labels.get(block) ?? []).some((one) => stops(one));
  for (;;) {
    const [next] = byBottom(bottom + MIN_LINE_PITCH * height, bottom + MAX_LINE_PITCH * height)
      .filter(
        (other) =>
          !other.cell &&
          Math.abs(other.x0 - left) < 0.8 * height &&
          !other.row.slice(0, other.row.indexOf(other) + 1).some(hasLabel),
      )
      .sort((a, b) => a.y0 - b.y0);
    if (!next) return more;
    more.push(...next.tokens);
    bottom = next.y1;
  }
}
