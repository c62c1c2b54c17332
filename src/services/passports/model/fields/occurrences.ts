import type { Block } from './blocks.ts';
import { type LabelBook, likeness, type PageWord, type Target } from './labels.ts';
import { type Token, textOf } from './sheet.ts';
import type { LabelWord } from './words.ts';

/** A label found on the page: the tokens `from` to `to` (behind the last) of a block. */
export interface Occurrence {
  readonly block: Block;
  readonly from: number;
  readonly to: number;
  readonly target: Target;
  /** 0..1. */
  readonly score: number;
}

const LEAST = 0.6;
const MOST_WORDS = 14;

/** Finds the labels in the blocks of a document: of those that overlap the best. */
export function findLabels(blocks: readonly Block[], book: LabelBook<Target>): Map<Block, Occurrence[]> {
  return new Map(
    blocks.map((block): [Block, Occurrence[]] => {
      const words = block.tokens.map(({ text }) => book.word(text));
      const all = spansOf(block, words, book);
      all.sort((a, b) => b.weight - a.weight);
      const chosen: Occurrence[] = [];
      for (const one of all) {
        if (one.target.kind === 'part' && one.score < 0.8) continue;
        const twin = chosen.find(({ from, to }) => one.from === from && one.to <= to);
        // One label may ask for two things, and the value tells which it answers: "Выдан".
        if (twin && one.score > twin.score - 0.03 && isAnother(one, chosen)) {
          chosen.push({ ...one, to: twin.to });
          continue;
        }
        if (chosen.some(({ from, to }) => one.from < to && from < one.to)) continue;
        // Label and all stands in brackets where it is written below its blank.
        if (bracketed(block)) return [block, [{ ...one, from: 0, to: words.length }]];
        chosen.push({ ...one, to: lengthened(one, words, chosen) });
      }
      return [block, enumerated(block, chosen).sort((a, b) => a.from - b.from)];
    }),
  );
}

/** A part asked for by several words is one label: `Улица, переулок, площадь`. */
function enumerated({ tokens }: Block, labels: readonly Occurrence[]): Occurrence[] {
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
        (other) => other !== one && other.from < one.from && (one.from < other.to || isOfIt(tokens, other, one)),
      ),
  );
}

/** A word that a preposition ties to a label says what the label is of: Перекрытия `между этажами`. */
const isOfIt = (tokens: readonly Token[], label: Occurrence, next: Occurrence): boolean =>
  label.to >= next.from - 1 &&
  next.to === next.from + 1 &&
  next.to === tokens.length &&
  /^(между|над|под)$/iu.test(tokens[next.from - 1]!.text);

const isAnother = ({ from, target }: Occurrence, chosen: readonly Occurrence[]): boolean =>
  target.kind === 'field' &&
  chosen.every((other) => other.from !== from || (other.target.kind === 'field' && other.target.key !== target.key));

const bracketed = ({ tokens }: Block): boolean => /^\(/u.test(tokens[0]!.text) && /\)$/u.test(tokens.at(-1)!.text);

/** Takes in what only fills a label up: `Год постройки` **здания**, `Общая площадь`**, кв. м**. */
function lengthened(
  { block, from, to }: Occurrence,
  words: readonly (LabelWord | undefined)[],
  others: readonly Occurrence[],
): number {
  let end = behindBracket(block, from, to);
  const capitals = !/\p{Ll}/u.test(textOf(block.tokens.slice(from, to)));
  while (end < words.length && !endsLabel(block.tokens[end - 1]!) && others.every(({ from }) => from !== end)) {
    const word = words[end];
    const { text } = block.tokens[end]!;
    if (!word || word.weight > 0.4 || /^[«"]/u.test(text) || (!capitals && /^\p{Lu}/u.test(text))) break;
    end++;
  }
  return end;
}

/** Where the brackets end that explain a label: Улица `(пер., пл.)`. */
function behindBracket({ tokens }: Block, from: number, to: number): number {
  const open = tokens.findLastIndex(({ text }, i) => i >= from && i <= to && /^\(/u.test(text));
  const close = tokens.findIndex(({ text }, i) => i >= open && /\)[,:;.]?$/u.test(text));
  const aside = tokens.slice(open, close + 1);
  const explains = open >= 0 && close >= to && aside.length < 10 && aside.every(({ text }) => !/\d/u.test(text));
  return explains ? close + 1 : to;
}

type Weighed = Occurrence & { readonly weight: number };

function spansOf(block: Block, words: readonly (PageWord | undefined)[], book: LabelBook<Target>): Weighed[] {
  const found: Weighed[] = [];
  for (let from = 0; from < words.length; from++) {
    const first = words[from];
    if (!first || first.weight < 0.05) continue;
    const begun = book.phrasesWith(first);
    if (begun.length === 0) continue;
    const span: PageWord[] = [];
    for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) {
      const word = words[to - 1];
      const aside = word && to > from + 1 && insideBrackets(block, from, to - 1);
      if (word) span.push(aside ? { ...word, weight: ASIDE * word.weight } : word);
      if (stops(block.tokens[to - 1]!, word)) break;
      if (to > from + 1 && endsLabel(block.tokens[to - 2]!)) break;
      if (!word || word.like.size === 0) continue;
      for (const phrase of begun) {
        if (word !== first && !phrase.words.some(({ id }) => word.like.has(id))) continue;
        const like = likeness(span, phrase);
        if (like < LEAST) continue;
        const score = like * standing(block, from, to, words) * asked(block, from, phrase.to);
        // Of two that fit alike the one that takes more words in is meant.
        if (score >= LEAST)
          found.push({
            block,
            from,
            to,
            target: phrase.to,
            score,
            weight: score + 0.06 * Math.min(4, phrase.weight) * like,
          });
      }
    }
  }
  return found;
}

// What stands in brackets within a label only explains it: Улица (пер., пл.).
const ASIDE = 0.3;
const insideBrackets = ({ tokens }: Block, from: number, at: number): boolean => {
  let open = 0;
  for (const { text } of tokens.slice(from, at)) {
    if (/^\(/u.test(text)) open++;
    if (/\)[,:;.]?$/u.test(text)) open--;
  }
  return open > 0 || /^\(/u.test(tokens[at]!.text);
};

const endsLabel = ({ text }: Token): boolean => /[:;]$/u.test(text);
/** A number or a sum ends a label; `1.2` in front of one is stepped over by starting behind it. */
const stops = ({ text }: Token, word: LabelWord | undefined): boolean => !word && /\d/u.test(text);

/** Behind the beginning, a mark or a value; what says little is stepped over: `кв. м, из неё` **жилая**. */
function beginsAt({ tokens }: Block, from: number, words: readonly (LabelWord | undefined)[]): boolean {
  for (let i = from - 1; i >= 0; i--) {
    if (!words[i] || /[.,:;)]$/u.test(tokens[i]!.text)) return true;
    if (words[i]!.weight > 0.4) return false;
  }
  return true;
}

/** "Износ на дату обследования" asks for no date, and is of the survey in nothing else. */
function asked({ tokens }: Block, from: number, target: Target): number {
  const isOf = from > 1 && OF.test(tokens[from - 1]!.text);
  return isOf && (target.kind === 'other' || (target.kind === 'field' && target.spec.type === 'date')) ? 0.6 : 1;
}
const OF = /^(на|по|к|ко|для|при|об?|от|с|со)$/iu;

/** How much a label stands as labels do: at the beginning of something, and at the end of it or before a value. */
function standing(block: Block, from: number, to: number, words: readonly (LabelWord | undefined)[]): number {
  const before = block.tokens[from - 1];
  const after = block.tokens[to];
  const last = block.tokens[to - 1]!;
  const begins = !before || beginsAt(block, from, words);
  const ends = !after || !words[to] || endsLabel(last) || /^[(«"]/u.test(after.text) || /[,]$/u.test(last.text);
  const few = words.slice(from, to).filter((word) => word && word.weight > 0.3).length < 2;
  return (begins ? 1 : few ? 0.72 : 0.78) * (ends ? 1 : few ? 0.88 : 0.97);
}
