import { everyField } from '../../schema/keys.ts';
import type { ColumnSpec, FieldSpec, PartSpec, Schema } from '../../schema/schema.ts';
import { type LabelWord, labelWord, similarity } from './words.ts';

/** What a label may stand for. */
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

/** One way to word a label. */
export interface Phrase<To> {
  readonly to: To;
  readonly words: readonly { readonly id: number; readonly weight: number }[];
  readonly weight: number;
}

/** A word of the page, with the words of the book that it may be. */
export interface PageWord extends LabelWord {
  /** By number: 0..1, how surely it is that word. */
  readonly like: ReadonlyMap<number, number>;
}

/** Wordings to look for, and the words of the pages as they have been compared with them so far. */
export interface LabelBook<To> {
  readonly phrases: readonly Phrase<To>[];
  /** undefined for what is no word: numbers, dashes, brackets. */
  word(text: string): PageWord | undefined;
  /** The wordings in which the word may stand. */
  phrasesWith(word: PageWord): readonly Phrase<To>[];
}

// Longer ones are scraps of noise.
const MOST_LETTERS = 40;

/** A book of these wordings. It remembers what it compared, so it is for one document. */
export function bookOf<To>(wordings: readonly { readonly text: string; readonly to: To }[]): LabelBook<To> {
  const vocabulary: LabelWord[] = [];
  const ids = new Map<string, number>();
  const number = (word: LabelWord) => {
    const key = `${word.stem} ${word.end} ${word.short} ${word.generic}`;
    const id = ids.get(key) ?? vocabulary.push(word) - 1;
    ids.set(key, id);
    return id;
  };
  const phrases = wordings
    .map(({ text, to }): Phrase<To> => {
      const words = wordsOf(text).map((word) => ({ id: number(word), weight: word.weight }));
      return { to, words, weight: words.reduce((sum, { weight }) => sum + weight, 0) };
    })
    .filter(({ words }) => words.length > 0);
  const known = new Map<string, PageWord | undefined>();
  return {
    phrases,
    word(text) {
      if (known.has(text)) return known.get(text);
      const word = text.length > MOST_LETTERS ? undefined : labelWord(text);
      const like = new Map<number, number>();
      for (const [id, other] of word ? vocabulary.entries() : []) {
        const sure = similarity(word!, other);
        if (sure > 0) like.set(id, sure);
      }
      const page = word && { ...word, like };
      known.set(text, page);
      return page;
    },
    phrasesWith: ({ like }) =>
      like.size === 0 ? [] : phrases.filter(({ words }) => words.some(({ id }) => like.has(id))),
  };
}

/** The words of a wording, each with what it says in it. */
function wordsOf(text: string): LabelWord[] {
  let bracket = 0;
  const words = text.split(/\s+|(?<=\p{L}{2})\/(?=\p{L}{2})/u).flatMap((part) => {
    if (part.startsWith('(')) bracket++;
    const word = labelWord(part);
    const aside = bracket > 0;
    if (part.includes(')')) bracket--;
    return word ? [{ ...word, weight: word.weight * (aside ? 0.3 : 1) }] : [];
  });
  // Where a label says nothing else, what is generic elsewhere is what it says: Дом №.
  const says = words.some(({ generic, weight }) => !generic && weight > 0.6);
  return words.map((word) => {
    if (!word.generic) return word;
    return says ? { ...word, weight: 0.15 } : { ...word, weight: 1, generic: false };
  });
}

/** Every wording of the schema's fields, their parts, other labels and headings. */
export function labelBook(schema: Schema): LabelBook<Target> {
  const wordings: { text: string; to: Target }[] = [];
  for (const { key, spec } of everyField(schema)) {
    for (const text of wordingsOf(spec)) wordings.push({ text, to: { kind: 'field', key, spec } });
    for (const [index, part] of (spec.parts ?? []).entries()) {
      for (const text of part.synonyms) wordings.push({ text, to: { kind: 'part', key, spec, part, index } });
    }
  }
  for (const text of schema.others ?? []) wordings.push({ text, to: { kind: 'other' } });
  for (const text of schema.headings ?? []) wordings.push({ text, to: { kind: 'heading' } });
  return bookOf(wordings);
}

/** Every wording of the columns of a table. */
export function columnBook(columns: readonly ColumnSpec[]): LabelBook<ColumnSpec> {
  return bookOf(columns.flatMap((spec) => wordingsOf(spec).map((text) => ({ text, to: spec }))));
}

function wordingsOf(spec: FieldSpec | ColumnSpec): string[] {
  const { label, synonyms = [] } = spec;
  return [...(typeof label === 'string' ? [label] : [label.en, label.ru]), ...synonyms];
}

/** 0..1: how well the words are this wording. Order does not matter; what stands beside it counts against it. */
export function likeness(words: readonly PageWord[], phrase: Phrase<unknown>): number {
  const left = new Set(words);
  let matched = 0;
  for (const { id, weight } of phrase.words) {
    let best: PageWord | undefined;
    let most = 0;
    for (const word of left) {
      const like = word.like.get(id) ?? 0;
      if (like > most) {
        most = like;
        best = word;
      }
    }
    if (!best) continue;
    matched += weight * most;
    left.delete(best);
  }
  let beside = 0;
  for (const { weight } of left) beside += BESIDE * weight;
  return matched / (phrase.weight + beside);
}

// A word too many says less against a label than one that is missing.
const BESIDE = 0.55;
