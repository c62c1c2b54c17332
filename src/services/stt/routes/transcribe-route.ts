import type { Static } from 'typebox';
import { validationError } from '../../../base/api-error.ts';
import type { JsonObject } from '../../../base/json.ts';
import { memberText } from '../../../base/json-text.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { keepBodyText } from '../../../http/json-body-text.ts';
import { acceptOpenApi } from '../../shared/accept-openapi.ts';
import { acceptTask, checkUrlField, groupingFrom, type TaskDeps, type TaskRequest } from '../../shared/accept-task.ts';
import { inputFileName } from '../../shared/file-names.ts';
import type { SandboxInputReader } from '../../shared/sandbox/accept.ts';
import { Accepted, TranscribeRequest } from '../api-schema.ts';
import { examples } from '../examples.ts';
import { isLanguage } from '../languages.ts';
import { checkMetadata } from '../metadata.ts';
import { parseTerms } from '../parse-terms.ts';
import { success } from '../present.ts';
import type { TranscribeInput } from '../result.ts';
import { estimatesOf, type SttSettings } from '../settings.ts';
import { audioPolicy, webhookPolicy } from '../url-policy.ts';
import { mergeTerms, type VocabularyStore } from '../vocabulary.ts';

type Body = Static<typeof TranscribeRequest>;

interface TranscribeDeps extends Pick<TaskDeps, 'shared'> {
  readonly seal: (secret: string) => Buffer;
  readonly serviceSettings: SttSettings;
  readonly sandboxInput: SandboxInputReader;
}

type Vocabulary = Awaited<ReturnType<VocabularyStore['read']>>;

/** Checks a request body, parsed and as JSON text, and returns its task. */
export function transcribeTasks({ seal, serviceSettings, sandboxInput, shared }: TranscribeDeps) {
  const recordings = audioPolicy(serviceSettings, shared);
  const callbacks = webhookPolicy(serviceSettings, shared);
  const estimateSettings = estimatesOf(serviceSettings);

  return async (
    body: Body,
    text: string,
    principal: string | undefined,
    storedVocabulary: () => Promise<Vocabulary>,
  ): Promise<TaskRequest> => {
    const { url, file_name, webhook } = body;
    const sandboxName = await sandboxInput(principal, 'url', url);
    if (sandboxName === undefined) checkUrlField('url', url, recordings);
    if (webhook) checkUrlField('webhook.url', webhook.url, callbacks);
    const language = languageOf(body.language ?? serviceSettings.language);
    const metadata = metadataOf(body.metadata, text);
    const ofRequest = parseTerms('vocabulary', body.vocabulary ?? []);
    const vocabulary = mergeTerms(ofRequest, (await storedVocabulary())?.terms ?? []);
    const input: TranscribeInput = {
      url,
      ...inputFileName(file_name),
      ...(vocabulary.length > 0 && { vocabulary }),
      ...(language !== undefined && { language }),
      ...(metadata !== undefined && { metadata }),
    };
    return {
      service: 'stt',
      priority: 'realtime',
      input: input as unknown as JsonObject,
      estimateSettings,
      grouping: groupingFrom(body),
      sandbox: sandboxName,
      // The JSON text, because parsing can make different numbers equal.
      content: { ...body, metadata: metadata ?? null } as JsonObject,
      ...(webhook && {
        webhook: { url: webhook.url, ...(webhook.secret !== undefined && { secret: seal(webhook.secret) }) },
      }),
    };
  };
}

/** `POST /transcribe/audio_url`. The task is durable before the 202 response is sent. */
export async function transcribeRoute(
  app: Gateway,
  deps: TaskDeps & { toTask: ReturnType<typeof transcribeTasks>; vocabularies: VocabularyStore },
): Promise<void> {
  const { toTask, vocabularies } = deps;
  await app.register(async (scope) => {
    keepBodyText(scope);
    scope.post<{ Body: Body }>(
      '/transcribe/audio_url',
      {
        config: { access: 'task', limited: true },
        schema: {
          summary: 'Create a transcription task',
          operationId: 'transcribe',
          body: TranscribeRequest,
          ...acceptOpenApi({ accepted: Accepted, example: examples.accepted, invalid: '`url` is required.' }),
        },
      },
      async (request, reply) => {
        const stored = () => vocabularies.read(request.principal);
        const wanted = await toTask(request.body, request.bodyText!, request.principal, stored);
        const { metadata } = wanted.input as unknown as TranscribeInput;
        const data = await acceptTask(deps, request, reply, wanted);
        const webhookState = wanted.webhook && { webhook: { configured: true, status: 'pending' } };
        return reply.type('application/json; charset=utf-8').send(success({ ...data, ...webhookState }, metadata));
      },
    );
  });
}

/** Undefined to detect the language. */
function languageOf(requested: string): string | undefined {
  const code = requested.toLowerCase();
  if (code === 'auto') return undefined;
  if (!isLanguage(code)) throw validationError('language: not an ISO 639-1 code.');
  return code;
}

/** Undefined for `null`. */
function metadataOf(value: object | null | undefined, body: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = memberText(body, 'metadata')!;
  checkMetadata(value, text);
  return text;
}
