import OpenAI from 'openai';
import { step } from '../../../base/trace.ts';

type ModelErrorCode = 'LLM_UNAVAILABLE' | 'LLM_TIMEOUT' | 'LLM_QUOTA';

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, cause?: unknown) {
    super(MESSAGES[code], { cause });
    this.code = code;
  }
}

const MESSAGES: Record<ModelErrorCode, string> = {
  LLM_UNAVAILABLE: 'The language model is unreachable or rejects the API key.',
  LLM_TIMEOUT: 'The language model did not respond in time.',
  LLM_QUOTA: 'The quota of the language model is exhausted.',
};

export type ChatMessages = { role: 'system' | 'user' | 'assistant'; content: string }[];

export interface ModelServerOptions {
  /** Of an OpenAI-compatible API: `http://localhost:11434/v1`. May be a private address. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

const MAX_RESPONSE_BYTES = 4 * 2 ** 20;
const MAX_TOKENS = 8_000;
const MAX_RETRIES = 2;

/** A client that follows no redirects. */
export function createModelClient({ baseUrl, model, apiKey }: ModelServerOptions) {
  const client = new OpenAI({
    baseURL: baseUrl,
    // The library requires a key.
    apiKey: apiKey ?? 'none',
    maxRetries: MAX_RETRIES,
    logLevel: 'off',
    fetch: boundedFetch,
    organization: null,
    project: null,
  });
  // A rejected format is not tried again.
  let formats: readonly ResponseFormat[] = ['json_schema', 'json_object', 'text'];
  return {
    /** Returns the text of the response, as JSON of `schema` if the server supports it. Throws {@link ModelError}. */
    async complete(messages: ChatMessages, schema: Record<string, unknown>, signal: AbortSignal): Promise<string> {
      for (;;) {
        const [format = 'text'] = formats;
        const responseFormat = responseFormatOf(format, schema);
        try {
          const request = { model, messages, temperature: 0, max_tokens: MAX_TOKENS, ...responseFormat };
          const response = await step(
            `chat ${model}`,
            () => client.chat.completions.create(request, { signal }),
            { kind: 'client', attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model } },
            ({ usage }) => ({
              'gen_ai.usage.input_tokens': usage?.prompt_tokens,
              'gen_ai.usage.output_tokens': usage?.completion_tokens,
            }),
          );
          return response.choices?.[0]?.message?.content ?? '';
        } catch (error) {
          const isFormatRejected = error instanceof OpenAI.APIError && UNSUPPORTED_FORMAT.has(error.status ?? 0);
          if (format === 'text' || !isFormatRejected) throw toModelError(error);
          formats = formats.slice(1);
        }
      }
    },
    /** Lists the models of the server, without sending document data. Throws {@link ModelError}. */
    async probe(signal: AbortSignal): Promise<void> {
      try {
        await client.models.list({ signal, maxRetries: 0 });
      } catch (error) {
        // The server is reachable.
        if (error instanceof OpenAI.NotFoundError) return;
        throw toModelError(error);
      }
    },
  };
}

const UNSUPPORTED_FORMAT: ReadonlySet<number> = new Set([400, 404, 422, 501]);

/** Constrains the response: to the JSON Schema, to any JSON, or only by the prompt. */
type ResponseFormat = 'json_schema' | 'json_object' | 'text';

function responseFormatOf(
  format: ResponseFormat,
  schema: Record<string, unknown>,
): Pick<OpenAI.ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  if (format === 'text') return {};
  if (format === 'json_object') return { response_format: { type: format } };
  return { response_format: { type: format, json_schema: { name: 'fields', strict: true, schema } } };
}

function toModelError(error: unknown): ModelError {
  if (error instanceof OpenAI.APIConnectionTimeoutError || error instanceof OpenAI.APIUserAbortError) {
    return new ModelError('LLM_TIMEOUT', error);
  }
  const status = error instanceof OpenAI.APIError ? error.status : undefined;
  return new ModelError(status === 429 || status === 402 ? 'LLM_QUOTA' : 'LLM_UNAVAILABLE', error);
}

/** `fetch` without redirects, limited to {@link MAX_RESPONSE_BYTES}. */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_RESPONSE_BYTES) controller.error(new Error('The response of the language model is too long.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
}
