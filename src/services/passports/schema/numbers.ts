/** A value and its position in a text. */
export interface Found<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

const SPACES = /[\s\u00a0\u202f\u2009]/gu;

/**
 * Parses the whole of `text`: `1 234,56`, `1234.56` and `1.234,56` are equal. Of two different separators the last is
 * the decimal one; a single comma always is: `1,234` is 1.234.
 */
export function parseNumber(text: string): number | undefined {
  const plain = text.trim().replace(/^\u2212/u, '-');
  if (!/^[+-]?[\d\s\u00a0\u202f\u2009.,']+$/u.test(plain) || !/\d/u.test(plain)) return undefined;
  const packed = plain.replace(SPACES, '').replaceAll("'", '');
  const value = Number(removeSeparators(packed));
  return Number.isFinite(value) ? value : undefined;
}

/**
 * The first number in `text`; with `decimals` of 2, `1,234` is 1234. Letters that OCR confuses with digits count as
 * digits next to digits.
 */
export function findNumber(text: string, decimals?: number): Found<number> | undefined {
  return eachNumber(text, decimals).next().value ?? undefined;
}

/** All numbers in `text`, as by `findNumber`. */
export const findNumbers = (text: string, decimals?: number): Found<number>[] => [...eachNumber(text, decimals)];

function* eachNumber(text: string, decimals?: number): Generator<Found<number>, undefined> {
  for (const match of text.matchAll(NUMBER)) {
    const packed = asDigits(match[0])
      .replace(SPACES, '')
      .replaceAll("'", '')
      .replace(/^(?:\u2212|минус|minus)/iu, '-')
      .replace(/(?<![.,])[.,]+$/u, '');
    const value = Number(removeSeparators(packed, decimals));
    if (Number.isFinite(value)) yield { value, start: match.index, end: match.index + match[0].length };
  }
}

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

// A space separates thousands only before three digits: "2 кв. 31" is not one number. The lookahead after a fraction
// prevents quadratic backtracking.
const NUMBER =
  /(?<![\p{L}\d])(?:[-\u2212]|[Мм]инус |[Mm]inus )?(?:\d{1,3}(?:[ \u00a0\u202f\u2009']\d{3})+(?!\d)|\d[\dOОоЗз]*)(?:[.,]\d[\dOОоЗз]*(?![\dOОоЗз:]|\/\d{4})|[ ]?[.,] ?\d{1,2}(?![\d:]|\/\d{4}))*/gu;

/** Keeps only the decimal point; not a number for `12.03.1987`. */
function removeSeparators(packed: string, decimals?: number): string {
  const last = Math.max(packed.lastIndexOf(','), packed.lastIndexOf('.'));
  if (last === -1) return packed;
  const [whole, fraction] = [packed.slice(0, last), packed.slice(last + 1)];
  const bare = whole.replace(/[.,]/gu, '');
  if (whole !== bare && !/^[+-]?\d{1,3}([.,]\d{3})+$/u.test(whole)) return 'none';
  const repeated = whole.includes(packed[last]!);
  const thousands = fraction.length === 3 && (repeated || (decimals !== undefined && decimals < 3 && bare !== '0'));
  return thousands ? bare + fraction : repeated ? 'none' : `${bare}.${fraction}`;
}
