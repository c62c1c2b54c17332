import { isoDate } from './calendar.ts';
import { parseMonth } from './months.ts';
import { parseWholeNumber, splitWords, type Word, type WordNumber } from './number-words.ts';
import type { Found } from './numbers.ts';

/**
 * Finds the first date in `text` whose day or year is in words: `двенадцатое марта две тысячи шестого года`, `fourteenth
 * day of November 2005`, `5 мая тысяча девятьсот десятого`, `nineteen eighty-five`.
 */
export function findDateInWords(text: string): Found<string> | undefined {
  const words = splitWords(text);
  for (const [i, word] of words.entries()) {
    const month = word.text.length > 2 ? parseMonth(word.text) : undefined;
    if (month === undefined) continue;
    const before = dayBefore(words, i);
    const day = before ?? dayAfter(words, i);
    if (!day) continue;
    const year = parseYear(words, skipFillers(words, before ? i + 1 : day.from + day.count));
    const value = year && isoDate(year.value, month, day.value);
    if (year && value !== undefined) {
      return { value, start: words[Math.min(i, day.from)]!.start, end: words[year.from + year.count - 1]!.end };
    }
  }
  return undefined;
}

type Position = WordNumber & { readonly from: number };

/** The day in at most two words that ends before the month at index `month`. */
function dayBefore(words: readonly Word[], month: number): Position | undefined {
  let end = month;
  while (end > 0 && FILLERS.has(words[end - 1]!.text)) end--;
  for (const from of [end - 2, end - 1]) {
    const day = from >= 0 ? parseDay(words, from) : undefined;
    if (day && from + day.count === end) return day;
  }
  return undefined;
}

/** `октября двадцать седьмого дня`. */
function dayAfter(words: readonly Word[], month: number): Position | undefined {
  const day = parseDay(words, skipFillers(words, month + 1));
  return day && words[day.from + day.count]?.text === 'дня' ? day : undefined;
}

function parseDay(words: readonly Word[], from: number): Position | undefined {
  const day = /^\d{1,2}$/u.test(words[from]?.text ?? '') ? digits(words, from) : parseNumber(words, from);
  return day && day.value >= 1 && day.value <= 31 ? day : undefined;
}

function parseYear(words: readonly Word[], from: number): Position | undefined {
  if (/^\d{4}$/u.test(words[from]?.text ?? '')) return digits(words, from);
  const first = parseNumber(words, from);
  if (!first || first.value >= 100) return first;
  // `nineteen eighty-five`
  const second = parseNumber(words, from + first.count);
  if (!second || second.value >= 100) return undefined;
  return { value: first.value * 100 + second.value, count: first.count + second.count, from };
}

const digits = (words: readonly Word[], from: number): Position => ({
  value: Number(words[from]!.text),
  count: 1,
  from,
});

function parseNumber(words: readonly Word[], from: number): Position | undefined {
  const number = words[from] && parseWholeNumber(words, from);
  return number && { ...number, from };
}

const FILLERS = new Set(['day', 'of', 'the', 'in', 'year', 'дня', 'числа']);

function skipFillers(words: readonly Word[], from: number): number {
  let at = from;
  while (at < words.length && FILLERS.has(words[at]!.text)) at++;
  return at;
}
