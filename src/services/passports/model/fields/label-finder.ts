import type { Block } from './blocks.ts';
import { type LabelIndex, type PageWord, scorePhrase, type Target } from './label-index.ts';
import type { LabelWord } from './label-words.ts';
import { joinText, type Token } from './page-tokens.ts';

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
      const words = block.tokens.map(({ text }) => labelIndex.lookUp(text));
      const all = spansOf(block, words, labelIndex);
      all.sort((a, b) => b.weight - a.weight);
      const chosen: Occurrence[] = [];
      for (const one of all) {
        if (one.target.kind === 'part' && one.score < 0.8) continue;
        const twin = chosen.find(({ from, to }) => one.from === from && one.to <= to);
        // An ambiguous label ("Выдан") may belong to two fields; the value decides.
        if (twin && one.score > twin.score - 0.03 && isOtherField(one, chosen)) {
          chosen.push({ ...one, to: twin.to });
          continue;
        }
        if (chosen.some(({ from, to }) => one.from < to && from < one.to)) continue;
        // A label below its blank.
        if (isBracketed(block)) return [block, [{ ...one, from: 0, to: words.length }]];
        chosen.push({ ...one, to: extendLabel(one, words, chosen) });
      }
      return [block, joinEnumerations(block, chosen).sort((a, b) => a.from - b.from)];
    }),
  );
}

/** Extends part labels over enumerations: `Улица, переулок, площадь`. */
function joinEnumerations({ tokens }: Block, labels: readonly Occurrence[]): Occurrence[] {
  const longer = labels.map((label) => {
    if (label.target.kind !== 'part') return label;
    let { to } = label;
    while (/\p{L}{2},$/u.test(tokens[to - 1]!.text) && /^\p{Ll}[\p{Ll}-]{2,}\.?[,:]?$/u.test(tokens[to]?.text ?? ''))
      to++;
    return to > label.to ? { ...label, to } : label;
  });
  return longer.filter(
    (one) =>
      !longer.some(
        (other) => other !== one && other.from < one.from && (one.from < other.to || qualifies(tokens, other, one)),
      ),
  );
}

/** Whether a preposition ties `next` to the label: Перекрытия `между этажами`. */
const qualifies = (tokens: readonly Token[], label: Occurrence, next: Occurrence): boolean =>
  label.to >= next.from - 1 &&
  next.to === next.from + 1 &&
  next.to === tokens.length &&
  /^(между|над|под)$/iu.test(tokens[next.from - 1]!.text);

const isOtherField = ({ from, target }: Occurrence, chosen: readonly Occurrence[]): boolean =>
  target.kind === 'field' &&
  chosen.every((other) => other.from !== from || (other.target.kind === 'field' && other.target.key !== target.key));

const isBracketed = ({ tokens }: Block): boolean => /^\(/u.test(tokens[0]!.text) && /\)$/u.test(tokens.at(-1)!.text);

/** Extends a label over unspecific words: `Год постройки` **здания**, `Общая площадь`**, кв. м**. */
function extendLabel(
  { block, from, to }: Occurrence,
  words: readonly (LabelWord | undefined)[],
  others: readonly Occurrence[],
): number {
  let end = endOfBrackets(block, from, to);
  const capitals = !/\p{Ll}/u.test(joinText(block.tokens.slice(from, to)));
  while (end < words.length && !endsLabel(block.tokens[end - 1]!) && others.every(({ from }) => from !== end)) {
    const word = words[end];
    const { text } = block.tokens[end]!;
    if (!word || word.weight > 0.4 || /^[«"]/u.test(text) || (!capitals && /^\p{Lu}/u.test(text))) break;
    end++;
  }
  return end;
}

/** The end of an explanation in brackets: Улица `(пер., пл.)`. */
function endOfBrackets({ tokens }: Block, from: number, to: number): number {
  const open = tokens.findLastIndex(({ text }, i) => i >= from && i <= to && /^\(/u.test(text));
  const close = tokens.findIndex(({ text }, i) => i >= open && /\)[,:;.]?$/u.test(text));
  const aside = tokens.slice(open, close + 1);
  const explains = open >= 0 && close >= to && aside.length < 10 && aside.every(({ text }) => !/\d/u.test(text));
  return explains ? close + 1 : to;
}

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
      const aside = word && to > from + 1 && insideBrackets(block, from, to - 1);
      if (word) span.push(aside ? { ...word, weight: BRACKETS_WEIGHT * word.weight } : word);
      if (isNumber(block.tokens[to - 1]!, word)) break;
      if (to > from + 1 && endsLabel(block.tokens[to - 2]!)) break;
      if (!word || word.similarities.size === 0) continue;
      for (const phrase of phrases) {
        if (word !== first && !phrase.words.some(({ id }) => word.similarities.has(id))) continue;
        const phraseScore = scorePhrase(span, phrase);
        if (phraseScore < MIN_SCORE) continue;
        const score = phraseScore * positionScore(block, from, to, words) * complementScore(block, from, phrase.target);
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

// Weight of bracketed words in a label: Улица (пер., пл.).
const BRACKETS_WEIGHT = 0.3;
const insideBrackets = ({ tokens }: Block, from: number, at: number): boolean => {
  let open = 0;
  for (const { text } of tokens.slice(from, at)) {
    if (/^\(/u.test(text)) open++;
    if (/\)[,:;.]?$/u.test(text)) open--;
  }
  return open > 0 || /^\(/u.test(tokens[at]!.text);
};

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

/** Lowers the score after a preposition: "Износ на дату обследования" does not ask for a date. */
function complementScore({ tokens }: Block, from: number, target: Target): number {
  const isComplement = from > 1 && PREPOSITION.test(tokens[from - 1]!.text);
  return isComplement && (target.kind === 'other' || (target.kind === 'field' && target.spec.type === 'date'))
    ? 0.6
    : 1;
}
const PREPOSITION = /^(на|по|к|ко|для|при|об?|от|с|со)$/iu;

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
