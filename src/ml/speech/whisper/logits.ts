import type { Vocabulary } from './vocabulary.ts';

/** Masks tokens that are not text, and at the beginning those that no text starts with. */
export function suppressTokens(
  logits: Float32Array,
  vocabulary: Pick<Vocabulary, 'endOfText' | 'suppressed' | 'suppressedFirst'>,
  atBeginning: boolean,
): void {
  logits.fill(Number.NEGATIVE_INFINITY, vocabulary.endOfText + 1);
  for (const token of vocabulary.suppressed) logits[token] = Number.NEGATIVE_INFINITY;
  if (!atBeginning) return;
  for (const token of vocabulary.suppressedFirst) logits[token] = Number.NEGATIVE_INFINITY;
}

export function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (logits[i]! > highest) highest = logits[i]!;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i]! - highest);
  return highest + Math.log(sum);
}
