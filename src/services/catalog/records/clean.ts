import type { JsonObject, JsonValue } from '../../../base/json.ts';

/** The text as PostgreSQL can keep it: without NUL, and with halves of characters replaced (U+FFFD). All else stays. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\uFFFD');

/** The same for all text in it, names of members too. */
export function cleanJson(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [cleanText(name), clean(value)]));
}

function clean(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(clean) : cleanJson(value);
}
