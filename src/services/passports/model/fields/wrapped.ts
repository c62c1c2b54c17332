import type { Block } from './blocks.ts';
import type { LabelBook, Target } from './labels.ts';
import { findLabels } from './occurrences.ts';
import { type Layout, TIGHT } from './places.ts';
import { placeOf } from './sheet.ts';

/**
 * The blocks with labels that run over two or three lines put together: where a line below, close and beginning at the
 * same place, makes a clear label of what is none, or only half of one.
 */
export function wrapped(layout: Layout, book: LabelBook<Target>): Block[] {
  const gone = new Set<Block>();
  const blocks = layout.blocks.map((block) => {
    if (gone.has(block) || block.cell || (block.filled && block.row[0] === block && block.row.length === 1))
      return block;
    let whole = block;
    for (const next of linesBelow(block, layout)) {
      if (gone.has(next)) break;
      const longer = joint(whole, next);
      if (
        clearness(longer, book, whole.tokens.length) < clearness(whole, book) + 0.03 ||
        (startsOwn(next, layout) && next.row.at(-1) !== next)
      )
        continue;
      whole = longer;
      gone.add(next);
    }
    return whole;
  });
  return blocks.filter((block) => !gone.has(block));
}

function linesBelow(block: Block, { blocks }: Layout): Block[] {
  const found: Block[] = [];
  let last = block;
  for (let i = 0; i < 3; i++) {
    const from: Block = last;
    const next = blocks.find(
      (other) =>
        other.sheet === block.sheet &&
        !other.cell &&
        !/^\(/u.test(other.tokens[0]!.text) &&
        Math.abs(other.x0 - block.x0) < 0.6 * block.height &&
        other.y1 - from.y1 > 0.5 * block.height &&
        other.y1 - from.y1 < TIGHT * block.height,
    );
    if (!next) break;
    found.push(next);
    last = next;
  }
  return found;
}

/** Put in place of the first of them, in its row. */
function joint(block: Block, next: Block): Block {
  const tokens = [...block.tokens, ...next.tokens];
  const row = [...block.row];
  const whole: Block = { ...block, ...placeOf(tokens), tokens, row };
  row[row.findIndex((one) => one.tokens[0] === block.tokens[0])] = whole;
  return whole;
}

/** How well the block as a whole is a label that begins before `end`: the best one, and how much of the block it takes. */
function clearness(block: Block, book: LabelBook<Target>, end = block.tokens.length): number {
  const found = findLabels([block], book).get(block) ?? [];
  return Math.max(
    0,
    ...found
      .filter(({ target, from }) => target.kind === 'field' && from < end)
      .map(({ score, from, to }) => score * ((to - from) / block.tokens.length) ** 0.3),
  );
}

const startsOwn = (block: Block, { labels }: Layout): boolean =>
  (labels.get(block) ?? []).some(({ from, score, target }) => from === 0 && score > 0.85 && target.kind !== 'part');
