import { fullYear, isoDate } from './calendar.ts';
import { findDateInWords } from './date-words.ts';
import { parseMonth } from './months.ts';
import { asDigits, type Found } from './numbers.ts';

/**
 * Finds the first date in `text`: `12.03.1987`, `12.03.87`, `1987-03-12`, `12/03/1987` (day first), `8/16/2015`,
 * `12.III.1987`, `12 марта 1987 г.`, `« 14 » сентября 20 06 г.`, `"18" 02 1954`, `октября 27 дня 1971 года`, `March 12,
 * 1987`, `27th of June, 1985`, or in words. Two-digit years are in the hundred years before `thisYear` + 1. The month is
 * first if `text` or `label` contains `mm/dd`.
 */
export function findDate(text: string, thisYear = new Date().getUTCFullYear(), label = ''): Found<string> | undefined {
  const isMonthFirst = MONTH_FIRST.test(text) || MONTH_FIRST.test(label);
  const find = (searched: string, patterns = PATTERNS) => findInDigits(searched, patterns, { thisYear, isMonthFirst });
  return (
    find(text) ?? findDateInWords(text) ?? find(text.replace(CONFUSED_DIGITS, asDigits)) ?? find(text, MISREAD_MONTHS)
  );
}

/** Whether the dates among `words` have the month first: `05/14/1984`, and none `14/05/1984`. */
export function isMonthFirst(words: readonly string[]): boolean {
  const pairs = words.flatMap((word) => {
    const [, first, slashed, hyphened] = SWAPPABLE.exec(word) ?? [];
    return first === undefined ? [] : [[Number(first), Number(slashed ?? hyphened)] as const];
  });
  const isDay = (one: number) => one > 12 && one <= 31;
  const isMonth = (one: number) => one >= 1 && one <= 12;
  return pairs.some(([a, b]) => isMonth(a) && isDay(b)) && !pairs.some(([a, b]) => isDay(a) && isMonth(b));
}

/** A label after which `findDate` and `readValue` read dates with the month first. */
export const MONTH_FIRST_LABEL = 'mm/dd';

/** The date of a text in a document whose dates have the month first. */
export const readMonthFirst = (text: string): string | undefined => findDate(text, undefined, MONTH_FIRST_LABEL)?.value;

/** Not with hyphens and a short year: telephone numbers. */
const SWAPPABLE = /^\(?(\d{1,2})(?:\/(\d{1,2})\/(?:\d{4}|\d{2})|-(\d{1,2})-\d{4})[),.;]?$/u;

/** The date that an editor or a client entered. */
export function parseDate(text: string): string | undefined {
  const trimmed = text.trim();
  // Date inputs have `0019` while the year is typed; `findDate` would read 2019.
  if (/^0\d{3}-/u.test(trimmed)) return undefined;
  const found = findDate(trimmed);
  if (!found) return undefined;
  const rest = trimmed.slice(0, found.start) + trimmed.slice(found.end);
  return /[\p{L}\d]/u.test(rest.replace(/(^|\s)(г|года|год)\.?$/u, '')) ? undefined : found.value;
}

const MONTH_FIRST = /(?<!\p{L})mm?\s?[/.-]\s?dd?(?!\p{L})/iu;
/** Numbers with separators in which OCR confused digits with letters: `О5.О3.1999`. */
const CONFUSED_DIGITS = /(?<!\p{L})[\dOОоoЗзlI|бБВ]{1,4}(?:[./-][\dOОоoЗзlI|бБВ]{1,4}){1,2}(?!\p{L})/gu;

const YEAR = String.raw`(?<y>\d{4}|\d{2}\s{1,3}\d{2}|\d{2})(?!\d)`;
/** `19__ г.` is printed, and the rest is written into the blank. Another number may follow a year of two digits. */
const PRINTED_CENTURY = String.raw`(?:19|20)\s{1,3}\d{2}(?=\s{0,2}(?:г|$))`;
const DAY = String.raw`(?<!\d)(?<d>\d{1,2})`;
const ROMAN = '[IVXХІl]{1,4}';
/** A Roman month as OCR reads it: II as П, III as Ш, and I as 1 beside another letter, or as Т after X. */
const MISREAD_ROMAN = '(?=1?[VXХПШ])[IVXХІlПШ1ТT]{1,4}';
const NAME = String.raw`(?<m>\p{L}{3,9})`;
const CLOSING_QUOTE = `[»"”“>'’)]`;
const ENDING = '(?:-?(?:го|ое|е|st|nd|rd|th))?';

// eslint-disable-next-line no-restricted-syntax -- composed of constants; a test bounds the time for 10,000 characters
const pattern = (...parts: string[]): RegExp => new RegExp(parts.join(''), 'gu');

const PATTERNS: readonly RegExp[] = [
  // 1987-03-12
  pattern(String.raw`(?<!\d)(?<y>\d{4})(?<separator>[-./])(?<m>\d{1,2})\k<separator>(?<d>\d{1,2})(?!\d)`),
  // 12.03.1987
  pattern(
    DAY,
    String.raw`\s?(?<separator>[./-])\s?(?<m>\d{1,2}|${ROMAN})\s?[./-]\s?(?<y>\d{4}|${PRINTED_CENTURY}|\d{2})(?!\d)`,
  ),
  // 8/I 1999
  pattern(DAY, String.raw`${CLOSING_QUOTE}?(?:\s?[./-]\s?|\s)(?<m>${ROMAN})(?:\s?[./-]\s?|\s)(?<y>\d{4})(?!\d)`),
  // 18 02 1954
  pattern(String.raw`(?<!\d|\d[.,\s])(?<d>\d{2})\s(?<m>\d{2})[\s.]{1,2}(?<y>\d{4})(?!\d|\s\d)`),
  // 1954 02 18
  pattern(String.raw`(?<!\d|\d[.,\s])(?<y>(?:19|20)\d{2})\s(?<m>\d{2})\s(?<d>\d{2})(?!\d|[.,\s]\d)`),
  // "4" 12 1995
  pattern(DAY, String.raw`\s?${CLOSING_QUOTE}\s{0,3}(?<m>\d{1,2})[\s./-]{1,3}(?<y>\d{4})(?!\d)`),
  // 12th day of March, 1987
  pattern(DAY, ENDING, String.raw`(?:\s*${CLOSING_QUOTE}+)?[\s.-]*(?:дня\s+|day\s+)?(?:of\s+)?${NAME}[.,\s-]*${YEAR}`),
  // March 12, 1987; октября 27 дня 1971
  pattern(NAME, String.raw`\.?\s+(?:the\s+)?(?<d>\d{1,2})`, ENDING, String.raw`(?:\s+дня)?,?\s+(?<y>\d{4})(?!\d)`),
];

/** Numbers of documents are similar: `№ 3/П-20`, `12-П-80`. */
const MISREAD_MONTHS: readonly RegExp[] = [
  pattern('(?<!№ ?)', DAY, String.raw`\s?[./-]\s?(?<m>${MISREAD_ROMAN})\s?[./-]\s?(?<y>\d{4})(?!\d)`),
  pattern('(?<!№ ?)', DAY, String.raw`\s?[./]\s?(?<m>${MISREAD_ROMAN})\s?[./]\s?(?<y>\d{2})(?!\d)`),
  pattern('(?<!№ ?)', DAY, String.raw`(?:\s?[./]\s?|\s)(?<m>${MISREAD_ROMAN})\s(?<y>\d{4})(?!\d)`),
];

function findInDigits(
  text: string,
  patterns: readonly RegExp[],
  { thisYear, isMonthFirst }: { readonly thisYear: number; readonly isMonthFirst: boolean },
): Found<string> | undefined {
  const searched = text.replaceAll('_', ' ');
  for (const one of patterns) {
    for (const match of searched.matchAll(one)) {
      const { y, m, d, separator } = match.groups as Record<'y' | 'm' | 'd' | 'separator', string>;
      const [year, month, day] = [
        fullYear(y, thisYear),
        /^\d+$/u.test(m) ? Number(m) : parseMonth(patterns === MISREAD_MONTHS ? plainRoman(m) : m),
        Number(d),
      ];
      const isDayFirst = match[0].startsWith(d) && !(y.length === 4 && match[0].startsWith(y));
      const isSwapped = isDayFirst && (separator === '/' || separator === '-');
      const asWritten = isSwapped && isMonthFirst ? undefined : isoDate(year, month, day);
      const value = asWritten ?? (isSwapped && month ? isoDate(year, day, month) : undefined);
      if (value === undefined) continue;
      const start = isDayFirst ? quoteStart(searched, match.index) : match.index;
      return { value, start, end: match.index + match[0].length };
    }
  }
  return undefined;
}

const plainRoman = (month: string): string =>
  month
    .replaceAll('Ш', 'III')
    .replaceAll('П', 'II')
    .replace(/(?<=[XХ]I?)[ТT]/gu, 'I');

/** Start of the spaces and quotation marks before the day at `index`. */
function quoteStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && /\s/u.test(text[start - 1]!)) start--;
  while (start > 0 && OPENING_QUOTES.has(text[start - 1]!)) start--;
  return start < index && OPENING_QUOTES.has(text[start]!) ? start : index;
}

const OPENING_QUOTES = new Set('«"“„<\'‘(');
