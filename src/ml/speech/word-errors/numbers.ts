import { DECIMAL_PLACES, NUMBER_WORDS, type NumberWord } from './number-words.ts';

/** Ends a number among the words: "instead of sixty. One of them". */
export const SENTENCE_END = '|';

/**
 * Writes the numbers of a text in English or Russian with figures: "nineteen eighty four" becomes `1984`, "2.5 million"
 * `2500000`. Ordinals become `21st` in English, and plain numbers in Russian, where the ending depends on the case.
 * Removes the ends of sentences.
 */
export function writeNumbers(words: readonly string[]): string[] {
  const result: string[] = [];
  for (let at = 0; at < words.length; ) {
    const number = readNumber(words, at);
    result.push(number?.text ?? words[at]!);
    at = number?.end ?? at + 1;
  }
  return joinFigures(result.filter((word) => word !== SENTENCE_END));
}

function readNumber(words: readonly string[], from: number): { text: string; end: number } | undefined {
  const isArticle = words[from] === 'a' && wordAt(words, from + 1)?.isFactor;
  const begin = isArticle ? from + 1 : from;
  let end = begin;
  let sum = 0;
  let lastFactor = Number.POSITIVE_INFINITY;
  let part: Part | undefined;
  let ordinal: NumberWord['ordinal'];
  while (!ordinal) {
    const isAnd = words[end] === 'and' && end > begin && wordAt(words, end - 1)?.isFactor;
    const word = wordAt(words, isAnd ? end + 1 : end);
    if (!word) break;
    const { value, isFactor } = word;
    if (isFactor && value > 100) {
      if (isAnd || value >= lastFactor) break;
      sum += (part?.value ?? 1) * value;
      part = undefined;
      lastFactor = value;
    } else if (isFactor) {
      if (isAnd || (part && (part.value >= 100 || part.value === 0))) break;
      part = { value: (part?.value ?? 1) * value };
    } else {
      if (value >= lastFactor || (part && !follows(part, word))) break;
      part = { ...word, value: (part?.value ?? 0) + value };
    }
    ordinal = word.ordinal;
    end += isAnd ? 2 : 1;
    const decimals = part && words[end] === 'point' ? readDigits(words, end + 1) : '';
    if (part && decimals !== '') {
      part = { value: Number(`${part.value}.${decimals}`), isWritten: true };
      end += 1 + decimals.length;
    }
  }
  if (end === begin) return undefined;
  // 2.3 million is not 2299999.9999999995.
  const number = Number((sum + (part?.value ?? 0)).toPrecision(15));
  return { text: ordinal === 'en' ? `${number}${ordinalSuffix(number)}` : `${number}`, end };
}

/** Those of consecutive words: "two five" is `25`. */
function readDigits(words: readonly string[], from: number): string {
  let digits = '';
  for (let word = wordAt(words, from); word && !word.ordinal; word = wordAt(words, from + digits.length)) {
    if (!/^\d$/.test(`${word.value}`)) break;
    digits += word.value;
  }
  return digits;
}

type Part = Pick<Figures, 'value' | 'isWritten'>;

interface Figures extends NumberWord {
  /** With figures: only a factor can follow. */
  readonly isWritten?: boolean;
}

function wordAt(words: readonly string[], at: number): Figures | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(word)) return { value: Number(word), isFactor: false, isWritten: true };
  return NUMBER_WORDS.get(word);
}

/** Whether a number can go on: 200 with 45 and 40 with 5, but not 5 with 40. */
function follows(part: Part, next: Figures): boolean {
  if (part.isWritten || next.isWritten || part.value === 0 || next.value === 0) return false;
  if (part.value % 100 === 0) return next.value < 100;
  return part.value % 100 >= 20 && part.value % 10 === 0 && next.value < 10;
}

/** "1 oh 1" and "1 0 1" are 101, "19 84" is 1984. */
function joinFigures(words: readonly string[]): string[] {
  const joined = words
    .join(' ')
    .replace(/(?<=\d )oh(?= \d)/g, '0')
    .replace(/(?<!\S)\d(?: \d)+(?!\S)/g, (digits) => digits.replaceAll(' ', ''))
    .replace(/(?<!\S)([1-9]\d) (\d\d)(?!\S)/g, '$1$2')
    .replace(
      /(?<!\S)(\d{1,15}) цел(?:ых|ая|ой)(?: и)? (\d{1,3}) (десятых|сотых|тысячных)(?!\S)/g,
      (_, whole: string, part: string, places: string) => `${whole}.${part.padStart(DECIMAL_PLACES[places]!, '0')}`,
    );
  return joined === '' ? [] : joined.split(' ');
}

function ordinalSuffix(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}
