import { TaskFailure } from '../../../tasks/task.ts';
import type { Job } from '../../service.ts';
import type { Warning } from '../extraction.ts';
import { type ErrorType, failure } from '../failures.ts';
import type { ReadPage } from '../page.ts';
import type { Schema } from '../schema/schema.ts';
import type { Own } from '../settings.ts';
import type { Found } from './fields-thread.ts';

/** What the language model, where there is one, adds to the fields that were found without it. */
export interface Helper {
  /** `none` where there is none. */
  readonly provider: string;
  readonly model: string | null;
  /**
   * Never loses what was found: whatever becomes of the language model is a warning. Only where it is required does its
   * failure fail the document, with the `TaskFailure` of its kind.
   */
  help(given: Found & { pages: readonly ReadPage[]; schema: Schema; job: Job }, signal: AbortSignal): Promise<Found>;
}

const NOBODY: Helper = {
  provider: 'none',
  model: null,
  help: async ({ fields, warnings }) => ({ fields, warnings }),
};

export async function openHelper(
  own: Pick<Own, 'llmProvider' | 'llmBaseUrl' | 'llmModel' | 'llmApiKey' | 'llmTimeoutSeconds' | 'llmRequired'>,
): Promise<Helper> {
  const { llmProvider: provider, llmModel: model } = own;
  if (provider === 'none' || model === undefined) return NOBODY;
  const { openChooser } = await import('./llm/chooser.ts');
  const server = { baseUrl: own.llmBaseUrl, model, apiKey: own.llmApiKey };
  const chooser = openChooser({ provider, ...server, timeoutMs: own.llmTimeoutSeconds * 1000 });
  return {
    provider,
    model,
    async help({ pages, schema, fields, warnings, job }, signal) {
      const chosen = await chooser.choose(pages, schema, fields, signal).catch((err: unknown) => {
        signal.throwIfAborted();
        job.log.error({ err }, 'the language model could not be asked for a reason that was not foreseen');
        return { fields, warnings: [UNFORESEEN] };
      });
      const trouble = chosen.warnings.map(({ code }) => code).find(isTrouble);
      if (trouble && own.llmRequired) throw failed(trouble);
      return { fields: chosen.fields, warnings: [...warnings, ...chosen.warnings] };
    },
  };
}

const UNFORESEEN: Warning = { code: 'LLM_UNAVAILABLE', message: 'The language model could not be asked.' };

type Trouble = Extract<ErrorType, `LLM_${string}`>;

const TROUBLES: Record<Trouble, { transient: boolean }> = {
  LLM_UNAVAILABLE: { transient: true },
  LLM_TIMEOUT: { transient: true },
  // Neither a quota nor a model that does not understand changes within seconds.
  LLM_QUOTA: { transient: false },
  LLM_INVALID: { transient: false },
};

const isTrouble = (code: string): code is Trouble => Object.hasOwn(TROUBLES, code);
const failed = (code: Trouble) => new TaskFailure(failure(code), TROUBLES[code]);
