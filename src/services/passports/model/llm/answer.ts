import type { Field } from '../../extraction.ts';
import { boundingBox, toPageBox } from '../../page-geometry.ts';
import { resolveKey } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import type { NumberedWord } from './prompt.ts';

/** The fields, or error messages for the model. */
export type ModelAnswer = { readonly fields: Record<string, Field> } | { readonly errors: readonly string[] };

export const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['fields'],
  properties: {
    fields: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['key', 'words'],
        properties: { key: { type: 'string' }, words: { type: 'array', items: { type: 'integer' } } },
      },
    },
  },
};

const MAX_WORDS_PER_VALUE = 60;
const MAX_ERRORS = 12;

/** Unknown keys and word numbers are errors; words that do not parse as the field's type are skipped. */
export function parseAnswer(text: string, words: readonly NumberedWord[], schema: Schema): ModelAnswer {
  const entries = parseEntries(text);
  if (!entries) return { errors: ['The answer is not a JSON object {"fields":[{"key":"…","words":[…]}]}.'] };
  const fields: Record<string, Field> = {};
  const errors: string[] = [];
  for (const entry of entries) {
    const { key, words: numbers } = (entry ?? {}) as { key?: unknown; words?: unknown };
    const name = typeof key === 'string' ? resolveKey(schema, key) : undefined;
    if (typeof key !== 'string' || !name) errors.push(`${JSON.stringify(key)} is not a field key.`);
    else if (
      !Array.isArray(numbers) ||
      numbers.length > MAX_WORDS_PER_VALUE ||
      !numbers.every((n) => Number.isInteger(n) && words[n as number])
    ) {
      errors.push(
        `${key}: "words" must be a list of at most ${MAX_WORDS_PER_VALUE} word numbers from 0 to ${words.length - 1}.`,
      );
    } else if (numbers.length > 0) {
      const field = fieldOf(
        (numbers as number[]).map((n) => words[n]!),
        name.spec,
      );
      if (field) fields[key] ??= field;
    }
  }
  return errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : { fields };
}

function fieldOf(words: readonly NumberedWord[], spec: Parameters<typeof readValue>[0]): Field | undefined {
  const { page } = words[0]!;
  const onSamePage = words.filter((one) => one.page === page);
  const text = onSamePage.map(({ word }) => word.text).join(' ');
  const parsed = readValue(spec, text);
  if (!parsed) return undefined;
  // The model gives no calibrated confidence.
  return {
    value: parsed.value,
    confidence: null,
    source: 'model',
    page: page.page,
    bbox: toPageBox(page, boundingBox(onSamePage.map(({ word }) => word.box))),
    text,
  };
}

/** Models often wrap the JSON in prose and code fences. */
function parseEntries(text: string): readonly unknown[] | undefined {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    const { fields } = JSON.parse(text.slice(start, end + 1)) as { fields?: unknown };
    return Array.isArray(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
