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
  readonly words: readonly LabelWord[];
  readonly weight: number;
}

export function phraseOf<To>(text: string, to: To): Phrase<To> {
  let bracket = 0;
  const words = text.split(/\s+|(?<=\p{L}{2})\/(?=\p{L}{2})/u).flatMap((part) => {
    if (part.startsWith('(')) bracket++;
    const word = labelWord(part);
    const aside = bracket > 0;
    if (part.includes(')')) bracket--;
    return word ? [{ ...word, weight: word.weight * (aside ? 0.3 : 1) }] : [];
  });
  // Where a label says nothing else, what is generic elsewhere is what it says: Дом №.
  if (!words.some(({ generic, weight }) => !generic && weight > 0.6)) {
    for (const [i, word] of words.entries()) if (word.generic) words[i] = { ...word, weight: 1, generic: false };
  } else {
    for (const [i, word] of words.entries()) if (word.generic) words[i] = { ...word, weight: 0.15 };
  }
  return { to, words, weight: words.reduce((sum, { weight }) => sum + weight, 0) };
}

/** Every wording of the schema's fields, their parts, other labels and headings. */
export function labelBook(schema: Schema): Phrase<Target>[] {
  const phrases: Phrase<Target>[] = [];
  for (const { key, spec } of everyField(schema)) {
    for (const text of wordings(spec)) phrases.push(phraseOf(text, { kind: 'field', key, spec }));
    for (const [index, part] of (spec.parts ?? []).entries()) {
      for (const text of part.synonyms) phrases.push(phraseOf(text, { kind: 'part', key, spec, part, index }));
    }
  }
  for (const text of schema.others ?? []) phrases.push(phraseOf(text, { kind: 'other' }));
  for (const text of schema.headings ?? []) phrases.push(phraseOf(text, { kind: 'heading' }));
  return phrases.filter(({ words }) => words.length > 0);
}

/** Every wording of the columns of a table. */
export function columnBook(columns: readonly ColumnSpec[]): Phrase<ColumnSpec>[] {
  return columns.flatMap((spec) => wordings(spec).map((text) => phraseOf(text, spec)));
}

function wordings(spec: FieldSpec | ColumnSpec): string[] {
  const { label, synonyms = [] } = spec;
  return [...(typeof label === 'string' ? [label] : [label.en, label.ru]), ...synonyms];
}

/** 0..1: how well the words are this wording. Order does not matter; what stands beside it counts against it. */
export function likeness(words: readonly LabelWord[], phrase: Phrase<unknown>, similar = similarity): number {
  const left = [...words];
  let matched = 0;
  for (const wanted of phrase.words) {
    let best = -1;
    let most = 0;
    for (const [i, word] of left.entries()) {
      const like = similar(word, wanted);
      if (like > most) {
        most = like;
        best = i;
      }
    }
    if (best < 0) continue;
    matched += wanted.weight * most;
    left.splice(best, 1);
  }
  const beside = left.reduce((sum, { weight }) => sum + BESIDE * weight, 0);
  return matched / (phrase.weight + beside);
}

// A word too many says less against a label than one that is missing.
const BESIDE = 0.55;

/** `similarity` that remembers what it was asked. */
export function remembered(): typeof similarity {
  const known = new Map<string, number>();
  return (page, label) => {
    const key = `${page.stem}${page.short ? '.' : ''} ${label.stem}${label.short ? '.' : ''}${label.generic ? '~' : ''}`;
    let like = known.get(key);
    if (like === undefined) {
      like = similarity(page, label);
      known.set(key, like);
    }
    return like;
  };
}
