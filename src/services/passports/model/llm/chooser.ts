import type { Field, Warning } from '../../extraction.ts';
import type { ReadPage } from '../../page.ts';
import type { Schema } from '../../schema/schema.ts';
import { ANSWER_SCHEMA, readAnswer } from './answer.ts';
import { type Format, type Messages, ModelFailed, type ModelServer, openModelClient } from './client.ts';
import { merged } from './merge.ts';
import { questionOf } from './question.ts';

export interface ChooserSettings extends ModelServer {
  /** What `engine.llm_provider` says. */
  readonly provider: string;
  /** For one document, repairs included. */
  readonly timeoutMs: number;
}

/** A language model that chooses, among the words of the pages, those that are the fields. */
export interface Chooser {
  readonly provider: string;
  readonly model: string;
  /**
   * The rules' fields, with the model's laid over them where they are missing or unsure. Whatever goes wrong with the
   * model is a warning (`LLM_UNAVAILABLE`, `LLM_TIMEOUT`, `LLM_QUOTA`, `LLM_INVALID`) and the rules' fields come back;
   * only the signal's reason is thrown.
   */
  choose(
    pages: readonly ReadPage[],
    schema: Schema,
    fields: Readonly<Record<string, Field>>,
    signal: AbortSignal,
  ): Promise<{ fields: Record<string, Field>; warnings: Warning[] }>;
  /** Whether the model's server answers within 3 seconds. Sends nothing of any document. */
  probe(): Promise<boolean>;
}

const PROBE_MS = 3_000;
const MOST_REPAIRS = 2;

export function openChooser({ provider, timeoutMs, ...server }: ChooserSettings): Chooser {
  const client = openModelClient(server);
  // What the server does not know once it will not know the next time.
  let formats: readonly Format[] = ['json_schema', 'json_object', 'text'];

  async function answered(messages: Messages, signal: AbortSignal): Promise<string> {
    for (;;) {
      const [format = 'text'] = formats;
      const answer = await client.ask(messages, format, ANSWER_SCHEMA, signal);
      if (answer !== 'unsupported') return answer;
      formats = formats.slice(1);
    }
  }

  async function asked(
    pages: readonly ReadPage[],
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Record<string, Field> | undefined> {
    const { words, system, user } = questionOf(pages, schema);
    const messages: Messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
    for (let repairs = 0; repairs <= MOST_REPAIRS; repairs++) {
      const text = await answered(messages, signal);
      const answer = readAnswer(text, words, schema);
      if ('fields' in answer) return answer.fields;
      messages.push(
        { role: 'assistant', content: text.slice(0, 20_000) },
        { role: 'user', content: `This cannot be followed:\n${answer.wrong.join('\n')}\nAnswer again, all of it.` },
      );
    }
    return undefined;
  }

  return {
    provider,
    model: server.model,
    async choose(pages, schema, fields, signal) {
      const rules = { ...fields };
      try {
        const chosen = await asked(pages, schema, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
        if (chosen) return { fields: merged(rules, chosen), warnings: [] };
        const message = 'The language model did not answer in the form that was asked for.';
        return { fields: rules, warnings: [{ code: 'LLM_INVALID', message }] };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailed)) throw error;
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
