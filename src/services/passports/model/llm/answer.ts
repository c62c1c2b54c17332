import { createOnce } from '../../../../base/create-once.ts';
import type { Field } from '../../extraction.ts';
import { hasCentreIn } from '../../page-geometry.ts';
import { resolveKey } from '../../schema/keys.ts';
import type { Schema, ValueSpec } from '../../schema/schema.ts';
import { parseGroup } from '../field-network/read-values.ts';
import { createField } from '../fields/create-field.ts';
import { type Token, tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
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
    const target = typeof key === 'string' ? resolveKey(schema, key) : undefined;
    // Only people insert rows between others.
    const name = target?.kind === 'cell' && !Number.isInteger(target.row) ? undefined : target;
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
      const field = fieldOf(tokensOf(numbers as number[], words), name.spec);
      if (field) fields[key] ??= field;
    }
  }
  return errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : { fields };
}

/** Reads the words as those of a value that the reader finds, with the unit in the label before them. */
function fieldOf(tokens: readonly Token[], spec: ValueSpec): Field | undefined {
  const parsed = tokens.length > 0 ? parseGroup({ tokens, score: 0, lowest: 0 }, spec) : undefined;
  // The model gives no calibrated confidence.
  return parsed && { ...createField(parsed.tokens, parsed.value, 0), confidence: null, source: 'model' };
}

/** The tokens of the words on the page of the first one; characters in boxes are joined to one token. */
function tokensOf(numbers: readonly number[], words: readonly NumberedWord[]): Token[] {
  const { page } = words[numbers[0]!]!;
  const { tokens, page: joined } = sheetsOf(words).get(page)!;
  const plain = new Set(page.words);
  const found = numbers.flatMap((n) => {
    const { word, page: own } = words[n]!;
    return tokens.filter((token) => {
      const source = joined.words[token.word]!;
      return own === page && (source === word || (!plain.has(source) && hasCentreIn(word.box, source.box)));
    });
  });
  return [...new Set(found)];
}

const sheetsOf = createOnce((words: readonly NumberedWord[]) => {
  const pages = [...new Set(words.map(({ page }) => page))];
  const sheets = tokenizePages(pages, VALUE_BOUNDARY);
  return new Map(pages.map((page, i) => [page, sheets[i]!]));
});

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
