import { parseRoman } from './roman.ts';

/** The number of the month that `word` names: Russian in any case, English, abbreviated, or a Roman numeral. */
export function parseMonth(word: string): number | undefined {
  const small = word.toLowerCase();
  const month = MONTHS.get(small) ?? (SHORT_NAMES.test(small) ? undefined : MONTHS.get(small.slice(0, 3)));
  if (month !== undefined) return month;
  const roman = parseRoman(word);
  return roman !== undefined && roman <= 12 ? roman : undefined;
}

/** Words that only begin like a short name: `маяк`. */
const SHORT_NAMES = /^ма[йяе]./u;

/** The first three letters of each month. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  'янв jan|фев feb|мар mar|апр apr|май мая мае may|июн jun|июл jul|авг aug|сен sep|окт oct|ноя nov|дек dec'
    .split('|')
    .flatMap((names, i) => names.split(' ').map((name): [string, number] => [name, i + 1])),
);
