import { findNumberWords } from './number-words.ts';
import { type Found, findNumbers } from './numbers.ts';
import { parseRoman } from './roman.ts';
import type { ValueSpec } from './schema.ts';

/**
 * Finds the first integer within the limits of `spec`: in digits, in words (`на третьем этаже`, `двухэтажный`), as a
 * Roman numeral that is the whole text (`II этаж`), as the name of a floor (`подвал` is -1), or as a lone letter or stroke that
 * OCR read for a digit (`З-этажный`).
 */
export function findInteger(spec: ValueSpec, text: string): Found<number> | undefined {
  const isAllowed = ({ value }: Found<number>) =>
    Number.isInteger(value) && value >= (spec.minimum ?? -Infinity) && value <= (spec.maximum ?? Infinity);
  const isUnsigned = spec.minimum !== undefined && spec.minimum >= 0;
  // A comma with a space separates two integers.
  const digits = findNumbers(text.replace(/,(?= \d)/gu, ';'), 0)
    .map((found) => (isUnsigned ? { ...found, value: Math.abs(found.value) } : found))
    .find(isAllowed);
  const floor = floorName(spec, text);
  if (floor && (!digits || floor.start < digits.start)) return floor;
  return (
    digits ??
    findNumberWords(text).find(isAllowed) ??
    [romanNumeral(text), misreadDigit(text)].find((one) => one && isAllowed(one))
  );
}

/** Floors at or below the ground, for fields whose `minimum` includes them. */
function floorName({ minimum }: ValueSpec, text: string): Found<number> | undefined {
  for (const [pattern, value] of FLOOR_NAMES) {
    const match = minimum !== undefined && minimum <= value ? pattern.exec(text) : null;
    if (match) return { value, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

const FLOOR_NAMES: readonly (readonly [RegExp, number])[] = [
  [/(?<!\p{L})(?:полу|п\/)?подв(?:ал\p{L}*|\.)|(?<!\p{L})(?:basement|lower ground|LG)(?!\p{L})/iu, -1],
  [/(?<!\p{L})(?:цокол\p{L}*|цок\.)|(?<!\p{L})ground(?!\p{L})|^\s*(?:G|Gr)\.?\s*$/iu, 0],
];

function romanNumeral(text: string): Found<number> | undefined {
  const match = ROMAN_FLOOR.exec(text);
  const value = match ? parseRoman(match[1]!) : undefined;
  return value === undefined ? undefined : { value, start: 0, end: text.length };
}

const ROMAN_FLOOR =
  /^[\s(]*(?:на\s|[Ээ]таж\s?№?|[Ээ]т\.|[Ff]loor|[Ll]evel)?\s?([IVXХІ]{1,6})(?:-\p{L}{1,2})?\s?(?:этаж\p{L}{0,3}|эт|floors?|storeys?)?[\s.,)]*$/u;

/** A character that OCR reads for a lone digit, as the whole text or before the word for storeys. */
function misreadDigit(text: string): Found<number> | undefined {
  const match = MISREAD_DIGIT.exec(text) ?? MISREAD_STOREYS.exec(text);
  const value = match ? MISREAD[match[1]!] : undefined;
  return value === undefined ? undefined : { value, start: match!.index, end: match!.index + match![0].length };
}

const MISREAD_DIGIT = /^[\s(«]*([Ззб|[\]!l])[\s.,)»]*$/u;
const MISREAD_STOREYS = /(?<![\p{L}\d])([Ззб|[\]!l])(?=\s?(?:-\s?\p{L}{1,2}\s?)?-?\s?этаж)/u;
const MISREAD: Readonly<Record<string, number>> = { З: 3, з: 3, б: 6, '|': 1, '[': 1, ']': 1, '!': 1, l: 1 };
