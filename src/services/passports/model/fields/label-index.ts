import { createOnce } from '../../../../base/create-once.ts';
import { everyField } from '../../schema/keys.ts';
import type { ColumnSpec, FieldSpec, PartSpec, Schema } from '../../schema/schema.ts';
import { type LabelWord, parseLabelWord, similarity } from './label-words.ts';

export type Target =
  | { readonly kind: 'field'; readonly key: string; readonly spec: FieldSpec }
  | {
      readonly kind: 'part';
      readonly key: string;
      readonly spec: FieldSpec;
      readonly part: PartSpec;
      readonly index: number;
    }
  | { readonly kind: 'other' }
  | { readonly kind: 'heading' };

export interface Phrase<To> {
  readonly target: To;
  readonly words: readonly { readonly id: number; readonly weight: number }[];
  readonly weight: number;
}

/** A word of the page, with its similarity (0..1) to words of the index. */
export interface PageWord extends LabelWord {
  readonly similarities: ReadonlyMap<number, number>;
}

/** An index of label wordings. It caches comparisons: forms repeat their words. */
export interface LabelIndex<To> {
  readonly phrases: readonly Phrase<To>[];
  /** Undefined for numbers, dashes and brackets. */
  lookUp(text: string): PageWord | undefined;
  /** Wordings that contain a similar word. */
  phrasesContaining(word: PageWord): readonly Phrase<To>[];
}

const MAX_LETTERS = 40;
/** Words whose comparisons are cached: those of some hundred pages, in a few MB. */
const MAX_CACHED = 5000;

export function createLabelIndex<To>(
  wordings: readonly { readonly text: string; readonly target: To }[],
): LabelIndex<To> {
  const vocabulary: LabelWord[] = [];
  const ids = new Map<string, number>();
  const number = (word: LabelWord) => {
    const key = `${word.stem} ${word.ending} ${word.isAbbreviated} ${word.isGeneric}`;
    const id = ids.get(key) ?? vocabulary.push(word) - 1;
    ids.set(key, id);
    return id;
  };
  const phrases = wordings
    .map(({ text, target }): Phrase<To> => {
      const words = splitWording(text).map((word) => ({ id: number(word), weight: word.weight }));
      return { target, words, weight: words.reduce((sum, { weight }) => sum + weight, 0) };
    })
    .filter(({ words }) => words.length > 0);
  const cache = new Map<string, PageWord | undefined>();
  const containing = new WeakMap<PageWord['similarities'], readonly Phrase<To>[]>();
  return {
    phrases,
    lookUp(text) {
      if (cache.has(text)) return cache.get(text);
      const word = text.length > MAX_LETTERS ? undefined : parseLabelWord(text);
      const similarities = new Map<number, number>();
      for (const [id, other] of word ? vocabulary.entries() : []) {
        const score = similarity(word!, other);
        if (score > 0) similarities.set(id, score);
      }
      const page: PageWord | undefined = word && { ...word, similarities };
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(text, page);
      return page;
    },
    phrasesContaining(word) {
      const { similarities } = word;
      const known = containing.get(similarities);
      if (known) return known;
      const found = phrases.filter(({ words }) => words.some(({ id }) => similarities.has(id)));
      containing.set(similarities, found);
      return found;
    },
  };
}

/** Words in brackets get a lower weight. */
function splitWording(text: string): LabelWord[] {
  let depth = 0;
  const words = text.split(/\s+|(?<=\p{L}{2})\/(?=\p{L}{2})/u).flatMap((part) => {
    if (part.startsWith('(')) depth++;
    const word = parseLabelWord(part);
    const inBrackets = depth > 0;
    if (part.includes(')')) depth--;
    return word ? [{ ...word, weight: word.weight * (inBrackets ? 0.3 : 1) }] : [];
  });
  // Generic words count if the label has no specific word: Дом №.
  const hasSpecific = words.some(({ isGeneric, weight }) => !isGeneric && weight > 0.6);
  return words.map((word) => {
    if (!word.isGeneric) return word;
    return hasSpecific ? { ...word, weight: 0.15 } : { ...word, weight: 1, isGeneric: false };
  });
}

export const indexFieldLabels = createOnce((schema: Schema): LabelIndex<Target> => {
  const wordings: { text: string; target: Target }[] = [];
  for (const { key, spec } of everyField(schema)) {
    for (const text of wordingsOf(spec)) wordings.push({ text, target: { kind: 'field', key, spec } });
    for (const [index, part] of (spec.parts ?? []).entries()) {
      for (const text of part.synonyms) wordings.push({ text, target: { kind: 'part', key, spec, part, index } });
    }
  }
  for (const text of schema.others ?? []) wordings.push({ text, target: { kind: 'other' } });
  for (const text of schema.headings ?? []) wordings.push({ text, target: { kind: 'heading' } });
  return createLabelIndex(wordings);
});

export const indexColumnLabels = createOnce(
  (columns: readonly ColumnSpec[]): LabelIndex<ColumnSpec> =>
    createLabelIndex(columns.flatMap((spec) => wordingsOf(spec).map((text) => ({ text, target: spec })))),
);

function wordingsOf(spec: FieldSpec | ColumnSpec): string[] {
  const { label, synonyms = [] } = spec;
  return [...(typeof label === 'string' ? [label] : [label.en, label.ru]), ...synonyms];
}

/** Scores how well words match a wording, 0..1, in any order. */
export function scorePhrase(words: readonly PageWord[], phrase: Phrase<unknown>): number {
  if (!phrase.words.some(({ id }) => words.some(({ similarities }) => similarities.has(id)))) return 0;
  const unmatched = new Set(words);
  let matched = 0;
  for (const { id, weight } of phrase.words) {
    let best: PageWord | undefined;
    let bestScore = 0;
    for (const word of unmatched) {
      const like = word.similarities.get(id) ?? 0;
      if (like > bestScore) {
        bestScore = like;
        best = word;
      }
    }
    if (!best) continue;
    matched += weight * bestScore;
    unmatched.delete(best);
  }
  let extra = 0;
  for (const { weight } of unmatched) extra += EXTRA_WORD_PENALTY * weight;
  return matched / (phrase.weight + extra);
}

// An extra word counts less against a label than a missing one.
const EXTRA_WORD_PENALTY = 0.55;
