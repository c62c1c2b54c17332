import type { Field, Warning } from '../../extraction.ts';
import {
  type ChatMessages,
  createModelClient,
  ModelError,
  type ModelServerOptions,
  type ResponseFormat,
} from '../../llm/client.ts';
import type { ReadPage } from '../../page-geometry.ts';
import type { Schema } from '../../schema/schema.ts';
import { ANSWER_SCHEMA, parseAnswer } from './answer.ts';
import { mergeFields } from './merge-fields.ts';
import { buildPrompt } from './prompt.ts';

export interface FieldSelectorOptions extends ModelServerOptions {
  /** The value of `engine.llm_provider`. */
  readonly provider: string;
  /** Per document, including repairs. */
  readonly timeoutMs: number;
}

export interface FieldSelector {
  readonly provider: string;
  readonly model: string;
  /** Merges the model's fields into those of the rules; a model failure is a warning. Throws the signal's reason. */
  selectFields(
    pages: readonly ReadPage[],
    schema: Schema,
    fields: Readonly<Record<string, Field>>,
    signal: AbortSignal,
  ): Promise<{ fields: Record<string, Field>; warnings: Warning[] }>;
  /** Whether the server responds within 3 s, without sending document data. */
  probe(): Promise<boolean>;
}

const PROBE_MS = 3_000;
const MAX_REPAIRS = 2;

export function createFieldSelector({ provider, timeoutMs, ...server }: FieldSelectorOptions): FieldSelector {
  const client = createModelClient(server);
  // A rejected format is not tried again.
  let formats: readonly ResponseFormat[] = ['json_schema', 'json_object', 'text'];

  async function complete(messages: ChatMessages, signal: AbortSignal): Promise<string> {
    for (;;) {
      const [format = 'text'] = formats;
      const text = await client.complete(messages, format, ANSWER_SCHEMA, signal);
      if (text !== 'unsupported') return text;
      formats = formats.slice(1);
    }
  }

  async function requestFields(
    pages: readonly ReadPage[],
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Record<string, Field> | undefined> {
    const { words, system, user } = buildPrompt(pages, schema);
    const messages: ChatMessages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
    for (let repairs = 0; repairs <= MAX_REPAIRS; repairs++) {
      const text = await complete(messages, signal);
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

  return {
    provider,
    model: server.model,
    async selectFields(pages, schema, fields, signal) {
      const rules = { ...fields };
      try {
        const chosen = await requestFields(pages, schema, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
        if (chosen) return { fields: mergeFields(rules, chosen), warnings: [] };
        const message = 'The language model did not respond in the requested format.';
        return { fields: rules, warnings: [{ code: 'LLM_INVALID', message }] };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelError)) throw error;
        return { fields: rules, warnings: [{ code: error.code, message: error.message }] };
      }
    },
    async probe() {
      try {
        await client.probe(AbortSignal.timeout(PROBE_MS));
        return true;
      } catch {
        return false;
      }
    },
  };
}
