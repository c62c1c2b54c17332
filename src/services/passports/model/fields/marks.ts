import type { FieldSpec } from '../../schema/schema.ts';
import type { Block } from './blocks.ts';
import { tidy } from './candidates.ts';
import { type Token, textOf } from './sheet.ts';

/** A value known by its looks alone, where no label stands beside it: the first block that one of the field's marks fits. */
export function marked(
  spec: FieldSpec,
  blocks: readonly Block[],
  isFree: (token: Token) => boolean,
): { value: string; tokens: readonly Token[]; score: number } | undefined {
  const patterns = (spec.marks ?? []).map((mark) => new RegExp(mark, 'iu'));
  if (patterns.length === 0 || spec.type !== 'string') return undefined;
  for (const block of blocks) {
    if (!block.tokens.every(isFree)) continue;
    const text = textOf(block.tokens);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (match) return { value: tidy(match[0]), tokens: block.tokens, score: MARKED };
    }
  }
  return undefined;
}

// Nothing says that it is this field but its looks.
const MARKED = 0.7;
