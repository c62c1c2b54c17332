import { median } from '../../../../base/median.ts';
import type { FormDocument, FormToken } from './form-document.ts';
import type { LessonWord } from './lesson.ts';

const MAX_PAIRS = 60;

/** The median ratio of distances between words that occur once on both sides. */
export function estimateScales(
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
