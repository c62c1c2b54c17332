import type { Block } from './blocks.ts';
import type { Occurrence } from './label-finder.ts';
import type { Line, Token } from './page-tokens.ts';

/** Positions of a value relative to its label, with their scores. */
export const POSITION_SCORES = { colon: 1, right: 0.98, same: 0.92, inside: 0.9, below: 0.8, above: 0.9 } as const;
export type ValuePosition = keyof typeof POSITION_SCORES;

export interface Layout {
  readonly blocks: readonly Block[];
  readonly labels: ReadonlyMap<Block, readonly Occurrence[]>;
}

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
  const within = { ...layout, stops: (other: Occurrence) => other.score >= 0.7 && stops(other), long };
  const { block } = label;
  const same = restOfBlock(label, within);
  const right = same.ends ? [] : toTheRight(label, within);
  const rightIsFilled = !block.filled && right[0] !== undefined && right[0].filled;
  if (same.tokens.length > 0 && !rightIsFilled) {
    const stacked = block.cell ? startsBelow(label, same.tokens) : undefined;
    const more =
      long && !same.ends && right.length === 0 && !block.cell ? continuationLines(same.tokens, block, within) : [];
    if (stacked) yield { place: 'inside', tokens: same.tokens };
    else yield { place: same.colon ? 'colon' : 'same', tokens: [...same.tokens, ...more] };
  }
  if (same.ends) return;
  if (right.length > 0) {
    // A date may start in the label's block: « __ » ______ 20__.
    const lead = same.tokens.some(({ text }) => /\d/u.test(text)) ? [] : same.tokens;
    const tokens = right.flatMap(({ tokens }) => tokens);
    yield {
      place: 'right',
      tokens: long ? [...tokens, ...continuationLines(tokens, block, within)] : [...lead, ...tokens],
    };
  }
  const below = adjacentWords(block, within, 'below');
  if (below.length > 0 && (right.length === 0 || block.cell)) yield { place: 'below', tokens: below };
  const above = label.from === 0 && /^\(/u.test(block.tokens[0]!.text) ? adjacentWords(block, within, 'above') : [];
  if (above.length > 0) yield { place: 'above', tokens: above };
}

interface Within extends Layout {
  readonly long: boolean;
  readonly stops: (other: Occurrence) => boolean;
}

function restOfBlock(
  { block, to }: Occurrence,
  { labels, stops, long }: Within,
): { tokens: Token[]; colon: boolean; ends: boolean } {
  const colon = findColon(block.tokens, to);
  const from = colon ?? to;
  const next = (labels.get(block) ?? []).find((other) => other.from >= from && stops(other))?.from;
  const tokens = block.tokens.slice(from, next);
  // The number of the next item: "… бетонные 6. Кровля".
  const numbered = isItem(block) ? /^\d{1,2}(\.\d{1,2})*[.)]?$/u : ITEM;
  const last = tokens.at(-1)?.text ?? '';
  if (next !== undefined && (long ? tokens.length > 1 && numbered.test(last) : isItem(block) && ITEM.test(last)))
    tokens.pop();
  return {
    tokens: colon === undefined ? skipUnits(tokens) : tokens,
    colon: colon !== undefined,
    ends: next !== undefined,
  };
}

const ITEM = /^\d{1,2}(\.\d{1,2})*[.)]$/u;
/** Whether a block starts with an item number: `6. Кровля`. */
const isItem = ({ tokens }: Block): boolean => tokens.length > 1 && ITEM.test(tokens[0]!.text);

/** The index after the colon of a longer label: "Инвентаризационная стоимость на дату составления, руб.:". */
function findColon(tokens: readonly Token[], to: number): number | undefined {
  for (let i = to - 1; i < Math.min(tokens.length, to + 9); i++) {
    const { text } = tokens[i]!;
    if (/:$/u.test(text)) return i + 1;
    if (i >= to && /\d{2}|[.;]$/u.test(text) && !/^\p{L}{1,3}\.$/u.test(text)) return undefined;
  }
  return undefined;
}

/** Removes leading brackets and units. */
function skipUnits(tokens: readonly Token[]): Token[] {
  const all = [...tokens];
  if (all[0]?.text.startsWith('(')) {
    const end = all.findIndex(({ text }) => /\)[,:;.]?$/u.test(text));
    if (end >= 0) all.splice(0, end + 1);
  }
  while (all[0] && UNIT.test(all[0].text)) all.shift();
  return all;
}
const UNIT = /^\(?(,|кв\.?|м|м²|м2|кв\.?м\.?|m²|m2|sq\.?|m|%|руб(лей|\.)?|№)\)?[,:;.]?$/u;

function startsBelow({ block, to }: Occurrence, tokens: readonly Token[]): boolean {
  return tokens[0]!.y0 > block.tokens[to - 1]!.y1 - 2;
}

/** The blocks to the right, up to one that begins with a label; in a table, the next cell. */
function toTheRight({ block }: Occurrence, { labels, stops }: Within): Block[] {
  const at = block.row.indexOf(block);
  const found: Block[] = [];
  for (const next of block.row.slice(at + 1)) {
    const first = (labels.get(next) ?? []).find(
      (other) => stops(other) && other.score > (found.length > 0 ? 0.6 : 0.8),
    );
    // A lowercase word is a value even if it could be a label: Назначение | жилое.
    const isValue = found.length === 0 && next.tokens.length === 1 && /^\p{Ll}+$/u.test(next.tokens[0]!.text);
    if ((first && first.from <= 1 && !isValue) || (!next.filled && !next.cell && isItem(next))) break;
    const last = found.at(-1);
    if (last && next.x0 - last.x1 > (last.filled ? 12 : 5) * block.height) break;
    found.push(first && !isValue ? { ...next, tokens: next.tokens.slice(0, first.from) } : next);
    if ((first && !isValue) || block.cell) break;
  }
  return found;
}

/** The nearest words that overlap the label horizontally, unless they are labels. */
function adjacentWords(block: Block, { blocks, labels, stops }: Within, side: 'below' | 'above'): Token[] {
  const near = blocks
    .filter((other) => other.sheet === block.sheet && other !== block && !other.cell === !block.cell)
    .map((other) => ({ other, gap: side === 'below' ? other.y0 - block.y1 : block.y0 - other.y1 }))
    .filter(
      ({ other, gap }) =>
        gap > -0.4 * block.height && gap < (block.cell ? 4 : 2.2) * block.height && overlap(other, block) > 0,
    )
    .sort((a, b) => a.gap - b.gap)[0]?.other;
  if (!near || (labels.get(near) ?? []).some((other) => stops(other) && other.from <= 1 && other.score >= 0.8))
    return [];
  if (block.cell) return [...near.tokens];
  return near.row.filter((other) => overlap(other, block) > 0).flatMap(({ tokens }) => tokens);
}

const overlap = (a: Line, b: Line): number => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);

/** Maximum paragraph line pitch, in letter heights. */
export const MAX_LINE_PITCH = 1.75;

/** Finds left-aligned lines below, without labels in or left of them. */
function continuationLines(
  first: readonly Token[],
  { sheet, height, cell, x0 }: Block,
  { blocks, labels, stops }: Within,
): Token[] {
  if (cell) return [];
  const left = Math.min(...first.map(({ x0 }) => x0));
  const more: Token[] = [];
  let bottom = Math.max(...first.map(({ y1 }) => y1));
  const hasLabel = (block: Block) => (labels.get(block) ?? []).some((one) => stops(one));
  for (;;) {
    const next = blocks.find((other) => {
      const pitch = other.y1 - bottom;
      if (other.sheet !== sheet || other.cell || pitch < 0.5 * height || pitch > 2 * height) return false;
      if (Math.abs(other.x0 - left) > 0.8 * height || hasLabel(other)) return false;
      const before = other.row.slice(0, other.row.indexOf(other));
      // In wider pitch, text to the left may be a label; so may text aligned with this value's label.
      const isLabel = (one: Block) =>
        hasLabel(one) ||
        one.tokens.at(-1)!.text.endsWith(':') ||
        (one.x0 < left - 2 * height &&
          Math.abs(one.x0 - x0) < 0.8 * height &&
          /^\p{Lu}/u.test(one.tokens[0]!.text) &&
          blocks.includes(one));
      return before.length === 0 || (pitch < MAX_LINE_PITCH * height && !before.some(isLabel));
    });
    if (!next) return more;
    more.push(...next.tokens);
    bottom = next.y1;
  }
}
