import { type Area, middleY } from '../fields/page-tokens.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import type { LessonWord } from './lesson.ts';
import { hashHalves } from './word-hash.ts';

/** The token is long enough to count in the match of a page. */
export const isStrong = ({ word }: FormToken): boolean => word.length >= 3;

/** A capital letter alone, as in initials, is no word of a form. */
const isInitial = ({ text, word }: FormToken): boolean => word.length < 3 && /^\P{L}*\p{Lu}/u.test(text);

export function groupBy<T>(items: readonly T[], keysOf: (item: T) => readonly number[]): Map<number, T[]> {
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

/** Between the left ends of two words. */
export const distance = (a: Area, b: Area): number => Math.hypot(a.x0 - b.x0, middleY(a) - middleY(b));

/** Adds short and frequent words, and misread ones, next to words that were found. */
export function addWeakWords(
  tokens: Map<number, FormToken>,
  constants: Set<FormToken>,
  words: readonly LessonWord[],
  document: FormDocument,
  scales: readonly number[],
): void {
  const found = [...tokens];
  const byHash = groupBy(
    document.tokens.filter((token) => token.word !== '' && !isInitial(token)),
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

/** Adds words between two found ones if they occur once between them. */
export function addWordsBetween(
  tokens: Map<number, FormToken>,
  words: readonly LessonWord[],
  document: FormDocument,
): void {
  const ordered = [...tokens].sort(([a], [b]) => a - b);
  const used = new Set(tokens.values());
  for (const [i, [index, token]] of ordered.entries()) {
    const next = ordered[i + 1];
    if (!next) break;
    let from = token.id + 1;
    for (let between = index + 1; between < next[0]; between++) {
      const { hash } = words[between]!;
      const same = document.tokens
        .slice(from, next[1].id)
        .filter((token) => token.hash === hash && !used.has(token) && !isInitial(token));
      if (same.length !== 1) continue;
      tokens.set(between, same[0]!);
      used.add(same[0]!);
      from = same[0]!.id + 1;
    }
  }
}
