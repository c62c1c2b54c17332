import OpenAI from 'openai';
import { step } from '../../../base/trace.ts';

/** Constrains the response: to the JSON Schema, to any JSON, or only by the prompt. */
export type ResponseFormat = 'json_schema' | 'json_object' | 'text';

export type ModelErrorCode = 'LLM_UNAVAILABLE' | 'LLM_TIMEOUT' | 'LLM_QUOTA';

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

export interface ModelClient {
  /** Returns the response text, or `unsupported` for the format. Throws {@link ModelError}. */
  complete(
    messages: ChatMessages,
    format: ResponseFormat,
    schema: object,
    signal: AbortSignal,
  ): Promise<string | 'unsupported'>;
  /** Lists the models of the server. Throws {@link ModelError}. */
  probe(signal: AbortSignal): Promise<void>;
}

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
export function createModelClient({ baseUrl, model, apiKey }: ModelServerOptions): ModelClient {
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
  return {
    async complete(messages, format, schema, signal) {
      try {
        const request = { model, messages, temperature: 0, max_tokens: MAX_TOKENS, ...responseFormat(format, schema) };
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
        if (format !== 'text' && error instanceof OpenAI.APIError && UNSUPPORTED_FORMAT.has(error.status ?? 0)) {
          return 'unsupported';
        }
        throw toModelError(error);
      }
    },
    async probe(signal) {
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

function responseFormat(
  format: ResponseFormat,
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
