import type { FieldSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import type { Block } from './blocks.ts';
import { tidy } from './candidates.ts';
import { type Token, textOf } from './sheet.ts';

/** A value known by its looks alone, where no label stands beside it: the first block that one of the field's marks fits. */
export function marked(
  spec: FieldSpec,
  blocks: readonly Block[],
  isFree: (token: Token) => boolean,
): { value: string | number | boolean; tokens: readonly Token[]; score: number } | undefined {
  const patterns = (spec.marks ?? []).map((mark) => new RegExp(mark, 'iu'));
  if (patterns.length === 0) return undefined;
  for (const block of blocks) {
    if (!block.tokens.every(isFree)) continue;
    const tokens = [...block.tokens, ...quotedOn(block, blocks)];
    const text = textOf(tokens);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      const value = match && (spec.type === 'string' ? tidy(match[0]) : readValue(spec, match[0])?.value);
      if (value !== undefined && value !== null) return { value, tokens, score: MARKED };
    }
  }
  return undefined;
}

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
