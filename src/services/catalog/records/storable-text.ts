import type { JsonObject, JsonValue } from '../../../base/json.ts';

/** Removes NUL and replaces unpaired surrogates by U+FFFD, which PostgreSQL cannot store. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\uFFFD');

export function toStorableJson(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [toStorableText(name), clean(value)]));
}

function clean(value: JsonValue): JsonValue {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(clean) : toStorableJson(value);
}
