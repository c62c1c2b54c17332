import OpenAI from 'openai';
import { step } from '../../../../base/trace.ts';

/** How a model is made to answer in JSON: held to a schema, to JSON at all, or by being asked. */
export type Format = 'json_schema' | 'json_object' | 'text';

/** Why there is no answer: nobody there or no entry, too late, or the quota is used up. */
export type ModelTrouble = 'LLM_UNAVAILABLE' | 'LLM_TIMEOUT' | 'LLM_QUOTA';

export class ModelFailed extends Error {
  override readonly name = 'ModelFailed';
  readonly code: ModelTrouble;

  constructor(code: ModelTrouble, cause?: unknown) {
    super(SENTENCES[code], { cause });
    this.code = code;
  }
}

const SENTENCES: Record<ModelTrouble, string> = {
  LLM_UNAVAILABLE: 'The language model cannot be reached, or refuses the key.',
  LLM_TIMEOUT: 'The language model did not answer in time.',
  LLM_QUOTA: 'The language model refuses because its quota is used up.',
};

export type Messages = { role: 'system' | 'user' | 'assistant'; content: string }[];

export interface ModelClient {
  /** The text of the answer. Throws {@link ModelFailed}, and `unsupported` where the server does not know the format. */
  ask(messages: Messages, format: Format, schema: object, signal: AbortSignal): Promise<string | 'unsupported'>;
  /** Whether the server answers at all; asks for its models and sends nothing else. */
  probe(signal: AbortSignal): Promise<void>;
}

export interface ModelServer {
  /** Of an OpenAI-compatible API: `http://localhost:11434/v1`. It is the operator's own, so it may be private. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

const MOST_BYTES = 4 * 2 ** 20;
const MOST_TOKENS = 8_000;
const MOST_RETRIES = 2;

/** The client of an OpenAI-compatible server. It goes nowhere else: redirects are refused. */
export function openModelClient({ baseUrl, model, apiKey }: ModelServer): ModelClient {
  const client = new OpenAI({
    baseURL: baseUrl,
    // The library insists on one; servers of one's own ask for none.
    apiKey: apiKey ?? 'none',
    maxRetries: MOST_RETRIES,
    logLevel: 'off',
    fetch: boundedFetch,
    organization: null,
    project: null,
  });
  return {
    async ask(messages, format, schema, signal) {
      try {
        const asked = { model, messages, temperature: 0, max_tokens: MOST_TOKENS, ...formatted(format, schema) };
        const answer = await step(
          `chat ${model}`,
          () => client.chat.completions.create(asked, { signal }),
          { kind: 'client', attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model } },
          ({ usage }) => ({
            'gen_ai.usage.input_tokens': usage?.prompt_tokens,
            'gen_ai.usage.output_tokens': usage?.completion_tokens,
          }),
        );
        return answer.choices?.[0]?.message?.content ?? '';
      } catch (error) {
        if (format !== 'text' && error instanceof OpenAI.APIError && FORMAT_REFUSED.has(error.status ?? 0)) {
          return 'unsupported';
        }
        throw failure(error);
      }
    },
    async probe(signal) {
      try {
        await client.models.list({ signal, maxRetries: 0 });
      } catch (error) {
        // A server that lists no models is there all the same.
        if (error instanceof OpenAI.NotFoundError) return;
        throw failure(error);
      }
    },
  };
}

const FORMAT_REFUSED: ReadonlySet<number> = new Set([400, 404, 422, 501]);

function formatted(
  format: Format,
  schema: object,
): Pick<OpenAI.ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  if (format === 'text') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'fields', strict: true, schema: schema as Record<string, unknown> },
    },
  };
}

function failure(error: unknown): ModelFailed {
  if (error instanceof OpenAI.APIConnectionTimeoutError || error instanceof OpenAI.APIUserAbortError) {
    return new ModelFailed('LLM_TIMEOUT', error);
  }
  const status = error instanceof OpenAI.APIError ? error.status : undefined;
  return new ModelFailed(status === 429 || status === 402 ? 'LLM_QUOTA' : 'LLM_UNAVAILABLE', error);
}

/** `fetch` that follows no redirect and takes no more bytes than an answer could have. */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) controller.error(new Error('The answer of the language model is too long.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
}
