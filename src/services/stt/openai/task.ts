import type { FastifyReply, FastifyRequest } from 'fastify';
import { quotaExceeded } from '../../../base/api-error.ts';
import { isOutcomeUnknown } from '../../../base/db-errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { fingerprint } from '../../../http/idempotency.ts';
import type { VocabularyTerm } from '../../../ml/speech/recognizer.ts';
import { findTask, storeTask, type TaskDeps, type TaskRequest } from '../../shared/accept-task.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import type { SandboxInputReader } from '../../shared/sandbox/accept.ts';
import type { GatewayContext } from '../../shared/service.ts';
import type { TranscribeInput } from '../result.ts';
import { estimatesOf, type SttSettings } from '../settings.ts';
import type { VocabularyStore } from '../vocabulary.ts';
import { isFinal } from './errors.ts';
import { modelOf } from './models.ts';
import type { Received } from './receive.ts';

export interface OpenAiDeps extends TaskDeps {
  readonly context: Pick<GatewayContext, 'files' | 'uploads' | 'log'>;
  readonly serviceSettings: SttSettings;
  readonly sandboxInput: SandboxInputReader;
  readonly filesHost: string;
  readonly vocabularies: VocabularyStore;
}

/**
 * The id of the task for a received file: of an earlier request with the same `Idempotency-Key` or, without one, with the
 * same file and options; otherwise of a new task. An earlier task that failed for a reason other than the file is replaced.
 * Deletes the file if no new task uses it.
 */
export async function taskFor(
  deps: OpenAiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  received: Received,
): Promise<string> {
  const { files, log } = deps.context;
  const { key } = received.file;
  const vocabulary = await deps.vocabularies.read(request.principal);
  const wanted = taskRequest(deps, received, vocabulary?.terms ?? []);
  const { sandbox } = received;
  if (sandbox !== undefined) {
    await files.remove(key);
    const task = await storeTask(deps, request, { ...wanted, sandbox });
    void reply.header('x-service-task-id', task.id);
    return task.id;
  }
  const { id, isNew } = await keepFilesIfCommitted([key], { files, log }, async () => {
    const earlier = await findReusable(deps, request, wanted);
    return earlier === undefined ? createTask(deps, request, received, wanted) : { id: earlier, isNew: false };
  });
  void reply.header('x-service-task-id', id);
  if (!isNew) {
    void reply.header('idempotency-replayed', 'true');
    await files.remove(key).catch((err: unknown) => log.warn({ err }, 'a repeated upload could not be deleted'));
  }
  return id;
}

function taskRequest(
  { serviceSettings, filesHost }: OpenAiDeps,
  { file, options, translate }: Received,
  terms: readonly VocabularyTerm[],
): TaskRequest {
  const { language = serviceSettings.language, prompt, temperature } = options;
  const choices = {
    ...(language !== 'auto' && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(temperature !== undefined && { temperature }),
    ...(translate && { translate }),
  };
  const input: TranscribeInput = {
    url: `https://${filesHost}/${file.key}`,
    ...choices,
    ...(terms.length > 0 && { vocabulary: terms }),
  };
  // Not the format: one task provides all of them.
  const content: JsonObject = { sha256: file.sha256, ...choices };
  return {
    service: 'stt',
    priority: 'realtime',
    input: input as unknown as JsonObject,
    estimateSettings: estimatesOf(serviceSettings),
    content,
    // Not part of the content: a client's own key outlives a change of the model and of its vocabulary.
    defaultKey: `content:${fingerprint({ ...content, terms: JSON.stringify(terms), model: modelOf(serviceSettings) })}`,
  };
}

/** Deletes a failed task that may succeed in another attempt, which frees its key. */
async function findReusable(deps: OpenAiDeps, request: FastifyRequest, wanted: TaskRequest) {
  const id = await findTask(deps, request, wanted);
  const task = id === undefined ? undefined : await deps.tasks.read('stt', id);
  if (task?.status !== 'failed' || isFinal(task.failure)) return task?.id;
  await deps.tasks.remove('stt', [task.id]);
  return undefined;
}

async function createTask(
  deps: OpenAiDeps,
  request: FastifyRequest,
  { file: { key, sizeBytes }, contentType }: Received,
  wanted: TaskRequest,
): Promise<{ id: string; isNew: boolean }> {
  const { uploads } = deps.context;
  const { filesQuotaBytes: quotaBytes, resultTtlSeconds: ttlSeconds } = deps.shared;
  const upload = { key, sizeBytes, contentType, principal: request.principal };
  if (!(await uploads.insert(upload, { ttlSeconds, quotaBytes }))) throw quotaExceeded(quotaBytes);
  const stored = await storeTask(deps, request, wanted).catch(async (error: unknown) => {
    // Frees the quota of the client, which may repeat the request at once.
    if (!isOutcomeUnknown(error)) await uploads.expire([key]).catch(() => {});
    throw error;
  });
  // A concurrent request has created the task.
  if (stored.outcome === 'replayed') await uploads.expire([key]);
  return { id: stored.id, isNew: stored.outcome === 'accepted' };
}
