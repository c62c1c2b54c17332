export interface FoundDate {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the first date in `text`: `12.03.1987`, `12.03.87`, `1987-03-12`, `12/03/1987` (day first), `12.III.1987`, `12
 * марта 1987 г.`, `« 14 » сентября 20 06 г.`, `March 12, 1987`, or in words (`двенадцатое марта две тысячи шестого
 * года`). Two-digit years are in the hundred years before `thisYear` + 1.
 */
export function findDate(text: string, thisYear = new Date().getUTCFullYear()): FoundDate | undefined {
  for (const read of [numeric, withMonthName, english, inWords]) {
    const found = read(text, thisYear);
    if (found) return found;
  }
  return undefined;
}

export function parseDate(text: string): string | undefined {
  const trimmed = text.trim();
  const found = findDate(trimmed);
  if (!found) return undefined;
  const rest = trimmed.slice(0, found.start) + trimmed.slice(found.end);
  return /[\p{L}\d]/u.test(rest.replace(/(^|\s)(г|года|год)\.?$/u, '')) ? undefined : found.value;
}

const MONTHS: readonly RegExp[] = [
  /^(янв|jan)/u,
  /^(фев|feb)/u,
  /^(мар|mar)/u,
  /^(апр|apr)/u,
  /^(ма[йя]$|may)/u,
  /^(июн|jun)/u,
  /^(июл|jul)/u,
  /^(авг|aug)/u,
  /^(сен|sep)/u,
  /^(окт|oct)/u,
  /^(ноя|nov)/u,
  /^(дек|dec)/u,
];
const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];

function month(word: string): number | undefined {
  const small = word.toLowerCase();
  const index = MONTHS.findIndex((pattern) => pattern.test(small));
  if (index >= 0) return index + 1;
  const roman = ROMAN.indexOf(
    small.replaceAll('х', 'x').replaceAll('і', 'i').replaceAll('1', 'i').replaceAll('l', 'i'),
  );
  return roman >= 0 ? roman + 1 : undefined;
}

function iso(year: number, monthNumber: number | undefined, day: number): string | undefined {
  if (monthNumber === undefined || year < 1500 || year > 2200) return undefined;
  const date = new Date(Date.UTC(year, monthNumber - 1, day));
  const exists = date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, 10) : undefined;
}

function fullYear(written: string, thisYear: number): number {
  const year = Number(written.replace(/\s/gu, ''));
  if (year >= 100) return year;
  const century = Math.floor(thisYear / 100) * 100;
  return century + year > thisYear + 1 ? century - 100 + year : century + year;
}

function numeric(text: string, thisYear: number): FoundDate | undefined {
  const patterns = [
    /(?<!\d)(?<y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})(?!\d)/gu,
    /(?<!\d)(?<d>\d{1,2})\s?[./-]\s?(?<m>\d{1,2}|[IVXХІ]{1,4})\s?[./-]\s?(?<y>\d{4}|\d{2})(?!\d)/gu,
  ];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      const { y, m, d } = match.groups as Record<'y' | 'm' | 'd', string>;
      const value = iso(fullYear(y, thisYear), /\d/u.test(m) ? Number(m) : month(m), Number(d));
      if (value !== undefined) return at(match, value);
    }
  }
  return undefined;
}

function withMonthName(text: string, thisYear: number): FoundDate | undefined {
  const plain = text.replaceAll('_', ' ');
  const pattern =
    /(?<!\d)(?<d>\d{1,2})(?:-?(?:го|ое|е|st|nd|rd|th))?(?:\s*[»"”“>'’)]+)?\s*(?<m>\p{L}{3,9})\.?,?\s*(?<y>\d{4}|\d{2}\s\d{2}|\d{2})(?!\d)/gu;
  for (const match of plain.matchAll(pattern)) {
    const { y, m, d } = match.groups as Record<'y' | 'm' | 'd', string>;
    const value = iso(fullYear(y, thisYear), month(m), Number(d));
    if (value !== undefined) return { ...at(match, value), start: quoteStart(plain, match.index) };
  }
  return undefined;
}

/** Start of the spaces and quotation marks before the day at `index`. */
function quoteStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && /\s/u.test(text[start - 1]!)) start--;
  while (start > 0 && OPENING_QUOTES.has(text[start - 1]!)) start--;
  return start;
}

const OPENING_QUOTES = new Set('«"“„<\'‘(');

function english(text: string, thisYear: number): FoundDate | undefined {
  const pattern = /(?<m>\p{L}{3,9})\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y>\d{4})(?!\d)/gu;
  for (const match of text.matchAll(pattern)) {
    const { y, m, d } = match.groups as Record<'y' | 'm' | 'd', string>;
    const value = iso(fullYear(y, thisYear), month(m), Number(d));
    if (value !== undefined) return at(match, value);
  }
  return undefined;
}

const at = (match: RegExpExecArray, value: string): FoundDate => ({
  value,
  start: match.index,
  end: match.index + match[0].length,
});

// Stems of ordinals, longer ones first: "четырнадцат" before "четверт".
const ORDINALS: readonly [stem: string, number: number][] = [
  ['одиннадцат', 11],
  ['двенадцат', 12],
  ['тринадцат', 13],
  ['четырнадцат', 14],
  ['пятнадцат', 15],
  ['шестнадцат', 16],
  ['семнадцат', 17],
  ['восемнадцат', 18],
  ['девятнадцат', 19],
  ['двадцат', 20],
  ['тридцат', 30],
  ['сороков', 40],
  ['сорок', 40],
  ['пятидесят', 50],
  ['пятьдесят', 50],
  ['шестидесят', 60],
  ['шестьдесят', 60],
  ['семидесят', 70],
  ['семьдесят', 70],
  ['восьмидесят', 80],
  ['восемьдесят', 80],
  ['девяност', 90],
  ['десят', 10],
  ['перв', 1],
  ['втор', 2],
  ['трет', 3],
  ['четверт', 4],
  ['четвёрт', 4],
  ['пят', 5],
  ['шест', 6],
  ['седьм', 7],
  ['восьм', 8],
  ['девят', 9],
];
const HUNDREDS: readonly [stem: string, number: number][] = [
  ['девятьсот', 900],
  ['девятисот', 900],
  ['восемьсот', 800],
  ['семьсот', 700],
];

/** Parses a number below 100 in words (`двадцать первого`). */
function ordinal(words: readonly string[]): number | undefined {
  let sum = 0;
  for (const word of words) {
    const known = ORDINALS.find(([stem]) => word.startsWith(stem));
    if (!known) return undefined;
    sum += known[1];
  }
  return words.length === 0 ? undefined : sum;
}

function inWords(text: string): FoundDate | undefined {
  const words = [...text.toLowerCase().matchAll(/\p{L}+|\d{1,2}(?!\d)/gu)];
  for (const [i, match] of words.entries()) {
    const monthNumber = MONTHS.findIndex((pattern) => pattern.test(match[0])) + 1;
    if (monthNumber === 0) continue;
    for (const length of [2, 1]) {
      const first = words[i - length];
      const day = first && (digits(first[0]) ?? ordinal(words.slice(i - length, i).map(([word]) => word)));
      const year = yearInWords(words.slice(i + 1, i + 1 + MAX_YEAR_WORDS).map(([word]) => word));
      const value = day !== undefined && year ? iso(year.value, monthNumber, day) : undefined;
      if (!first || !year || value === undefined) continue;
      const last = words[i + year.words]!;
      return { value, start: first.index, end: last.index + last[0].length };
    }
  }
  return undefined;
}

const digits = (word: string): number | undefined => (/^\d/u.test(word) ? Number(word) : undefined);

/** One of the longest: одна тысяча девятьсот восемьдесят седьмого. */
const MAX_YEAR_WORDS = 5;

function yearInWords(words: readonly string[]): { value: number; words: number } | undefined {
  let value = 0;
  let i = 0;
  if (words[i] === 'одна') i++;
  if (words[i]?.startsWith('двухтысячн')) return { value: 2000, words: i + 1 };
  if (words[i] === 'две' && words[i + 1]?.startsWith('тысяч')) value = 2000;
  else if (words[i]?.startsWith('тысяча')) value = 1000;
  else return undefined;
  i += value === 2000 ? 2 : 1;
  const hundreds = HUNDREDS.find(([stem]) => words[i]?.startsWith(stem));
  if (hundreds) {
    value += hundreds[1];
    i++;
  }
  for (const length of [2, 1]) {
    const rest = ordinal(words.slice(i, i + length));
    if (rest !== undefined && words.length >= i + length) return { value: value + rest, words: i + length };
  }
  return undefined;
}
