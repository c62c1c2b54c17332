import { lettersOf, type Sound, similarity, soundOf } from './similar-sound.ts';
import type { TokenWord } from './token-words.ts';

/** A passage that may be a misheard term: the words from `first` to `last`. */
export interface Candidate {
  readonly first: number;
  readonly last: number;
  readonly term: string;
  /** How similar they sound, 0 to 1. */
  readonly similarity: number;
  /** Whether they differ only in their endings. */
  readonly isInflection: boolean;
}

export interface TermFinder {
  readonly terms: number;
  /** The passages of a text that sound like a term. Terms that the text contains are no candidates. */
  find(words: readonly TokenWord[]): Candidate[];
}

export function createTermFinder(terms: readonly string[]): TermFinder {
  const known = terms.map((term) => ({ term, sound: soundOf(term) })).filter(({ sound }) => sound.letters !== '');
  const written = new Set(known.map(({ sound }) => sound.letters));
  const longest = Math.max(0, ...known.map(({ sound }) => sound.letters.length)) / MIN_SIMILARITY;

  return {
    terms: terms.length,
    find(words) {
      const candidates: Candidate[] = [];
      const right = wordsOfTerms(words, written);
      for (let first = 0; first < words.length; first++) {
        for (let last = first; last < Math.min(words.length, first + MAX_WORDS) && !right.has(last); last++) {
          const passage = soundOf(textOf(words, first, last));
          if (passage.letters.length > longest) break;
          for (const { term, sound } of known) {
            const similar = similarity(passage, sound, MIN_SIMILARITY);
            if (similar === 0) continue;
            candidates.push({ first, last, term, similarity: similar, isInflection: differsInEnding(passage, sound) });
          }
          if (words[last]!.lettersTo < words[last]!.to) break;
        }
      }
      return withoutLongerThanInflections(candidates);
    },
  };
}

/** The indexes of the words that are terms, or part of one, as they are. */
function wordsOfTerms(words: readonly TokenWord[], written: ReadonlySet<string>): Set<number> {
  const found = new Set<number>();
  for (let first = 0; first < words.length; first++) {
    for (let last = first; last < Math.min(words.length, first + MAX_WORDS); last++) {
      if (!written.has(lettersOf(textOf(words, first, last)))) continue;
      for (let word = first; word <= last; word++) found.add(word);
    }
  }
  return found;
}

/** A longer passage than another form of the term would lose the words beside it. */
function withoutLongerThanInflections(candidates: readonly Candidate[]): Candidate[] {
  const inflections = candidates.filter(({ isInflection }) => isInflection);
  return candidates.filter(
    (each) =>
      !inflections.some(
        ({ term, first, last }) =>
          term === each.term && each.first <= first && last <= each.last && last - first < each.last - each.first,
      ),
  );
}

const textOf = (words: readonly TokenWord[], first: number, last: number) =>
  words
    .slice(first, last + 1)
    .map(({ text }) => text)
    .join('');

function differsInEnding({ letters: a }: Sound, { letters: b }: Sound): boolean {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return Math.max(a.length, b.length) - same <= Math.min(MAX_ENDING, same);
}

// Lower values found no more of the terms.
const MIN_SIMILARITY = 0.45;
const MAX_WORDS = 5;
const MAX_ENDING = 3;
