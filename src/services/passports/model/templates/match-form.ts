import { median } from '../../../../base/median.ts';
import { type Area, type FormDocument, type FormToken, middleY } from './form-document.ts';
import type { Lesson, LessonWord } from './lesson.ts';
import { hashHalves } from './word-hash.ts';

/** The words of a form found in a document. */
export interface FormMatch {
  /** 0..1: share of the form's words found at their places. */
  readonly score: number;
  /** By index of the lesson's word. */
  readonly tokens: ReadonlyMap<number, FormToken>;
  /** Tokens that are words of the form. */
  readonly constants: ReadonlySet<FormToken>;
  /** From the document to the lesson, by page of the document. */
  readonly scales: readonly number[];
}

/** Another form of the same office has many of these words, but at other places. */
export const MIN_SCORE = 0.45;
/** Share of the form's words that a document must have anywhere. */
const MIN_SHARED = 0.35;
/** Share of the document's own words that the form explains. */
const MIN_COVERAGE = 0.3;
const MIN_WORDS = 6;

const MAX_SAME = 12;
const NEIGHBOURS = 12;
const NEIGHBOUR_DISTANCE = 220;
const MIN_SUPPORT = 0.25;

interface Candidate {
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
  const constants = new Set(tokens.values());
  const score = placedShare(tokens, words, strong, scales);
  const own = document.tokens.filter(isStrong);
  if (score < MIN_SCORE || constants.size < MIN_COVERAGE * own.length) return undefined;
  addWeakWords(tokens, constants, words, document, scales);
  return { score, tokens, constants, scales };
}

const isStrong = ({ word }: FormToken): boolean => word.length >= 3;

function groupBy<T>(items: readonly T[], keysOf: (item: T) => readonly number[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}

const MAX_PAIRS = 60;

/** The median ratio of distances between words that occur once on both sides. */
function estimateScales(
  words: readonly LessonWord[],
  strong: readonly number[],
  { pages }: FormDocument,
  byHash: ReadonlyMap<number, readonly FormToken[]>,
): number[] {
  const counts = new Map<number, number>();
  for (const index of strong) counts.set(words[index]!.hash, (counts.get(words[index]!.hash) ?? 0) + 1);
  const unique = strong.flatMap((index) => {
    const word = words[index]!;
    const tokens = byHash.get(word.hash) ?? [];
    return tokens.length === 1 && counts.get(word.hash) === 1 ? [{ word, token: tokens[0]! }] : [];
  });
  const ratiosOf = (page: number) => {
    const pairs = unique.filter(({ token }) => token.page === page).slice(0, MAX_PAIRS);
    return pairs.flatMap((a, i) =>
      pairs.slice(i + 1).flatMap((b) => {
        const far = Math.hypot(a.token.x0 - b.token.x0, a.token.y0 - b.token.y0);
        const there = Math.hypot(a.word.x0 - b.word.x0, a.word.y0 - b.word.y0);
        return far > 60 && there > 60 && there < 400 ? [there / far] : [];
      }),
    );
  };
  const perPage = pages.map((_, page) => ratiosOf(page));
  const common = densest(perPage.flat()) ?? 1;
  return perPage.map((ratios) => (ratios.length >= MIN_RATIOS ? (densest(ratios) ?? common) : common));
}

const MIN_RATIOS = 10;
const SAME_RATIO = 0.015;

/** The ratio with the most votes: pairs whose distance depends on a value scatter. Prefers the unchanged size. */
function densest(ratios: readonly number[]): number | undefined {
  if (ratios.length < 3) return undefined;
  const sorted = ratios.filter((ratio) => ratio > 0.4 && ratio < 2.5).toSorted((a, b) => a - b);
  const votes = (ratio: number) => sorted.filter((one) => Math.abs(one / ratio - 1) < SAME_RATIO);
  let best = { ratio: 1, votes: 1.2 * votes(1).length };
  for (let step = Math.log(0.4); step < Math.log(2.5); step += SAME_RATIO / 2) {
    const near = votes(Math.exp(step));
    if (near.length > best.votes) best = { ratio: median(near), votes: near.length };
  }
  return best.ratio;
}

function findCandidates(
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
      candidate.support = Math.max(around, inText(candidate, byIndex)) - (candidate.fuzzy ? 0.1 : 0);
    }
  }
}

const TEXT_WORDS = [-3, -2, -1, 1, 2, 3];

/** The share of the words before and after that follow each other in the document too, on whichever line. */
function inText({ index, token }: Candidate, byIndex: ReadonlyMap<number, readonly Candidate[]>): number {
  const found = TEXT_WORDS.filter((step) =>
    byIndex.get(index + step)?.some((other) => other.token.id - token.id === step),
  );
  return found.length / TEXT_WORDS.length;
}

const distance = (a: Area, b: Area): number => Math.hypot(a.x0 - b.x0, middleY(a) - middleY(b));

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
  );
  return ordered / strong.length;
}

const MAX_SHIFT = 20;

/** Length of the longest subsequence that does not fall. */
function longestRise(values: readonly number[]): number {
  const ends: number[] = [];
  for (const value of values) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    ends[low] = value;
  }
  return ends.length;
}

/** Adds short and frequent words, and misread ones, next to words that were found. */
function addWeakWords(
  tokens: Map<number, FormToken>,
  constants: Set<FormToken>,
  words: readonly LessonWord[],
  document: FormDocument,
  scales: readonly number[],
): void {
  const found = [...tokens];
  const byHash = groupBy(
    document.tokens.filter(({ word }) => word !== ''),
    ({ hash }) => [hash],
  );
  const byHalf = groupBy(document.tokens.filter(isStrong), ({ word }) => hashHalves(word));
  for (const [index, word] of words.entries()) {
    if (tokens.has(index)) continue;
    const groups = [byHash.get(word.hash) ?? [], ...word.halves.map((half) => byHalf.get(half) ?? [])];
    if (groups.every((group) => group.length === 0)) continue;
    const near = found
      .map(([other, token]) => ({ other: words[other]!, token, far: distance(word, words[other]!) }))
      .sort((a, b) => a.far - b.far)
      .slice(0, 4);
    const isNear = (option: FormToken) =>
      near.some(({ other, token, far }) => {
        const scale = scales[token.page]!;
        return (
          option.page === token.page &&
          Math.abs((option.x0 - token.x0) * scale - (word.x0 - other.x0)) < 6 + 0.06 * far &&
          Math.abs((middleY(option) - middleY(token)) * scale - (middleY(word) - middleY(other))) < 4 + 0.03 * far
        );
      });
    const token = groups.flatMap((group) => group.find((option) => !constants.has(option) && isNear(option)) ?? [])[0];
    if (!token) continue;
    tokens.set(index, token);
    constants.add(token);
  }
}

/** Where a place of the form is in the document: the shift of the nearest words of the form. */
export function project(lesson: Lesson, match: FormMatch, place: Area): { page: number; area: Area } | undefined {
  const { words } = lesson;
  const anchors = [...match.tokens]
    .map(([index, token]) => {
      const word = words[index]!;
      const dy = Math.max(0, word.y0 - place.y1, place.y0 - word.y1);
      const dx = Math.max(0, word.x0 - place.x1, 0.5 * (place.x0 - word.x1));
      // Words of the same line move with the value, above all those left of it; words above and below if they are near.
      return { word, token, far: dx + dy * 2 + (word.strong ? 0 : 20) };
    })
    .sort((a, b) => a.far - b.far)
    .slice(0, 5);
  const nearest = anchors[0];
  if (!nearest) return undefined;
  const { page } = nearest.token;
  const scale = scales(match, page);
  const same = anchors.filter(({ token, far }) => token.page === page && far < nearest.far + 60);
  const weigh = (values: readonly { value: number; weight: number }[]) =>
    values.reduce((sum, { value, weight }) => sum + value * weight, 0) /
    values.reduce((sum, { weight }) => sum + weight, 0);
  const weight = (far: number) => 1 / (5 + far);
  const dx = weigh(same.map(({ word, token, far }) => ({ value: token.x0 - word.x0 / scale, weight: weight(far) })));
  const dy = weigh(
    same.map(({ word, token, far }) => ({ value: middleY(token) - middleY(word) / scale, weight: weight(far) })),
  );
  return {
    page,
    area: {
      x0: place.x0 / scale + dx,
      x1: place.x1 / scale + dx,
      y0: place.y0 / scale + dy,
      y1: place.y1 / scale + dy,
    },
  };
}

const MIN_HEADS = 4;
const HEAD_HEIGHT = 90;

/** Like {@link project}, for a place below the heads of its columns: by their usual shift. Undefined if few are found. */
export function projectBelow({ words }: Lesson, match: FormMatch, place: Area) {
  const heads = [...match.tokens].flatMap(([index, token]) => {
    const word = words[index]!;
    const isHead =
      word.y1 < place.y0 + 2 && word.y0 > place.y0 - HEAD_HEIGHT && word.x1 > place.x0 - 40 && word.x0 < place.x1 + 40;
    return isHead ? [{ word, token }] : [];
  });
  const page = median(heads.map(({ token }) => token.page));
  const same = heads.filter(({ token }) => token.page === page);
  if (same.length < MIN_HEADS) return undefined;
  const scale = scales(match, page);
  const dx = median(same.map(({ word, token }) => token.x0 - word.x0 / scale));
  const dy = median(same.map(({ word, token }) => middleY(token) - middleY(word) / scale));
  const { x0, x1, y0, y1 } = place;
  return { page, area: { x0: x0 / scale + dx, x1: x1 / scale + dx, y0: y0 / scale + dy, y1: y1 / scale + dy } };
}

const scales = ({ scales }: FormMatch, page: number): number => scales[page] ?? 1;
