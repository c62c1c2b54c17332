import { createOnce } from '../../../../base/create-once.ts';
import { median } from '../../../../base/median.ts';
import { type Area, middleY } from './page-tokens.ts';

/** The ascending indices of all words that may reach into a range of y, and of some that do not. */
type LineIndex = (y0: number, y1: number) => readonly number[];

/** Finds words that overlap a range. */
export const overlapIndex = createOnce((words: readonly Area[]) => createLineIndex(words, 0.5));

/** Finds words whose middle is up to {@link MAX_PITCH} of their heights above or below a range. */
export const nextLineIndex = createOnce((words: readonly Area[]) => createLineIndex(words, MAX_PITCH));

/** Chosen. From one line to the next, in heights of a word. */
export const MAX_PITCH = 2;

/**
 * Sorts words into bands of y: comparing each word with all others takes too long on a page of thousands. `reach` is the distance
 * from the middle of a word, in its heights.
 */
function createLineIndex(words: readonly Area[], reach: number): LineIndex {
  let [top, bottom] = [Infinity, -Infinity];
  for (const { y0, y1 } of words) [top, bottom] = [Math.min(top, y0), Math.max(bottom, y1)];
  const height = Math.max(median(words.map(({ y0, y1 }) => y1 - y0)), (bottom - top) / MAX_BANDS);
  const bandOf = (y: number) => Math.max(0, Math.min(MAX_BANDS, Math.floor((y - top) / height)));
  const all = [...words.keys()];
  const bands: number[][] = Array.from({ length: MAX_BANDS + 1 }, () => []);
  for (const [i, word] of words.entries()) {
    const distance = reach * (word.y1 - word.y0) + ROUNDING;
    const last = bandOf(middleY(word) + distance);
    for (let band = bandOf(middleY(word) - distance); band <= last; band++) bands[band]!.push(i);
  }
  const joined: number[][] = [];
  return (y0, y1) => {
    const [first, last] = [bandOf(y0 - ROUNDING), bandOf(y1 + ROUNDING)];
    if (last - first >= MAX_JOINED) return all;
    const key = first * MAX_JOINED + last - first;
    joined[key] ??= [...new Set(bands.slice(first, last + 1).flat())].sort((a, b) => a - b);
    return joined[key];
  };
}

const MAX_BANDS = 500;
/** Of a query. A word as high as several lines is compared with all words. */
const MAX_JOINED = 4;
// In points.
const ROUNDING = 0.01;
