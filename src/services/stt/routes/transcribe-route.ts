import type { Static } from 'typebox';
import { validationError } from '../../../base/api-error.ts';
import type { JsonObject } from '../../../base/json.ts';
import { memberText } from '../../../base/json-text.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { keepBodyText } from '../../../http/json-body-text.ts';
import { acceptOpenApi } from '../../shared/accept-openapi.ts';
import { acceptTask, checkUrlField, type TaskDeps } from '../../shared/accept-task.ts';
import { sandboxInput } from '../../shared/sandbox/accept.ts';
import { Accepted, TranscribeRequest } from '../api-schema.ts';
import { examples } from '../examples.ts';
import { isLanguage } from '../languages.ts';
import { checkMetadata } from '../metadata.ts';
import { success } from '../present.ts';
import type { TranscribeInput } from '../result.ts';
import { sandbox } from '../sandbox.ts';
import type { SttSettings } from '../settings.ts';
import { audioPolicy, webhookPolicy } from '../url-policy.ts';
import { mergeTerms, parseTerms, type VocabularyStore } from '../vocabulary.ts';

interface TranscribeDeps extends TaskDeps {
  readonly seal: (secret: string) => Buffer;
  readonly serviceSettings: SttSettings;
  readonly vocabularies: VocabularyStore;
}

/** `POST /transcribe/audio_url`. The task is durable before the 202 response is sent. */
export async function transcribeRoute(app: Gateway, deps: TranscribeDeps): Promise<void> {
  const { seal, serviceSettings, shared, vocabularies } = deps;
  const recordings = audioPolicy(serviceSettings, shared);
  const callbacks = webhookPolicy(serviceSettings, shared);
  const { estimateWarmSeconds: warmSeconds, estimateColdSeconds: coldSeconds } = serviceSettings;
  const estimateSettings = { warmSeconds, coldSeconds };

  await app.register(async (scope) => {
    keepBodyText(scope);
    scope.post<{ Body: Static<typeof TranscribeRequest> }>(
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
        const { url, webhook } = request.body;
        const rehearsed = sandboxInput(sandbox, request.principal, 'url', url);
        if (rehearsed === undefined) checkUrlField('url', url, recordings);
        if (webhook) checkUrlField('webhook.url', webhook.url, callbacks);
        const language = languageOf(request.body.language ?? serviceSettings.language);
        const metadata = metadataOf(request.body.metadata, request.bodyText!);
        const ofRequest = parseTerms('vocabulary', request.body.vocabulary ?? []);
        const stored = await vocabularies.read(request.principal);
        const vocabulary = mergeTerms(ofRequest, stored?.terms ?? []);
        const input: TranscribeInput = {
          url,
          ...(vocabulary.length > 0 && { vocabulary }),
          ...(language !== undefined && { language }),
          ...(metadata !== undefined && { metadata }),
        };
        const data = await acceptTask(deps, request, reply, {
          service: 'stt',
          priority: 'realtime',
          input: input as unknown as JsonObject,
          estimateSettings,
          sandbox: rehearsed,
          // The JSON text, because parsing can make different numbers equal.
          content: { ...request.body, metadata: metadata ?? null } as JsonObject,
          ...(webhook && {
            webhook: { url: webhook.url, ...(webhook.secret !== undefined && { secret: seal(webhook.secret) }) },
          }),
        });
        const webhookState = webhook && { webhook: { configured: true, status: 'pending' } };
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
