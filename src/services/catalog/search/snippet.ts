import { withoutLatinMarks } from '../records/words.ts';

const MAX_LENGTH = 200;
const CONTEXT = 60;

/** Around the first word that {@link createWordFinder} finds, without line breaks and bidirectional controls. */
export function createSnippets(prefixes: readonly string[]): (text: string) => string {
  const find = createWordFinder(prefixes);
  return (text) => {
    const plain = text.replace(BIDI_CONTROLS, '').replace(SPACES, ' ').trim();
    return snippetAt(plain, find(plain) ?? 0);
  };
}

/** The position of the first word with one of the prefixes, or that is one of them if it is a number. */
export function createWordFinder(prefixes: readonly string[]): (text: string) => number | undefined {
  const patterns = prefixes.length === 0 ? [] : wordPatterns(withoutLonger(prefixes));
  return (text) => {
    const searched = patterns.length === 0 ? text : withoutLatinMarks(text);
    const found = patterns.map((word) => searched.search(word)).filter((at) => at >= 0);
    return found.length > 0 ? Math.min(...found) : undefined;
  };
}

const isNumber = (word: string) => /^\p{N}+$/u.test(word);

/** Without those that start with another one, unless it is a number. */
function withoutLonger(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const prefix of prefixes.toSorted()) {
    const last = kept.at(-1);
    if (last === undefined || isNumber(last) || !prefix.startsWith(last)) kept.push(prefix);
  }
  return kept;
}

/** Characters. V8 does not optimize patterns above 20 KiB (kRegExpTooLargeToOptimize). */
const MAX_PATTERN_LENGTH = 8_000;

/** The words of the search end there, see `RUN` in words.ts: `2½` has the word 2. */
const WORD_END = '(?!(?![ºª])[\\p{L}\\p{M}\\p{Nd}\\p{Nl}⁰¹²³⁴-⁹₀-₉])';

/** Prefixes consist of letters and digits. Numbers match whole words, as in the search. */
function wordPatterns(prefixes: readonly string[]): RegExp[] {
  const alternatives = prefixes.map((prefix) => (isNumber(prefix) ? `${prefix}${WORD_END}` : prefix));
  const words = alternatives.join('|').replaceAll('е', '[её]');
  const half = Math.floor(prefixes.length / 2);
  if (words.length > MAX_PATTERN_LENGTH && half > 0)
    return [...wordPatterns(prefixes.slice(0, half)), ...wordPatterns(prefixes.slice(half))];
  // eslint-disable-next-line no-restricted-syntax -- alternative words without repetition: linear
  return [new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})`, 'iu')];
}

function snippetAt(plain: string, at: number): string {
  const from = at <= CONTEXT ? 0 : nextWordStart(plain, at - CONTEXT);
  const start = from === 0 ? '' : '…';
  const rest = trimSurrogates(plain.slice(from));
  if (start.length + rest.length <= MAX_LENGTH) return start + rest;
  const cut = trimSurrogates(rest.slice(0, MAX_LENGTH - start.length - 1));
  const blank = cut.lastIndexOf(' ');
  return `${start}${(blank > MAX_LENGTH / 2 ? cut.slice(0, blank) : cut).trimEnd()}…`;
}

// Embeddings, overrides and isolates (Unicode Standard Annex #9), which truncation would leave unclosed.
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
// Except single spaces, most of all.
const SPACES = /[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu;

function nextWordStart(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  return blank >= 0 && blank < at + CONTEXT / 2 ? blank + 1 : at;
}

const trimSurrogates = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
