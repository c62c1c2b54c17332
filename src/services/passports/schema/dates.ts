import type { Found } from './numbers.ts';

/**
 * Finds the first date in `text`: `12.03.1987`, `12.03.87`, `1987-03-12`, `12/03/1987` (day first), `12.III.1987`, `12
 * марта 1987 г.`, `« 14 » сентября 20 06 г.`, `March 12, 1987`, or in words (`двенадцатое марта две тысячи шестого
 * года`). Two-digit years are in the hundred years before `thisYear` + 1.
 */
export function findDate(text: string, thisYear = new Date().getUTCFullYear()): Found<string> | undefined {
  return inDigits(text, thisYear) ?? inWords(text);
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

const ISO = /(?<!\d)(?<y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})(?!\d)/gu;
const NUMERIC = /(?<!\d)(?<d>\d{1,2})\s?[./-]\s?(?<m>\d{1,2}|[IVXХІ]{1,4})\s?[./-]\s?(?<y>\d{4}|\d{2})(?!\d)/gu;
const WITH_MONTH_NAME =
  /(?<!\d)(?<d>\d{1,2})(?:-?(?:го|ое|е|st|nd|rd|th))?(?:\s*[»"”“>'’)]+)?\s*(?<m>\p{L}{3,9})\.?,?\s*(?<y>\d{4}|\d{2}\s\d{2}|\d{2})(?!\d)/gu;
const ENGLISH = /(?<m>\p{L}{3,9})\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y>\d{4})(?!\d)/gu;

function inDigits(text: string, thisYear: number): Found<string> | undefined {
  for (const pattern of [ISO, NUMERIC, WITH_MONTH_NAME, ENGLISH]) {
    const isForm = pattern === WITH_MONTH_NAME;
    const searched = isForm ? text.replaceAll('_', ' ') : text;
    for (const match of searched.matchAll(pattern)) {
      const { y, m, d } = match.groups as Record<'y' | 'm' | 'd', string>;
      const value = iso(fullYear(y, thisYear), /\d/u.test(m) ? Number(m) : month(m), Number(d));
      if (value === undefined) continue;
      const start = isForm ? quoteStart(searched, match.index) : match.index;
      return { value, start, end: match.index + match[0].length };
    }
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

const numbered = (stems: string, first: number, step: number) =>
  stems.split(' ').map((stem, i): [stem: string, number: number] => [stem, first + i * step]);

// Stems of ordinals; those that begin with another one come first: "пятнадцат" before "пят".
const ORDINALS = [
  ...numbered('десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат шестнадцат', 10, 1),
  ...numbered('семнадцат восемнадцат девятнадцат', 17, 1),
  ...numbered('двадцат тридцат сорок пятьдесят шестьдесят семьдесят восемьдесят девяност', 20, 10),
  ...numbered('пятидесят шестидесят семидесят восьмидесят', 50, 10),
  ...numbered('перв втор трет четверт пят шест седьм восьм девят', 1, 1),
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
    const known = ORDINALS.find(([stem]) => word.replaceAll('ё', 'е').startsWith(stem));
    if (!known) return undefined;
    sum += known[1];
  }
  return words.length === 0 ? undefined : sum;
}

function inWords(text: string): Found<string> | undefined {
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
