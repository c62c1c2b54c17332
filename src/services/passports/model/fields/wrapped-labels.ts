import type { Block } from './blocks.ts';
import { findLabels } from './label-finder.ts';
import type { LabelIndex, Target } from './label-index.ts';
import { boundingBox } from './page-tokens.ts';
import { type Layout, MAX_LINE_PITCH } from './value-positions.ts';

/** Joins left-aligned lines if the result matches a label better than the first line alone. */
export function joinWrappedLabels(layout: Layout, labelIndex: LabelIndex<Target>): Block[] {
  const absorbed = new Set<Block>();
  const blocks = layout.blocks.map((block) => {
    if (absorbed.has(block) || block.cell || (block.filled && block.row[0] === block && block.row.length === 1))
      return block;
    let whole = block;
    for (const next of linesBelow(block, layout)) {
      if (absorbed.has(next)) break;
      const longer = joinBlocks(whole, next);
      if (
        labelScore(longer, labelIndex, whole.tokens.length) < labelScore(whole, labelIndex) + 0.03 ||
        (startsNewLabel(next, layout) && next.row.at(-1) !== next)
      )
        continue;
      whole = longer;
      absorbed.add(next);
    }
    return whole;
  });
  return blocks.filter((block) => !absorbed.has(block));
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
        other.y1 - from.y1 < MAX_LINE_PITCH * block.height,
    );
    if (!next) break;
    found.push(next);
    last = next;
  }
  return found;
}

function joinBlocks(block: Block, next: Block): Block {
  const tokens = [...block.tokens, ...next.tokens];
  const row = [...block.row];
  const whole: Block = { ...block, ...boundingBox(tokens), tokens, row };
  row[row.findIndex((one) => one.tokens[0] === block.tokens[0])] = whole;
  return whole;
}

/** The score of the best label that begins before `end`, lowered by the share of the block it does not cover. */
function labelScore(block: Block, labelIndex: LabelIndex<Target>, end = block.tokens.length): number {
  const found = findLabels([block], labelIndex).get(block) ?? [];
  return Math.max(
    0,
    ...found
      .filter(({ target, from }) => target.kind === 'field' && from < end)
      .map(({ score, from, to }) => score * ((to - from) / block.tokens.length) ** 0.3),
  );
}

const startsNewLabel = (block: Block, { labels }: Layout): boolean =>
  (labels.get(block) ?? []).some(({ from, score, target }) => from === 0 && score > 0.85 && target.kind !== 'part');
