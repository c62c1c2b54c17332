import type { Static } from 'typebox';
import { validationError } from '../../base/faults.ts';
import type { JsonObject } from '../../base/json.ts';
import { memberText } from '../../base/json-text.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { Gateway } from '../../http/gateway.ts';
import { keepBodyText } from '../../http/json-text.ts';
import { acceptTask, checkField, type TaskDeps } from '../accept-task.ts';
import { taskRequest } from '../task-request.ts';
import { audioPolicy } from './audio-policy.ts';
import { accepted } from './examples.ts';
import { isLanguage } from './languages.ts';
import { checkMetadata } from './metadata.ts';
import { success } from './present.ts';
import type { TranscribeInput } from './result.ts';
import { Accepted, TranscribeRequest } from './schema.ts';
import type { Own } from './settings.ts';

interface Needs extends TaskDeps {
  readonly seal: (secret: string) => Buffer;
  readonly own: Own;
}

/** `POST /transcribe/audio_url`: check, write down, answer 202. The task is durable before the answer leaves. */
export async function transcribeRoute(app: Gateway, needs: Needs): Promise<void> {
  const { seal, own, shared } = needs;
  const recordings = audioPolicy(own, shared);
  const loopback = own.webhookAllowLoopback && shared.webhookLoopback;
  const callbacks: UrlPolicy = { kind: 'webhook', loopback, holes: shared.holes };
  const estimates = { warmSeconds: own.estimateWarmSeconds, coldSeconds: own.estimateColdSeconds };

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
          ...taskRequest({ accepted: Accepted, example: accepted, invalid: '`url` is required.' }),
        },
      },
      async (request, reply) => {
        const { url, webhook } = request.body;
        checkField('url', url, recordings);
        if (webhook) checkField('webhook.url', webhook.url, callbacks);
        const language = languageOf(request.body.language ?? own.language);
        const metadata = metadataOf(request.body.metadata, request.bodyText!);
        const input: TranscribeInput = {
          url,
          ...(language !== undefined && { language }),
          ...(metadata !== undefined && { metadata }),
        };
        const data = await acceptTask(needs, request, reply, {
          service: 'stt',
          priority: 'realtime',
          input: input as unknown as JsonObject,
          estimates,
          // By its text: numbers that a parser cannot tell apart are two requests.
          asked: { ...request.body, metadata: metadata ?? null } as JsonObject,
          ...(webhook && {
            webhook: { url: webhook.url, ...(webhook.secret !== undefined && { secret: seal(webhook.secret) }) },
          }),
        });
        const hooked = webhook && { webhook: { configured: true, status: 'pending' } };
        return reply.type('application/json; charset=utf-8').send(success({ ...data, ...hooked }, metadata));
      },
    );
  });
}

/** Undefined where the engine is to find out. */
function languageOf(given: string): string | undefined {
  const code = given.toLowerCase();
  if (code === 'auto') return undefined;
  if (!isLanguage(code)) throw validationError('language: not an ISO 639-1 code.');
  return code;
}

/** The text that came, within its bounds; `null` is as good as none. */
function metadataOf(value: object | null | undefined, body: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = memberText(body, 'metadata')!;
  checkMetadata(value, text);
  return text;
}
