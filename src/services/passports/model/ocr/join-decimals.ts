import { joinWords, type LineWord } from './ocr-engine.ts';

/** In heights of the word; a space between two numbers is wider. */
const MAX_GAP = 0.65;

/** Before the house of an address: `Ленина, 12, 45`, `ул. Ленина 12, 45`. */
const ADDRESS =
  /(?:^|\s)(?:(?:[Уу]л|[Пп]ер|[Пп]росп|[Пп]р-к?т|[Нн]аб|[Дд]|St|Rd|Ave)\.|(?:[Уу]лица|[Дд]ом|Street|Road|Avenue)(?!\p{L}))|\p{Lu}\p{Ll}+,$/u;
const MAX_WORDS_BEFORE = 3;

/** Joins a number that OCR splits after its comma, as typewriter and other fixed-width fonts cause it: "12, 45". */
export function joinDecimals(line: readonly LineWord[]): LineWord[] {
  const joined: LineWord[] = [];
  for (const word of line) {
    const last = joined.at(-1);
    const before = joined.slice(-1 - MAX_WORDS_BEFORE, -1).map(({ text }) => text);
    const isSplit =
      last &&
      /(?<![\d.,])\d{1,3}(?:[.,]\d{3})*[.,]$/u.test(last.text) &&
      // Not the date of `3. 12.05.1987`.
      /^\d{2,3}(?!\d|\.\d)/u.test(word.text) &&
      Math.abs(word.left - last.right) < MAX_GAP * (last.bottom - last.top) &&
      !ADDRESS.test(before.join(' '));
    if (isSplit) joined[joined.length - 1] = joinWords(last, word);
    else joined.push(word);
  }
  return joined;
}
