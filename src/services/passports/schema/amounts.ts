import { findNumberWords } from './number-words.ts';
import { type Found, findNumber } from './numbers.ts';
import type { ValueSpec } from './schema.ts';

/**
 * Finds the first number in `text`, in digits or in words, and converts it to the unit of `spec`: `64-4 кв. м`,
 * `2 м 80 см`, `18 640 руб. 25 коп.`, `565,2 т.р.`, `сорок четыре процента`.
 */
export function findAmount(spec: ValueSpec, text: string, label: string): Found<number> | undefined {
  const words = amountInWords(spec, text);
  const ofMoney = spec.unit === 'rub' ? withoutYears(text) : undefined;
  const digits = findNumber(ofMoney === undefined ? text : regroup(ofMoney), spec.decimals);
  if (words && (!digits || words.start < digits.start)) return words;
  if (!digits) return undefined;
  const first = spec.minimum !== undefined && spec.minimum >= 0 ? { ...digits, value: Math.abs(digits.value) } : digits;
  const converted = fromImperial(spec, text, label, first);
  if (converted) return Number.isNaN(converted.value) ? undefined : converted;
  const number = addDashDecimals(spec, text, first);
  const factor = unitFactor(spec.unit, text.slice(number.end)) ?? unitFactor(spec.unit, label) ?? 1;
  // Amounts in thousands of roubles have three decimals: the separator is no grouping.
  const value = factor >= 1000 && ofMoney !== undefined ? (findNumber(ofMoney)?.value ?? number.value) : number.value;
  if (factor !== 1) return { ...number, value: round(value * factor) };
  const amount = addMinorUnits(spec, text, addWordsInBrackets(spec, text, number));
  return { ...amount, value: round(inMetres(spec, amount.value)) };
}

/**
 * A number with an imperial unit in metres: `8' 6"`, `9 ft 10½ in`, `0.25 acre`. Its value is `NaN` for a range, or for a unit
 * that is not converted.
 */
function fromImperial(spec: ValueSpec, text: string, label: string, number: Found<number>): Found<number> | undefined {
  const after = text.slice(number.end);
  const fraction = FRACTION.exec(after)?.[0] ?? '';
  const rest = after.slice(fraction.length);
  const range = RANGE.exec(after);
  const rangeFactor = unitFactor(spec.unit, range?.[1] ?? '');
  const mark = spec.unit === 'm' ? factorOfMark(text.slice(0, number.end), rest) : undefined;
  const factor = mark ?? unitFactor(spec.unit, rest) ?? unitFactor(spec.unit, label) ?? rangeFactor;
  if (factor === undefined || !IMPERIAL.has(factor)) return undefined;
  const inches = factor === FOOT ? INCHES.exec(rest) : null;
  if (range && !inches && IMPERIAL.has(rangeFactor ?? factor)) return { ...number, value: NaN };
  const value =
    (number.value + fractionOf(fraction)) * factor + (Number(inches?.[1] ?? 0) + fractionOf(inches?.[2])) * INCH;
  const length = fraction.length + (inches?.[0].length ?? 0);
  return { ...number, value: Math.round(100 * value) / 100, end: number.end + length };
}

/**
 * Of `8'` and `102"`, not of quoted numbers and metres with a speck of a scan: `"2.5"`, `2.5 "`, `2,50'`. Feet may have one decimal
 * and inches none.
 */
function factorOfMark(upToNumber: string, rest: string): number | undefined {
  if (FOOT_MARK.test(rest) && /(?<![\d.,])\d{1,6}(?:\.\d)?$/u.test(upToNumber)) return FOOT;
  return INCH_MARK.test(rest) && /(?:^|[^\d.,"″”“«])\d{1,6}$/u.test(upToNumber) ? INCH : undefined;
}

function fractionOf(text = ''): number {
  const [, above, below] = /(\d{1,2})\/(\d{1,2})/u.exec(text) ?? [];
  return below === undefined ? (FRACTIONS[text.trim()] ?? 0) : Number(above) / Number(below);
}

const FRACTIONS: Readonly<Record<string, number>> = {
  ...{ '¼': 1 / 4, '½': 1 / 2, '¾': 3 / 4, '⅛': 1 / 8, '⅜': 3 / 8, '⅝': 5 / 8, '⅞': 7 / 8, '⅓': 1 / 3, '⅔': 2 / 3 },
};

/** With spaces in place of years, such as that of the prices: `в ценах 2001 г. 753 880,11`. */
const withoutYears = (text: string): string =>
  text.replace(/(?<![\d.,])(?:19|20)\d\d(?= ?(?:г|год\p{L}*)(?![\p{L}\d]))/giu, (year) => ' '.repeat(year.length));

/** OCR loses spaces: `4055 503` and `22 312475` are one amount each. */
const regroup = (text: string): string =>
  text.replace(/(?<![\d.,:/-])(?:\d{4,6}(?: \d{3})+|\d{1,3} \d{6})(?![\d.:/-])/gu, (digits) =>
    digits.replaceAll(' ', '').padEnd(digits.length, ' '),
  );

/** A number in words before its unit, or one that is the whole text. */
function amountInWords(spec: ValueSpec, text: string): Found<number> | undefined {
  const numbers = findNumberWords(text);
  const [first] = numbers;
  if (!first) return undefined;
  const isWhole = !/[\p{L}\d]/u.test(text.slice(0, first.start) + text.slice(first.end));
  const isBeforeUnit = ({ end }: Found<number>) => unitFactor(spec.unit, text.slice(end, end + MAX_CHARACTERS)) === 1;
  const found = isWhole ? first : numbers.find(isBeforeUnit);
  return found && addMinorUnits(spec, text, found);
}

/** The decimals after a dash or an equals sign: `64-4`, `2-90`, `140675=93`, `71.308 - 50`. */
function addDashDecimals(spec: ValueSpec, text: string, number: Found<number>): Found<number> {
  const pattern = DASH_DECIMALS[spec.unit ?? ''];
  const after = text.slice(number.end);
  const hasDecimals = /[.,] ?\d{1,2}$/u.test(text.slice(number.start, number.end));
  const match =
    hasDecimals || !Number.isInteger(number.value)
      ? null
      : (pattern?.exec(after) ?? (METRIC.has(spec.unit) && MISREAD_DECIMALS.exec(after)));
  if (!match) return number;
  const decimals = match[1]!;
  return {
    ...number,
    value: number.value + Number(decimals) / 10 ** decimals.length,
    end: number.end + match[0].length,
  };
}

// One digit of metres or roubles is the end of a range: "2-3 м".
const DASH_DECIMALS: Readonly<Record<string, RegExp>> = {
  m2: /^ ?[-–=] ?(\d{1,2})(?![\d:=/-]|[.,]\d|\s\d)/u,
  m: /^ ?[-–=] ?(\d{2})(?![\d:=/-]|[.,]\d)/u,
  rub: /^ ?[-–=] ?(\d{2})(?![\d:=/-]|[.,]\d|\s\d{3})/u,
};

/** At the end or before a unit: OCR reads the point or comma of `3:15` and `24;6` as another sign. */
const MISREAD_DECIMALS = /^[:;](\d{1,2})(?=[.,]?\s{0,3}(?:$|кв|м|куб|m|sq))/u;

const METRIC: ReadonlySet<string | undefined> = new Set(['m', 'm2', 'm3']);

/** `511 479 (пятьсот … рублей 65 копеек)`: only the words contain the kopecks. */
function addWordsInBrackets(spec: ValueSpec, text: string, number: Found<number>): Found<number> {
  const match = /^[^()\d]{0,15}\(([^()]{3,300})\)/u.exec(text.slice(number.end));
  const words = match && amountInWords(spec, match[1]!);
  if (!words) return number;
  const value = Number.isInteger(number.value) && Math.floor(words.value) === number.value ? words.value : number.value;
  return { ...number, value, end: number.end + match[0].length };
}

/** Adds the second part of `25 руб. 65 коп.` or `2 м 80 см`. */
function addMinorUnits(spec: ValueSpec, text: string, number: Found<number>): Found<number> {
  const [major, minor] = PARTS[spec.unit ?? ''] ?? [];
  const mark = Number.isInteger(number.value) && major?.exec(text.slice(number.end, number.end + MAX_CHARACTERS));
  if (!mark || !minor) return number;
  const from = number.end + mark[0].length;
  const rest = text.slice(from, from + MAX_CHARACTERS);
  const digits = /^\s*(\d{1,2})(?!\d)/u.exec(rest);
  const words = findNumberWords(rest)[0];
  const part = digits ? { value: Number(digits[1]), start: 0, end: digits[0].length } : words;
  const unit = part && part.start <= 1 && part.value < 100 ? minor.exec(rest.slice(part.end)) : null;
  if (!part || !unit) return number;
  return { ...number, value: number.value + part.value / 100, end: from + part.end + unit[0].length };
}

/** Limit of a unit, or of a second part with its unit: `девяносто девять сантиметров`. */
const MAX_CHARACTERS = 60;

/** Heights without a unit that are impossible in metres are in centimetres (`320`) or millimetres (`2940`). */
function inMetres({ unit, maximum }: ValueSpec, value: number): number {
  if (unit !== 'm' || maximum === undefined || value <= maximum || !Number.isInteger(value)) return value;
  if (value >= 1000) return value / 1000;
  return value >= 100 ? value / 100 : value;
}

// Avoids sums like 0.30000000000000004.
const round = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The factor from the unit in `text` (after a number, or in a label) to `unit`; `NaN` for one that is not converted. */
export function unitFactor(unit: string | undefined, text: string): number | undefined {
  for (const [pattern, factor] of UNITS[unit ?? ''] ?? []) if (pattern.test(text)) return factor;
  return undefined;
}

/** The units of a value in two parts: `руб.` and `коп.`, `м` and `см`. Both patterns match at the start of a text. */
const PARTS: Readonly<Record<string, readonly [major: RegExp, minor: RegExp]>> = {
  rub: [
    /^\s*(?:руб\p{L}*|р(?!\p{L})|₽|rub|[€£$]|(?:us )?dollars?|pounds?(?: sterling)?|euros?|rou?bles?)[\s.,–-]{0,5}/iu,
    /^\s*(?:коп\p{L}*|к|kopecks?|kopeks?|cents?|pence|penny)(?!\p{L})\.?/iu,
  ],
  m: [/^\s*(?:м|метр\p{L}*|m|met(?:re|er)s?)(?!\p{L})[\s.,]{0,5}/iu, /^\s*(?:см|сантиметр\p{L}*|cm)(?!\p{L})\.?/iu],
};

// A unit follows the number directly, or the last comma or bracket of a label.
// eslint-disable-next-line no-restricted-syntax -- composed of constants; a test bounds the time for 10,000 characters
const unit = (words: string): RegExp => new RegExp(`(?:^|[,(])\\s*(?:${words})(?![\\p{L}\\d])`, 'iu');

// International units in metres and square metres.
const FOOT = 0.3048;
const INCH = FOOT / 12;
const YARD = 3 * FOOT;
const SQUARE_FOOT = FOOT * FOOT;
const SQUARE_YARD = YARD * YARD;
const ACRE = 4840 * SQUARE_YARD;
const IMPERIAL: ReadonlySet<number> = new Set([FOOT, INCH, YARD, SQUARE_FOOT, SQUARE_YARD, ACRE, NaN]);
const FOOT_MARK = /^\s?['′’](?!['′’])/u;
const INCH_MARK = /^(?:["″”]|['′’]{2})/u;
const FRACTION = /^(?:\s?[¼-¾⅓⅔⅛-⅞]|[\s-]\d\/\d{1,2}(?!\d))/u;
/** `ft 6 in`, `'-6 1/2"`. */
const INCHES =
  /^\s?(?:ft|feet|foot|['′’](?!['′’]))[.,]?\s?(?:and\s|[&–-]\s?)?(\d{1,2}(?:\.\d{1,2})?(?![\d/]))?(\s?[¼-¾⅓⅔⅛-⅞]|[\s-]?\d\/\d{1,2})?\s?(?:in(?:ch|ches)?(?!\p{L})|["″”]|['′’]{2}|$)/iu;
/** The second number of `8-9 ft` or `8' to 9'`, with the text after it. */
const RANGE = /^\s?(?:ft|feet|foot|['′’])?\.?\s?(?:[–—/xх×-]|to\s)\s?\d[\d.,]*(.*)/isu;

const UNITS: Readonly<Record<string, readonly [RegExp, number][]>> = {
  m2: [
    [unit('га|гектар\\p{L}*|ha|hectares?'), 10_000],
    [unit('сот\\.?|сотк\\p{L}*|соток|ар'), 100],
    [unit('(?:кв\\.?|квадратн\\p{L}*)\\s*м\\p{L}*|м\\.?\\s?кв|м²|м2|m²|m2|sq\\.?\\s*m'), 1],
    [unit('(?:sq\\.?|square)\\s*(?:ft|feet|foot)|(?:ft|feet)\\s?\\^?[²2]|sf'), SQUARE_FOOT],
    [unit('(?:sq\\.?|square)\\s*(?:yds?|yards?)|yds?\\s?\\^?[²2]'), SQUARE_YARD],
    [unit('acres?'), ACRE],
    [unit('(?:sq\\.?|square)\\s*(?:in|inches|miles?)|ft|feet|foot|yds?|yards?'), NaN],
  ],
  m: [
    // Not `(см. план)`, "see the plan".
    [unit('см(?!\\.\\s*\\p{L})|cm|сантиметр\\p{L}*'), 0.01],
    [unit('мм|mm'), 0.001],
    [unit('м|m|метр\\p{L}*|met(?:re|er)s?'), 1],
    [unit('ft|feet|foot'), FOOT],
    [unit('yds?|yards?'), YARD],
    // Not `(in metres)`.
    [unit('in(?!\\.?\\s*[\\p{L}\\d])|inch(?:es)?'), INCH],
  ],
  rub: [
    [unit('тыс\\p{L}*\\.?|т\\.?\\s?р(?:уб\\p{L}*)?|thousands?'), 1_000],
    [unit('млн\\.?|миллион\\p{L}*|millions?'), 1_000_000],
    [unit('руб\\p{L}*|р|rou?bles?|rub|(?:us )?dollars?|pounds?(?: sterling)?|euros?|usd|gbp|eur'), 1],
    [/^\s*[₽€£$]/u, 1],
  ],
  percent: [
    [/^\s*%/u, 1],
    [unit('проц\\p{L}*|per\\s?cent|p\\.c'), 1],
  ],
};
