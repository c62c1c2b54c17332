import type { FastifyReply } from 'fastify';
import {
  badRequest,
  idempotencyKeyReused,
  internalError,
  queueUnavailable,
  taskNotFound,
} from '../../../base/api-error.ts';
import { StorageUnavailable } from '../../../base/files/storage-unavailable.ts';
import type { Guard } from '../../../http/bearer.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { acceptUploads } from '../../../http/upload.ts';
import { type Done, FAILURES as TASK_FAILURES } from '../../../tasks/task.ts';
import { waitForEnd } from '../../../tasks/wait.ts';
import { queueOf } from '../../shared/sandbox/queue.ts';
import { FAILURES } from '../failures.ts';
import type { Recorded } from '../result.ts';
import { AUDIO_MAX_BYTES } from '../url-policy.ts';
import {
  gatewayStopping,
  missingField,
  modelNotFound,
  taskFailed,
  transcriptionTimeout,
  translationUnsupported,
} from './errors.ts';
import { present } from './formats.ts';
import { canTranslate, modelNames, modelOf, modelRoutes } from './models.ts';
import { errorsOf, formOf, TAGS, transcriptionResponse } from './openapi.ts';
import { receive } from './receive.ts';
import { streamTranscript } from './stream.ts';
import { type OpenAiDeps, taskFor } from './task.ts';

/** The endpoints of OpenAI's speech-to-text API, for its unmodified clients. Enabled by FILES_HOST. */
export async function openAiRoutes(
  app: Gateway,
  deps: Omit<OpenAiDeps, 'filesHost'> & { readonly guard: Guard },
): Promise<void> {
  const { serviceSettings, shared } = deps;
  modelRoutes(app, serviceSettings);
  const { filesHost } = shared;
  if (filesHost === undefined) return;
  await app.register(async (scope) => {
    await acceptUploads(scope);
    const audio = { ...deps, filesHost, closing: app.closing };
    audioRoute(scope, '/v1/audio/transcriptions', { ...audio, translate: false });
    audioRoute(scope, '/v1/audio/translations', { ...audio, translate: true });
  });
}

interface AudioDeps extends OpenAiDeps {
  readonly translate: boolean;
  readonly closing: AbortSignal;
  readonly guard: Guard;
}

function audioRoute(app: Gateway, path: string, deps: AudioDeps): void {
  const { tasks, serviceSettings, sandboxInput, context, translate, closing, guard } = deps;
  const models = modelNames(serviceSettings);
  app.post(
    path,
    {
      config: { access: 'task', limited: true, takes: 'multipart/form-data' },
      bodyLimit: AUDIO_MAX_BYTES,
      schema: {
        summary: translate ? 'Translate a recording into English' : 'Transcribe a recording',
        description: DESCRIPTION,
        operationId: translate ? 'openaiTranslate' : 'openaiTranscribe',
        tags: TAGS,
        shown: {
          headers: { 'Idempotency-Key': 'In place of the content: a repeated request continues with the first task.' },
          body: formOf({ models, translate }),
        },
        response: { 200: transcriptionResponse, ...errors },
      },
    },
    async (request, reply) => {
      if (translate && !(await canTranslate(serviceSettings))) throw translationUnsupported(modelOf(serviceSettings));
      const received = await receive(request, { files: context.files, sandboxInput, models, translate });
      const id = await taskFor(deps, request, reply, received);
      // The listener closes connections without traffic, such as this one.
      request.raw.socket.setTimeout(0);
      const queue = queueOf('stt', request.principal);
      const checkCredential = async () => void (await guard(request, 'task'));
      if (received.options.stream) {
        await streamTranscript(tasks, reply, { queue, id, closing, checkCredential });
        return reply;
      }
      const { resultText } = await waitForResult(deps, reply, { queue, id, checkCredential });
      const result = JSON.parse(resultText) as Recorded;
      const { type, body } = present(result, received);
      // OpenAI's formats have no place for warnings.
      if (result.warnings) void reply.header('x-service-warnings', result.warnings.join(', '));
      return reply.type(type).send(body);
    },
  );
}

const DESCRIPTION =
  'Waits for the task of the recording, which continues if the client disconnects. A repeated request with the same file and options continues with the same task.';

const errors = errorsOf(
  missingField('file'),
  modelNotFound('gpt-9'),
  taskNotFound(),
  taskFailed(FAILURES.corrupt),
  taskFailed(TASK_FAILURES.CANCELLED),
  idempotencyKeyReused(),
  internalError(),
  taskFailed(FAILURES.providerFailed),
  queueUnavailable(),
  new StorageUnavailable('it is full'),
  gatewayStopping('01KAF3M9WZ7Y5T2Q8C4N6B1D0E'),
  transcriptionTimeout('01KAF3M9WZ7Y5T2Q8C4N6B1D0E', 290),
);

/** The finished task. Throws the error response of any other outcome. */
async function waitForResult(
  { tasks, serviceSettings, closing }: AudioDeps,
  reply: FastifyReply,
  { queue, id, checkCredential }: { queue: string; id: string; checkCredential: () => Promise<void> },
): Promise<Done> {
  const { openAiWaitSeconds: seconds } = serviceSettings;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  const task = await waitForEnd(tasks, queue, id, {
    ...{ ms: seconds * 1000, signals: [closing, gone.signal], onUnfinished: checkCredential },
  });
  if (task?.status === 'done') return task;
  if (task === undefined) throw taskNotFound();
  if (task.status === 'failed') throw taskFailed(task.failure);
  if (gone.signal.aborted) throw badRequest();
  throw closing.aborted ? gatewayStopping(id) : transcriptionTimeout(id, seconds);
}
