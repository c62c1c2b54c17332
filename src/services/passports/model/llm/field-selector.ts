import { withTimeLimit } from '../../../../base/time-limit.ts';
import type { Field, Warning } from '../../extraction.ts';
import { type ChatMessages, createModelClient, ModelError, type ModelServerOptions } from '../../llm/client.ts';
import type { ReadPage } from '../../page-geometry.ts';
import type { Schema } from '../../schema/schema.ts';
import { ANSWER_SCHEMA, parseAnswer } from './answer.ts';
import { buildPrompt } from './prompt.ts';

const MAX_REPAIRS = 2;

/** `timeoutMs` is per document, including repairs. */
export function createFieldSelector({ timeoutMs, ...server }: ModelServerOptions & { readonly timeoutMs: number }) {
  const client = createModelClient(server);

  async function requestFields(pages: readonly ReadPage[], schema: Schema, signal: AbortSignal) {
    const { words, system, user } = buildPrompt(pages, schema);
    const messages: ChatMessages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
    for (let repairs = 0; repairs <= MAX_REPAIRS; repairs++) {
      const text = await client.complete(messages, ANSWER_SCHEMA, signal);
      const answer = parseAnswer(text, words, schema);
      if ('fields' in answer) return answer.fields;
      messages.push(
        { role: 'assistant', content: text.slice(0, 20_000) },
        {
          role: 'user',
          content: `Your answer is invalid:\n${answer.errors.join('\n')}\nRepeat the complete answer with corrections.`,
        },
      );
    }
    return undefined;
  }

  /** Merges the model's fields into the extracted ones; a model failure is a warning. Throws the signal's reason. */
  return async (
    pages: readonly ReadPage[],
    schema: Schema,
    extracted: Record<string, Field>,
    signal: AbortSignal,
  ): Promise<{ fields: Record<string, Field>; warnings: Warning[] }> => {
    const failed = (code: string, message: string) => ({ fields: extracted, warnings: [{ code, message }] });
    try {
      const chosen = await withTimeLimit(timeoutMs, signal, (limited) => requestFields(pages, schema, limited));
      if (chosen) return { fields: mergeFields(extracted, chosen), warnings: [] };
      return failed('LLM_INVALID', 'The language model did not respond in the requested format.');
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      return failed(error.code, error.message);
    }
  };
}

// Above it, extracted fields are right more often than those of the model.
const MIN_CONFIDENCE = 0.75;

/** Prefers confident extracted fields. Takes a table from one source, because rows of two sources do not correspond. */
function mergeFields(extracted: Record<string, Field>, model: Record<string, Field>): Record<string, Field> {
  const tables = new Set(Object.keys(extracted).flatMap((key) => tableOf(key) ?? []));
  const result = { ...extracted };
  for (const [key, field] of Object.entries(model)) {
    const table = tableOf(key);
    const known = extracted[key];
    const agrees = known !== undefined && String(known.value) === String(field.value);
    const isConfident = known !== undefined && (known.confidence ?? 0) >= MIN_CONFIDENCE;
    if (table !== undefined ? !tables.has(table) : !agrees && !isConfident) result[key] = field;
  }
  return result;
}

const tableOf = (key: string): string | undefined => /^([^:]+):\d+\./.exec(key)?.[1];
