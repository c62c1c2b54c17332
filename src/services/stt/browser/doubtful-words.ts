import { isDoubtful, partsOf, type Row, type RowWord } from './transcript-rows.ts';

/** A word and its position in the text of its row. */
export interface PlacedWord {
  readonly word: RowWord;
  readonly start: number;
  readonly end: number;
}

/** The words of a row. */
export function placedWords(row: Row, space: string): PlacedWord[] {
  let next = 0;
  return partsOf(row).map((word) => {
    const start = next;
    const end = start + word.text.length;
    next = end + space.length;
    return { word, start, end };
  });
}

/** The words to check. */
export const doubtfulWords = (row: Row, space: string): PlacedWord[] =>
  placedWords(row, space).filter(({ word }) => isDoubtful(row, word));

/**
 * The next or previous doubtful word after a selection in the row at the index `at`, in a circle. `isWrapped`: the search continued at
 * the other end. Undefined if there is none.
 */
export function nextDoubtful(
  rows: readonly Row[],
  at: number,
  selection: { readonly start: number; readonly end: number },
  { by, space }: { readonly by: 1 | -1; readonly space: string },
): { readonly index: number; readonly place: PlacedWord; readonly isWrapped: boolean } | undefined {
  const inRow = doubtfulWords(rows[at]!, space);
  // Without a selection, the word at the caret is the next one.
  const caret = selection.start === selection.end && by === 1 ? selection.start - 1 : selection.start;
  const edge = (words: readonly PlacedWord[]) => (by === 1 ? words[0] : words.at(-1));
  const here = edge(inRow.filter(({ start }) => (start - caret) * by > 0));
  if (here) return { index: at, place: here, isWrapped: false };
  for (let i = 1; i < rows.length; i++) {
    const index = (at + i * by + rows.length) % rows.length;
    const place = edge(doubtfulWords(rows[index]!, space));
    if (place) return { index, place, isWrapped: (index - at) * by < 0 };
  }
  const again = edge(inRow);
  return again && { index: at, place: again, isWrapped: false };
}
