import { doubleMetaphone } from 'double-metaphone';
import leven from 'leven';
import { transliterate } from 'transliteration';

/** How a text is written and pronounced, for comparisons. */
export interface Sound {
  readonly letters: string;
  /** Its figures, which have no sound in `keys`. */
  readonly figures: string;
  /** Its pronunciation as Double Metaphone (Philips 2000), and the alternative one. */
  readonly keys: readonly string[];
}

/** Letters and figures of any script in lower-case Latin ones. */
export const lettersOf = (text: string): string =>
  transliterate(text)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

export function soundOf(text: string): Sound {
  const letters = lettersOf(text);
  return { letters, figures: letters.replace(/\D/g, ''), keys: [...new Set(doubleMetaphone(letters))] };
}

/**
 * 0 to 1: the share of equal letters, and of equal sounds with more weight, by edit distance; 0 if it is below `least` or if the
 * figures differ: a number is not a misheard other number.
 */
export function similarity(a: Sound, b: Sound, least: number): number {
  if (a.figures !== b.figures) return 0;
  const letters = lengthShare(a.letters, b.letters);
  if (letters < MIN_LENGTH_SHARE) return 0;
  let sounds = 0;
  for (const key of a.keys) for (const other of b.keys) sounds = Math.max(sounds, equalShare(key, other));
  if (weigh(letters, sounds) < least) return 0;
  const similar = weigh(equalShare(a.letters, b.letters), sounds);
  return similar < least ? 0 : similar;
}

// Chosen with the terms of bench/vocabulary.
const LETTERS_WEIGHT = 0.3;
const MIN_LENGTH_SHARE = 0.4;

const weigh = (letters: number, sounds: number): number => LETTERS_WEIGHT * letters + (1 - LETTERS_WEIGHT) * sounds;

const equalShare = (a: string, b: string): number => 1 - leven(a, b) / Math.max(1, a.length, b.length);

/** The number of sounds of the shorter pronunciation. */
export const countSounds = ({ keys }: Sound): number => Math.min(...keys.map((key) => key.length));

/** The most that `equalShare` can be. */
const lengthShare = (a: string, b: string): number => Math.min(a.length, b.length) / Math.max(1, a.length, b.length);
