/** A number found in a text: its value, and where in the text it stands. */
export interface FoundNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

const SPACES = /[\s\u00a0\u202f\u2009]/gu;

/**
 * The number that the whole of `text` is: `1 234,56`, `1234.56` and `1.234,56` are the same. Of two different
 * separators the last one is the decimal one; a single comma is, whatever follows it: `1,234` is 1.234.
 */
export function parseNumber(text: string): number | undefined {
  const plain = text.trim().replace(/^\u2212/u, '-');
  if (!/^[+-]?[\d\s\u00a0\u202f\u2009.,']+$/u.test(plain) || !/\d/u.test(plain)) return undefined;
  const packed = plain.replace(SPACES, '').replaceAll("'", '');
  const value = Number(unseparated(packed));
  return Number.isFinite(value) ? value : undefined;
}

/**
 * The first number in `text` as a page writes it; `decimals` is the most that it would write, so that with 2 of them
 * `1,234` is a thousand and more. Digits that OCR took for letters count as digits beside real ones.
 */
export function findNumber(text: string, decimals?: number): FoundNumber | undefined {
  for (const match of text.matchAll(NUMBER)) {
    const written = asDigits(match[0]);
    const packed = written
      .replace(SPACES, '')
      .replaceAll("'", '')
      .replace(/(?<![.,])[.,]+$/u, '');
    const value = Number(unseparated(packed, decimals));
    if (Number.isFinite(value)) return { value, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

/** `text` with letters that stand among digits read as the digits they look like. */
export function asDigits(text: string): string {
  if (!/\d/u.test(text)) return text;
  return text.replace(/[OОоoЗзlI|бБВ]/gu, (letter) => LOOKALIKES[letter] ?? letter);
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  O: '0',
  О: '0',
  о: '0',
  o: '0',
  З: '3',
  з: '3',
  l: '1',
  I: '1',
  '|': '1',
  б: '6',
  Б: '6',
  В: '8',
};

// Thousands are parted by a space only where three digits follow: "2 кв. 31" is no number of three digits.
// A fraction that OCR read with letters ends where these end: given up one by one they would be counted again each time.
const NUMBER =
  /(?<![\p{L}\d])[-\u2212]?(?:\d{1,3}(?:[ \u00a0\u202f\u2009']\d{3})+(?!\d)|\d[\dOОоЗз]*)(?:[.,]\d[\dOОоЗз]*(?![\dOОоЗз:/])|[ ]?[.,] ?\d{1,2}(?![\d:/]))*/gu;

/** Digits with at most a decimal point; NaN for what no number is written like (`12.03.1987`). */
function unseparated(packed: string, decimals?: number): string {
  const last = Math.max(packed.lastIndexOf(','), packed.lastIndexOf('.'));
  if (last === -1) return packed;
  const [whole, fraction] = [packed.slice(0, last), packed.slice(last + 1)];
  const bare = whole.replace(/[.,]/gu, '');
  if (whole !== bare && !/^[+-]?\d{1,3}([.,]\d{3})+$/u.test(whole)) return 'none';
  const repeated = whole.includes(packed[last]!);
  const thousands = fraction.length === 3 && (repeated || (decimals !== undefined && decimals < 3 && bare !== '0'));
  return thousands ? bare + fraction : repeated ? 'none' : `${bare}.${fraction}`;
}
