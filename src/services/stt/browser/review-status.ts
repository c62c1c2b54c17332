import { el, fill } from '../../../ui/browser/dom.ts';
import type { Recorded } from '../result.ts';
import { correctedTerms } from './corrected-terms.ts';
import { doubtfulWords } from './doubtful-words.ts';
import type { SpeechTexts } from './texts.ts';
import { normalize, type Row } from './transcript-rows.ts';

/** Shows the number of words to check. Compares a row with the original text only after a change of the row. */
export function createReviewStatus({ doubtfulCount }: SpeechTexts['edit'], original: Recorded, space: string) {
  const element = el('span', { class: 'hint', id: 'doubtful' });
  const known = new WeakMap<Row, { readonly doubtful: number; readonly terms: readonly string[] }>();
  const originalTexts = new Map(original.segments.map(({ start, end, text }) => [`${start} ${end}`, text]));

  /** Languages without spaces have no words to compare. */
  function termsOf({ segment: { start, end, text }, words }: Row): readonly string[] {
    const before = words.length > 0 ? words.map((word) => word.text).join(' ') : originalTexts.get(`${start} ${end}`);
    if (space === '' || before === undefined) return [];
    return correctedTerms(normalize(before).split(' '), normalize(text).split(' '));
  }

  function reviewOf(row: Row) {
    const review = known.get(row) ?? { doubtful: doubtfulWords(row, space).length, terms: termsOf(row) };
    known.set(row, review);
    return review;
  }

  let count = 0;

  return {
    element,
    /** Words to check, as shown. */
    count: () => count,
    /** Returns the words that corrections put in place of recognized ones. */
    show(rows: readonly Row[]): { readonly terms: readonly string[] } {
      const reviews = rows.map(reviewOf);
      count = reviews.reduce((sum, { doubtful }) => sum + doubtful, 0);
      element.textContent = count === 0 ? '' : fill(doubtfulCount, { count: String(count) });
      return { terms: reviews.flatMap(({ terms }) => terms) };
    },
  };
}
