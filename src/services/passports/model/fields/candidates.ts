import type { ValueSpec } from '../../schema/schema.ts';
import { type FoundValue, readValue } from '../../schema/values.ts';
import { correctInitials, normalizeText, shapeFactor } from './correct-text.ts';
import type { Occurrence } from './label-finder.ts';
import { joinText, type Token, tokensInRange } from './page-tokens.ts';
import { POSITION_SCORES, type ValuePosition } from './value-positions.ts';

export interface Candidate {
  readonly key: string;
  readonly label: Occurrence;
  readonly tokens: readonly Token[];
  readonly value: FoundValue['value'];
  /** 0..1, from label, position and shape. */
  readonly score: number;
}

/** Parses tokens at `place` relative to the label as a value; returns undefined for other text. */
export function createCandidate(
  key: string,
  spec: ValueSpec & { readonly shapes?: readonly string[] },
  label: Occurrence,
  place: ValuePosition,
  tokens: readonly Token[],
): Candidate | undefined {
  const cleaned = trimPunctuation(tokens);
  const text = joinText(cleaned);
  if (text === '' || /^[-—–_.\s]*$/u.test(text)) return undefined;
  if (spec.type === 'string') {
    const value = correctInitials(spec.shapes, normalizeText(text));
    if (!/[\p{L}\d]/u.test(value)) return undefined;
    const score = label.score * POSITION_SCORES[place] * shapeFactor(spec.shapes, value);
    return { key, label, tokens: cleaned, value, score };
  }
  const found = readValue(spec, text, joinText(label.block.tokens.slice(label.from, label.to + 3)));
  if (!found) return undefined;
  // A number after many words seldom belongs to the label.
  const distanceFactor = 0.9 ** Math.max(0, (text.slice(0, found.start).match(/\p{L}{2,}/gu)?.length ?? 0) - 2);
  return {
    key,
    label,
    tokens: tokensInRange(cleaned, found),
    value: found.value,
    score: label.score * POSITION_SCORES[place] * distanceFactor,
  };
}

function trimPunctuation(tokens: readonly Token[]): Token[] {
  const all = [...tokens];
  while (all[0] && /^[:;,.\-—–/|_=]+$/u.test(all[0].text)) all.shift();
  if (all.length > 1 && /^(№|N[oо°º]?\.?|No\.)$/u.test(all[0]!.text) && /^\d/u.test(all[1]!.text)) all.shift();
  while (all.length > 0 && /^[:;,|_/.]+$/u.test(all.at(-1)!.text)) all.pop();
  return all;
}
