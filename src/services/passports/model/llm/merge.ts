import type { Field } from '../../extraction.ts';

// From here on the rules are right more often than a model that contradicts them.
const SURE = 0.75;

/**
 * The fields of the rules and those of a model together: the model's where the rules found nothing or are unsure, the
 * rules' where they are sure or both say the same. A table is taken as a whole, since rows of two readings do not match.
 */
export function merged(
  rules: Readonly<Record<string, Field>>,
  model: Readonly<Record<string, Field>>,
): Record<string, Field> {
  const read = new Set(Object.keys(rules).flatMap((key) => tableOf(key) ?? []));
  const all: Record<string, Field> = { ...rules };
  for (const [key, field] of Object.entries(model)) {
    const table = tableOf(key);
    const known = rules[key];
    const agrees = known !== undefined && String(known.value) === String(field.value);
    const sure = known !== undefined && (known.confidence ?? 0) >= SURE;
    if (table !== undefined ? !read.has(table) : !agrees && !sure) all[key] = field;
  }
  return all;
}

/** The section of a cell's key; undefined for a field's. */
const tableOf = (key: string): string | undefined => /^([^:]+):\d+\./.exec(key)?.[1];
