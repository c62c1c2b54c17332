import { asDigits, type Found } from './numbers.ts';

/** The first number with its letters (`8а`, `G.1`, `12/3`), or a text of one letter or a Roman number. */
export function findNumbering(text: string): Found<string> | undefined {
  // Numbering skips these letters because of their likeness to digits (GOST R 21.101).
  const plain = text.replace(/\d[\dOОоЗз]+/gu, asDigits);
  const match = /(?<![\p{L}\d])(?:\p{Lu}{1,2}[./-]?)?\d{1,4}(?:[./-]\d{1,3}){0,2}(?:[./-]?\p{L}(?![\p{L}\d]))?/u.exec(
    plain,
  );
  if (match) return { value: match[0], start: match.index, end: match.index + match[0].length };
  const letters = /^\s*([IVXL]{1,6}|\p{L})[.)]?\s*$/u.exec(text)?.[1];
  return letters === undefined ? undefined : { value: letters, start: 0, end: text.length };
}
