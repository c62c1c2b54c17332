import type { Block } from './blocks.ts';
import { type LabelIndex, type PageWord, scorePhrase, type Target } from './label-index.ts';
import type { LabelWord } from './label-words.ts';
import type { Token } from './page-tokens.ts';

/** A label in the tokens `from` (inclusive) to `to` (exclusive) of a block. */
export interface Occurrence {
  readonly block: Block;
  readonly from: number;
  readonly to: number;
  readonly target: Target;
  readonly score: number;
}

const MIN_SCORE = 0.6;
const MAX_WORDS = 14;

/** Finds the best labels that do not overlap. */
export function findLabels(blocks: readonly Block[], labelIndex: LabelIndex<Target>): Map<Block, Occurrence[]> {
  return new Map(
    blocks.map((block): [Block, Occurrence[]] => {
      if (isValue(block)) return [block, []];
      const words = block.tokens.map(({ text }) => labelIndex.lookUp(text));
      const all = spansOf(block, words, labelIndex);
      all.sort((a, b) => b.weight - a.weight);
      const chosen: Occurrence[] = [];
      for (const one of all) {
        if (chosen.some(({ from, to }) => one.from < to && from < one.to)) continue;
        chosen.push(one);
      }
      return [block, chosen.sort((a, b) => a.from - b.from)];
    }),
  );
}

/** A single lowercase word after other text is a value even if it could be a label: Назначение | жилое. */
const isValue = (block: Block): boolean =>
  block.row[0] !== block && block.tokens.length === 1 && /^\p{Ll}+$/u.test(block.tokens[0]!.text);

type WeightedOccurrence = Occurrence & { readonly weight: number };

function spansOf(
  block: Block,
  words: readonly (PageWord | undefined)[],
  labelIndex: LabelIndex<Target>,
): WeightedOccurrence[] {
  const found: WeightedOccurrence[] = [];
  for (let from = 0; from < words.length; from++) {
    const first = words[from];
    if (!first || first.weight < 0.05) continue;
    const phrases = labelIndex.phrasesContaining(first);
    if (phrases.length === 0) continue;
    const span: PageWord[] = [];
    for (let to = from + 1; to <= Math.min(words.length, from + MAX_WORDS); to++) {
      const word = words[to - 1];
      if (word) span.push(word);
      if (isNumber(block.tokens[to - 1]!, word)) break;
      if (to > from + 1 && endsLabel(block.tokens[to - 2]!)) break;
      if (!word || word.similarities.size === 0) continue;
      for (const phrase of phrases) {
        if (word !== first && !phrase.words.some(({ id }) => word.similarities.has(id))) continue;
        const phraseScore = scorePhrase(span, phrase);
        if (phraseScore < MIN_SCORE) continue;
        const score = phraseScore * positionScore(block, from, to, words);
        if (score >= MIN_SCORE)
          found.push({
            block,
            from,
            to,
            target: phrase.target,
            score,
            weight: score + 0.06 * Math.min(4, phrase.weight) * phraseScore,
          });
      }
    }
  }
  return found;
}

const endsLabel = ({ text }: Token): boolean => /[:;]$/u.test(text);
const isNumber = ({ text }: Token, word: LabelWord | undefined): boolean => !word && /\d/u.test(text);

/** Whether only unspecific words precede since the last punctuation: `кв. м, из неё` **жилая**. */
function isLabelStart({ tokens }: Block, from: number, words: readonly (LabelWord | undefined)[]): boolean {
  for (let i = from - 1; i >= 0; i--) {
    if (!words[i] || /[.,:;)]$/u.test(tokens[i]!.text)) return true;
    if (words[i]!.weight > 0.4) return false;
  }
  return true;
}

/** Labels stand at the start of a block, and at its end or before a value. */
function positionScore(block: Block, from: number, to: number, words: readonly (LabelWord | undefined)[]): number {
  const before = block.tokens[from - 1];
  const after = block.tokens[to];
  const last = block.tokens[to - 1]!;
  const begins = !before || isLabelStart(block, from, words);
  const ends = !after || !words[to] || endsLabel(last) || /^[(«"]/u.test(after.text) || /[,]$/u.test(last.text);
  const few = words.slice(from, to).filter((word) => word && word.weight > 0.3).length < 2;
  return (begins ? 1 : few ? 0.72 : 0.78) * (ends ? 1 : few ? 0.88 : 0.97);
}
