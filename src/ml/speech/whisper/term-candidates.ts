import { composeCharacters } from '../../../base/compose-characters.ts';
import { countSounds, type Sound, similarity, soundOf } from './similar-sound.ts';
import type { TokenWord } from './token-words.ts';

/** A passage that may be a misheard term: the words from `first` to `last`. */
export interface Candidate {
  readonly first: number;
  readonly last: number;
  readonly term: string;
  /** How similar they sound, 0 to 1. */
  readonly similarity: number;
  /** Sounds of the term: short terms resemble many words. */
  readonly sounds: number;
  /** Whether they differ only in their endings. */
  readonly isInflection: boolean;
}

export interface TermFinder {
  readonly terms: number;
  /** The passages of a text that sound like a term. Terms that the text contains are no candidates. */
  find(words: readonly TokenWord[], throwIfStopped?: () => void): Candidate[];
}

export function createTermFinder(terms: readonly string[]): TermFinder {
  const known = terms.map((term) => ({ term, sound: soundOf(term) })).filter(({ sound }) => sound.letters !== '');
  const written = new Set(known.map(({ term }) => writtenForm(term)));
  const longest = Math.max(0, ...known.map(({ sound }) => sound.letters.length)) / MIN_SIMILARITY;

  return {
    terms: terms.length,
    find(words, throwIfStopped = () => {}) {
      const candidates: Candidate[] = [];
      const right = wordsOfTerms(words, written);
      for (let first = 0; first < words.length; first++) {
        throwIfStopped();
        if (STARTS_WITH_MARK.test(words[first]!.text)) continue;
        for (let last = first; last < Math.min(words.length, first + MAX_WORDS) && !right.has(last); last++) {
          if (last > first && STARTS_WITH_MARK.test(words[last]!.text)) break;
          const text = textOf(words, first, last);
          const passage = soundOf(text);
          const mark = text.search(MARK_IN_WORD);
          const rest = mark < 0 ? undefined : soundOf(text.slice(mark));
          if (passage.letters.length > longest) break;
          for (const { term, sound } of known) {
            const similar = similarity(passage, sound, MIN_SIMILARITY);
            // The article of "l'arche" and the first half of a compound are not part of the term.
            if (similar === 0 || (rest && similarity(rest, sound, similar) > 0)) continue;
            candidates.push({
              ...{ first, last, term, similarity: similar, sounds: countSounds(sound) },
              isInflection: differsInEnding(passage, sound),
            });
          }
          if (words[last]!.lettersTo < words[last]!.to) break;
        }
      }
      return withoutWordsBeside(candidates);
    },
  };
}

/** The indexes of the words that are terms, or part of one, as they are. */
function wordsOfTerms(words: readonly TokenWord[], written: ReadonlySet<string>): Set<number> {
  const found = new Set<number>();
  for (let first = 0; first < words.length; first++) {
    for (let last = first; last < Math.min(words.length, first + MAX_WORDS); last++) {
      if (!written.has(writtenForm(textOf(words, first, last)))) continue;
      for (let word = first; word <= last; word++) found.add(word);
    }
  }
  return found;
}

/** A longer passage than one that resembles the term as much, or is another form of it, would lose the words beside it. */
function withoutWordsBeside(candidates: readonly Candidate[]): Candidate[] {
  const byTerm = new Map<string, Candidate[]>();
  for (const each of candidates) byTerm.set(each.term, [...(byTerm.get(each.term) ?? []), each]);
  return candidates.filter((each) =>
    byTerm
      .get(each.term)!
      .every(
        ({ first, last, similarity: other, isInflection }) =>
          first < each.first ||
          each.last < last ||
          last - first === each.last - each.first ||
          (!isInflection && other < each.similarity),
      ),
  );
}

const STARTS_WITH_MARK = /^\s*[^\s\p{L}\p{N}]/u;
/** An apostrophe or hyphen within a word. */
const MARK_IN_WORD = /(?<=[\p{L}\p{N}])['’\u2010-\u2015-](?=[\p{L}\p{N}])/u;

/** Equal for texts that differ only in capitals, spaces and marks. */
const writtenForm = (text: string): string =>
  composeCharacters(text, 'NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');

const textOf = (words: readonly TokenWord[], first: number, last: number) =>
  words
    .slice(first, last + 1)
    .map(({ text }) => text)
    .join('');

function differsInEnding({ letters: a }: Sound, { letters: b }: Sound): boolean {
  if (a === b) return false;
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return Math.max(a.length, b.length) - same <= Math.min(MAX_ENDING, same);
}

// Lower values found no more of the terms.
const MIN_SIMILARITY = 0.45;
const MAX_WORDS = 5;
const MAX_ENDING = 3;
