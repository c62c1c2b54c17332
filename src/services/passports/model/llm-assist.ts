import { TaskFailure } from '../../../tasks/task.ts';
import type { Job } from '../../shared/service.ts';
import type { Warning } from '../extraction.ts';
import { type ErrorType, failure } from '../failures.ts';
import type { ReadPage } from '../page-geometry.ts';
import type { Schema } from '../schema/schema.ts';
import type { Settings } from '../settings.ts';
import type { CheckedFields, ExtractedFields } from './field-network/extract-fields.ts';

/** Improves extracted fields with a language model. */
export interface LlmAssist {
  /** `none` if not configured. */
  readonly provider: string;
  readonly model: string | null;
  /** If the model fails, adds a warning, or throws a `TaskFailure` with `llmRequired`. */
  improveFields(
    input: ExtractedFields & { pages: readonly ReadPage[]; schema: Schema; job: Job },
    signal: AbortSignal,
  ): Promise<CheckedFields>;
}

export async function createLlmAssist(settings: Settings): Promise<LlmAssist> {
  const { llmProvider: provider, llmModel: model, llmBaseUrl: baseUrl, llmApiKey: apiKey } = settings;
  if (provider === 'none' || model === undefined) {
    return { provider: 'none', model: null, improveFields: async ({ fields, warnings }) => ({ fields, warnings }) };
  }
  const { createFieldSelector } = await import('./llm/field-selector.ts');
  const { checkFields } = await import('./field-network/extract-fields.ts');
  const selectFields = createFieldSelector({ baseUrl, model, apiKey, timeoutMs: settings.llmTimeoutSeconds * 1000 });
  return {
    provider,
    model,
    async improveFields({ pages, schema, fields, unchecked, job }, signal) {
      const chosen = await selectFields(pages, schema, fields, signal).catch((err: unknown) => {
        signal.throwIfAborted();
        job.log.error({ err }, 'the language model request failed with an unexpected error');
        return { fields, warnings: [UNEXPECTED] };
      });
      const errorCode = chosen.warnings.map(({ code }) => code).find(isLlmError);
      if (errorCode && settings.llmRequired) throw taskFailure(errorCode);
      const added = Object.entries(chosen.fields).filter(([key, field]) => field !== fields[key]);
      const checked = checkFields({ ...unchecked, ...Object.fromEntries(added) }, pages, schema);
      return { fields: checked.fields, warnings: [...checked.warnings, ...chosen.warnings] };
    },
  };
}

const UNEXPECTED: Warning = { code: 'LLM_UNAVAILABLE', message: 'The request to the language model failed.' };

type LlmError = Extract<ErrorType, `LLM_${string}`>;

const LLM_ERRORS: Record<LlmError, { transient: boolean }> = {
  LLM_UNAVAILABLE: { transient: true },
  LLM_TIMEOUT: { transient: true },
  // A retry within seconds does not help.
  LLM_QUOTA: { transient: false },
  LLM_INVALID: { transient: false },
};

const isLlmError = (code: string): code is LlmError => Object.hasOwn(LLM_ERRORS, code);
const taskFailure = (code: LlmError) => new TaskFailure(failure(code), LLM_ERRORS[code]);
