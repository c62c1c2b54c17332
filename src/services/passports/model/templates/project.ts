import { median } from '../../../../base/median.ts';
import { type Area, middleY } from '../fields/page-tokens.ts';
import type { Lesson } from './lesson.ts';
import type { FormMatch } from './match-form.ts';

/** Where a place of the form is in the document: the shift of the nearest words of the form. */
export function project(lesson: Lesson, match: FormMatch, place: Area): { page: number; area: Area } | undefined {
  const { words } = lesson;
  const anchors = [...match.tokens]
    .map(([index, token]) => {
      const word = words[index]!;
      const dy = Math.max(0, word.y0 - place.y1, place.y0 - word.y1);
      const dx = Math.max(0, 2 * (word.x0 - place.x1), 0.3 * (place.x0 - word.x1));
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

export const scales = ({ scales }: FormMatch, page: number): number => scales[page] ?? 1;
