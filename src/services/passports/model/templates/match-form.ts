import { median } from '../../../../base/median.ts';
import { middleY } from '../fields/page-tokens.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import { estimateScales } from './form-scales.ts';
import type { Lesson, LessonWord } from './lesson.ts';
import { addWeakWords, addWordsBetween, distance, groupBy, isStrong } from './weak-words.ts';
import { hashHalves } from './word-hash.ts';

export interface FormMatch {
  /** 0..1: share of the form's words found at their places. */
  readonly score: number;
  /** By index of the lesson's word. */
  readonly tokens: ReadonlyMap<number, FormToken>;
  /** Tokens that are words of the form. */
  readonly constants: ReadonlySet<FormToken>;
  /** From the document to the lesson, by page of the document. */
  readonly scales: readonly number[];
  /** The words were found by their order alone. */
  readonly inText?: true;
}

/** Another form of the same office has many of these words, but at other places. */
export const MIN_SCORE = 0.4;

/** Share of the form's words that a document must have anywhere. */
const MIN_SHARED = 0.35;

/** Share of the document's own words that the form explains. */
const MIN_COVERAGE = 0.2;

const MIN_WORDS = 6;

const MAX_SAME = 12;

const NEIGHBOURS = 12;

const NEIGHBOUR_DISTANCE = 220;

const MIN_SUPPORT = 0.25;

/** A token that may be a word of the lesson. */
export interface Candidate {
  readonly index: number;
  readonly token: FormToken;
  readonly fuzzy: boolean;
  support: number;
}

/**
 * Finds the words of a form in a document. Words support each other by their distances, so that parts of the form may
 * move apart when values and tables have other sizes. Bounded by `MAX_SAME` and `NEIGHBOURS` per word.
 */
export function matchForm(lesson: Lesson, document: FormDocument): FormMatch | undefined {
  const { words } = lesson;
  const strong = words.flatMap(({ strong }, index) => (strong ? [index] : []));
  if (strong.length < MIN_WORDS) return undefined;
  const byHash = groupBy(document.tokens.filter(isStrong), ({ hash }) => [hash]);
  const shared = strong.filter((index) => byHash.has(words[index]!.hash)).length;
  if (shared < MIN_SHARED * strong.length) return undefined;
  const scales = estimateScales(words, strong, document, byHash);
  const candidates = findCandidates(words, strong, document, byHash);
  addSupport(candidates, words, strong, scales);
  const tokens = assign(candidates, words, scales);
  const score = placedShare(tokens, words, strong, scales);
  if (score < MIN_SCORE) return undefined;
  addWordsBetween(tokens, words, document);
  const constants = new Set(tokens.values());
  const own = document.tokens.filter(isStrong);
  if (constants.size < MIN_COVERAGE * own.length) return undefined;
  addWeakWords(tokens, constants, words, document, scales);
  return { score, tokens, constants, scales };
}

/** The tokens with the hash of each word, or with that of one of its halves. */
export function findCandidates(
  words: readonly LessonWord[],
  strong: readonly number[],
  document: FormDocument,
  byHash: ReadonlyMap<number, readonly FormToken[]>,
): Candidate[] {
  const byHalf = groupBy(document.tokens.filter(isStrong), ({ word }) => hashHalves(word));
  return strong.flatMap((index): Candidate[] => {
    const { hash, halves } = words[index]!;
    const exact = byHash.get(hash) ?? [];
    if (exact.length > 0 && exact.length <= MAX_SAME) {
      return exact.map((token) => ({ index, token, fuzzy: false, support: 0 }));
    }
    const groups = exact.length > 0 ? [] : halves.flatMap((half) => [byHalf.get(half) ?? []]);
    const similar = [...new Set(groups.flatMap((group) => (group.length > MAX_SAME ? [] : group)))];
    return similar.map((token) => ({ index, token, fuzzy: true, support: 0 }));
  });
}

function addSupport(
  candidates: readonly Candidate[],
  words: readonly LessonWord[],
  strong: readonly number[],
  scales: readonly number[],
): void {
  const byIndex = groupBy(candidates, ({ index }) => [index]);
  for (const index of byIndex.keys()) {
    const word = words[index]!;
    const near = strong
      .filter((other) => other !== index)
      .map((other) => ({ other, distance: distance(word, words[other]!) }))
      .filter((one) => one.distance < NEIGHBOUR_DISTANCE)
      .sort((a, b) => a.distance - b.distance)
      .slice(0, NEIGHBOURS);
    for (const candidate of byIndex.get(index)!) {
      const scale = scales[candidate.token.page]!;
      let support = 0;
      for (const { other, distance: far } of near) {
        const tolerance = 5 + 0.06 * far;
        const there = words[other]!;
        const isSupported = (byIndex.get(other) ?? []).some(
          ({ token }) =>
            token.page === candidate.token.page &&
            Math.abs((token.x0 - candidate.token.x0) * scale - (there.x0 - word.x0)) < tolerance &&
            Math.abs((middleY(token) - middleY(candidate.token)) * scale - (middleY(there) - middleY(word))) <
              tolerance,
        );
        if (isSupported) support++;
      }
      const around = near.length === 0 ? 0 : support / near.length;
      candidate.support = Math.max(around, followsInText(candidate, byIndex)) - (candidate.fuzzy ? 0.1 : 0);
    }
  }
}

const TEXT_WORDS = [-3, -2, -1, 1, 2, 3];

/** The share of the words before and after that follow each other in the document too, on whichever line. */
export function followsInText({ index, token }: Candidate, byIndex: ReadonlyMap<number, readonly Candidate[]>): number {
  const found = TEXT_WORDS.filter((step) =>
    byIndex.get(index + step)?.some((other) => other.token.id - token.id === step),
  );
  return found.length / TEXT_WORDS.length;
}

/**
 * One token per word and one word per token, the best supported first. A word without support must occur once, at the
 * horizontal position that the supported words predict.
 */
function assign(
  candidates: readonly Candidate[],
  words: readonly LessonWord[],
  scales: readonly number[],
): Map<number, FormToken> {
  const perIndex = groupBy(candidates, ({ index }) => [index]);
  const perToken = groupBy(candidates, ({ token }) => [token.id]);
  const isUnique = ({ index, token, fuzzy }: Candidate) =>
    !fuzzy && perIndex.get(index)!.length === 1 && perToken.get(token.id)!.length === 1;
  const tokens = new Map<number, FormToken>();
  const used = new Set<FormToken>();
  const sorted = [...candidates].sort((a, b) => b.support - a.support);
  const add = (isWanted: (one: Candidate) => boolean) => {
    for (const one of sorted) {
      if (tokens.has(one.index) || used.has(one.token) || !isWanted(one)) continue;
      tokens.set(one.index, one.token);
      used.add(one.token);
    }
  };
  add((one) => one.support >= MIN_SUPPORT || (one.support > 0 && isUnique(one)));
  const isInPlace = placeCheck(tokens, words, scales);
  add((one) => isUnique(one) && isInPlace(one.index, one.token));
  return tokens;
}

/** Whether a word has the horizontal shift that most words of its page have. */
function placeCheck(tokens: ReadonlyMap<number, FormToken>, words: readonly LessonWord[], scales: readonly number[]) {
  const shiftOf = (index: number, token: FormToken) => words[index]!.x0 - scales[token.page]! * token.x0;
  const pages = new Map<number, number[]>();
  for (const [index, token] of tokens) {
    const shifts = pages.get(token.page);
    if (shifts) shifts.push(shiftOf(index, token));
    else pages.set(token.page, [shiftOf(index, token)]);
  }
  const medians = new Map([...pages].map(([page, shifts]) => [page, median(shifts)]));
  return (index: number, token: FormToken): boolean => {
    const shift = medians.get(token.page);
    return shift === undefined || Math.abs(shiftOf(index, token) - shift) < MAX_SHIFT;
  };
}

/** A word is at its place if it has the common horizontal position, or shares a line with words that have. */
function placedShare(
  tokens: ReadonlyMap<number, FormToken>,
  words: readonly LessonWord[],
  strong: readonly number[],
  scales: readonly number[],
): number {
  const isInPlace = placeCheck(tokens, words, scales);
  const lines = new Set([...tokens].filter(([index, token]) => isInPlace(index, token)).map(([, token]) => token.line));
  // Running text moves with the length of the values in it.
  const isInText = (index: number, token: FormToken) =>
    tokens.get(index - 1)?.id === token.id - 1 || tokens.get(index + 1)?.id === token.id + 1;
  const placed = [...tokens].filter(
    ([index, token]) => isInPlace(index, token) || lines.has(token.line) || isInText(index, token),
  );
  // From top to bottom in both: words out of order do not count.
  const ordered = longestRise(
    placed
      .sort(([a], [b]) => Math.round(middleY(words[a]!) / 6) - Math.round(middleY(words[b]!) / 6))
      .map(([, token]) => token.line),
    { ties: true },
  );
  return ordered.length / strong.length;
}

const MAX_SHIFT = 20;

/** Indices of the longest subsequence that rises; `ties` allows equal values. */
export function longestRise(values: readonly number[], { ties = false } = {}): number[] {
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [i, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const end = values[ends[middle]!]!;
      if (end < value || (ties && end === value)) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1]);
    ends[low] = i;
  }
  const rise: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rise.unshift(at);
  return rise;
}
