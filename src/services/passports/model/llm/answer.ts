import type { Field } from '../../extraction.ts';
import type { Box } from '../../page.ts';
import { onPage } from '../../page.ts';
import { named } from '../../schema/keys.ts';
import type { Schema } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import type { NumberedWord } from './question.ts';

/** What a model answered, read: the fields it points at, or why it cannot be followed, in words that it can act on. */
export type ModelAnswer = { readonly fields: Record<string, Field> } | { readonly wrong: readonly string[] };

/** The answer as JSON Schema, for servers that hold a model to one. */
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
} as const;

const MOST_WORDS_OF_A_VALUE = 60;
// More than these are not worth telling: a model that errs in all of them has not understood.
const MOST_COMPLAINTS = 12;

/**
 * The fields in `text`, a model's answer. Each is made of words of the pages and so has a place; what its words come to
 * is read by the same rules as everything else. Values that are none of their type are left out; keys and numbers that
 * do not exist make the answer wrong.
 */
export function readAnswer(text: string, words: readonly NumberedWord[], schema: Schema): ModelAnswer {
  const chosen = parsed(text);
  if (!chosen) return { wrong: ['The answer is not a JSON object {"fields":[{"key":"…","words":[…]}]}.'] };
  const fields: Record<string, Field> = {};
  const wrong: string[] = [];
  for (const entry of chosen) {
    const { key, words: numbers } = (entry ?? {}) as { key?: unknown; words?: unknown };
    const name = typeof key === 'string' ? named(schema, key) : undefined;
    if (typeof key !== 'string' || !name) wrong.push(`${JSON.stringify(key)} is no key of a field.`);
    else if (
      !Array.isArray(numbers) ||
      numbers.length > MOST_WORDS_OF_A_VALUE ||
      !numbers.every((n) => Number.isInteger(n) && words[n as number])
    ) {
      wrong.push(
        `${key}: "words" is to be a list of at most ${MOST_WORDS_OF_A_VALUE} numbers of words, 0 to ${words.length - 1}.`,
      );
    } else if (numbers.length > 0) {
      const field = fieldOf(
        (numbers as number[]).map((n) => words[n]!),
        name.spec,
      );
      if (field) fields[key] ??= field;
    }
  }
  return wrong.length > 0 ? { wrong: wrong.slice(0, MOST_COMPLAINTS) } : { fields };
}

function fieldOf(words: readonly NumberedWord[], spec: Parameters<typeof readValue>[0]): Field | undefined {
  const { page } = words[0]!;
  const here = words.filter((one) => one.page === page);
  const text = here.map(({ word }) => word.text).join(' ');
  const found = readValue(spec, text);
  if (!found) return undefined;
  const boxes = here.map(({ word }) => word.box);
  const around: Box = [
    Math.min(...boxes.map(([x0]) => x0)),
    Math.min(...boxes.map(([, y0]) => y0)),
    Math.max(...boxes.map(([, , x1]) => x1)),
    Math.max(...boxes.map(([, , , y1]) => y1)),
  ];
  // A model says nothing about how sure it is that could be measured.
  return { value: found.value, confidence: null, source: 'model', page: page.page, bbox: onPage(page, around), text };
}

/** The list in the answer; models like to wrap their JSON in words and fences. */
function parsed(text: string): readonly unknown[] | undefined {
  const begin = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (begin < 0 || end < begin) return undefined;
  try {
    const { fields } = JSON.parse(text.slice(begin, end + 1)) as { fields?: unknown };
    return Array.isArray(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
