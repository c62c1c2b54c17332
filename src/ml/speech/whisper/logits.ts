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

/** The logarithm of the sum of exp(logit). Its rounding is below that of 32-bit logits. */
export function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (logits[i]! > highest) highest = logits[i]!;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) {
    const below = highest - logits[i]!;
    if (below < MAX_BELOW) sum += exponential(below);
  }
  return highest + Math.log(sum);
}

/** exp(-x) for x below MAX_BELOW, four times as fast as `Math.exp`: from a table, and a cubic polynomial for the rest. */
function exponential(x: number): number {
  const step = (x * STEPS + 0.5) | 0;
  const rest = step / STEPS - x;
  return EXPONENTIALS[step]! * (1 + rest * (1 + rest * (0.5 + rest / 6)));
}

// Less adds nothing to the sum of 50 000 logits.
const MAX_BELOW = 28;
const STEPS = 32;
const EXPONENTIALS = Float64Array.from({ length: MAX_BELOW * STEPS + 1 }, (_, step) => Math.exp(-step / STEPS));
