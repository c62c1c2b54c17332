import type { JsonObject, JsonValue } from '../../../base/json.ts';

/** Removes NUL and replaces unpaired surrogates by U+FFFD, which PostgreSQL cannot store. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\uFFFD');

export function cleanJson(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [cleanText(name), clean(value)]));
}

function clean(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(clean) : cleanJson(value);
}
