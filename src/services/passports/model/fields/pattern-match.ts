import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import type { Block } from './blocks.ts';
import { tokensInRange } from './candidates.ts';
import { normalizeText } from './correct-text.ts';
import { joinText, type Token } from './page-tokens.ts';

/** Finds a value without a label, by the field's `marks` patterns. */
export function matchPatterns(
  spec: FieldSpec,
  blocks: readonly Block[],
  isFree: (token: Token) => boolean,
): { value: string | number | boolean; tokens: readonly Token[]; score: number } | undefined {
  const patterns = (spec.marks ?? []).map((mark) => schemaPattern(mark, 'iu'));
  if (patterns.length === 0) return undefined;
  for (const block of blocks) {
    const tokens = spec.type === 'string' ? block.tokens : restOfLine(block);
    const text = joinText(tokens);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (!match) continue;
      const found = readValue(spec, match[0]);
      if (!found) continue;
      const chosen = tokensInRange(tokens, { start: match.index + found.start, end: match.index + found.end });
      if (!chosen.every(isFree)) continue;
      const value = typeof found.value === 'string' ? normalizeText(found.value) : found.value;
      return { value, tokens: chosen, score: PATTERN_SCORE };
    }
  }
  return undefined;
}

/** Form blanks split a date into several blocks. */
const restOfLine = (block: Block): readonly Token[] =>
  block.cell ? block.tokens : block.row.slice(Math.max(0, block.row.indexOf(block))).flatMap(({ tokens }) => tokens);

const PATTERN_SCORE = 0.7;
