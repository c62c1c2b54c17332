import type { Field } from '../../extraction.ts';

// At this confidence the rules are right more often than a model that contradicts them.
const MIN_CONFIDENCE = 0.75;

/**
 * Merges the fields of the rules and of a model: the model's where the rules found nothing or are below
 * {@link MIN_CONFIDENCE}. A table is taken as a whole from one source, because rows of two sources do not correspond.
 */
export function merged(
  rules: Readonly<Record<string, Field>>,
  model: Readonly<Record<string, Field>>,
): Record<string, Field> {
  const tables = new Set(Object.keys(rules).flatMap((key) => tableOf(key) ?? []));
  const result: Record<string, Field> = { ...rules };
  for (const [key, field] of Object.entries(model)) {
    const table = tableOf(key);
    const known = rules[key];
    const agrees = known !== undefined && String(known.value) === String(field.value);
    const isConfident = known !== undefined && (known.confidence ?? 0) >= MIN_CONFIDENCE;
    if (table !== undefined ? !tables.has(table) : !agrees && !isConfident) result[key] = field;
  }
  return result;
}

/** The section of a table cell's key; undefined for other keys. */
const tableOf = (key: string): string | undefined => /^([^:]+):\d+\./.exec(key)?.[1];
