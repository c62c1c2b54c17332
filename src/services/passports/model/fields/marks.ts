import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import type { Block } from './blocks.ts';
import { tidy, within } from './candidates.ts';
import { type Token, textOf } from './sheet.ts';

/** A value known by its looks alone, where no label stands beside it: the first block that one of the field's marks fits. */
export function marked(
  spec: FieldSpec,
  blocks: readonly Block[],
  isFree: (token: Token) => boolean,
): { value: string | number | boolean; tokens: readonly Token[]; score: number } | undefined {
  const patterns = (spec.marks ?? []).map((mark) => schemaPattern(mark, 'iu'));
  if (patterns.length === 0) return undefined;
  for (const block of blocks) {
    const tokens = spec.type === 'string' ? [...block.tokens, ...quotedOn(block, blocks)] : lineFrom(block);
    if (!tokens.every(isFree)) continue;
    const text = textOf(tokens);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (!match) continue;
      if (spec.type === 'string') return { value: tidy(match[0]), tokens, score: MARKED };
      const found = readValue(spec, match[0]);
      if (!found) continue;
      const place = { start: match.index + found.start, end: match.index + found.end };
      return { value: found.value, tokens: within(tokens, place), score: MARKED };
    }
  }
  return undefined;
}

/** A date is parted by the blanks of its day, month and year: the line from this block on. */
const lineFrom = (block: Block): readonly Token[] =>
  block.cell ? block.tokens : block.row.slice(Math.max(0, block.row.indexOf(block))).flatMap(({ tokens }) => tokens);

/** The next line, where a quotation goes on over it. */
function quotedOn(block: Block, blocks: readonly Block[]): readonly Token[] {
  const text = textOf(block.tokens);
  if (!text.includes('«') || text.includes('»')) return [];
  const next = blocks.find(
    (other) =>
      other.sheet === block.sheet &&
      other.y0 > block.y0 + 0.5 * block.height &&
      other.y0 < block.y1 + block.height &&
      Math.min(other.x1, block.x1) > Math.max(other.x0, block.x0),
  );
  return next?.tokens ?? [];
}

// Nothing says that it is this field but its looks.
const MARKED = 0.7;
