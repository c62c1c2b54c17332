import type { Field } from '../../extraction.ts';

// Above it, the rules are right more often than the model.
const MIN_CONFIDENCE = 0.75;

/** Prefers confident fields of the rules. Takes a table from one source, because rows of two sources do not correspond. */
export function mergeFields(
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

const tableOf = (key: string): string | undefined => /^([^:]+):\d+\./.exec(key)?.[1];
