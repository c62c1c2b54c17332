import type { Static } from 'typebox';
import { queueUnavailable, validationError } from '../../../base/api-error.ts';
import type { JsonObject } from '../../../base/json.ts';
import { success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import { acceptOpenApi } from '../../shared/accept-openapi.ts';
import { acceptTask, checkUrlField, groupingFrom, type TaskDeps, type TaskRequest } from '../../shared/accept-task.ts';
import { inputFileName } from '../../shared/file-names.ts';
import type { SandboxInputReader } from '../../shared/sandbox/accept.ts';
import { webhookPolicy } from '../../shared/webhook-policy.ts';
import { Accepted, PredictRequest } from '../api-schema.ts';
import { examples } from '../examples.ts';
import { type DefectoscopySettings, estimatesOf } from '../settings.ts';
import { imagePolicy } from '../url-policy.ts';

type PredictDeps = Pick<TaskDeps, 'shared'> & {
  workerRegistry: WorkerRegistry;
  serviceSettings: DefectoscopySettings;
  sandboxInput: SandboxInputReader;
};

/** Checks a request body and returns its task. */
export function predictTasks({ workerRegistry, serviceSettings, sandboxInput, shared }: PredictDeps) {
  const images = imagePolicy(serviceSettings, shared);
  const callbacks = webhookPolicy(shared);
  const estimateSettings = estimatesOf(serviceSettings);

  return async (body: Static<typeof PredictRequest>, principal: string | undefined): Promise<TaskRequest> => {
    const { image_url, priority = 'realtime', webhook_url, model_version, inspect, file_name } = body;
    const sandboxName = await sandboxInput(principal, 'image_url', image_url);
    if (sandboxName === undefined) checkUrlField('image_url', image_url, images);
    if (webhook_url !== undefined) checkUrlField('webhook_url', webhook_url, callbacks);
    // The installed versions are known only from the task store.
    if (model_version !== undefined && !workerRegistry.isReachable()) throw queueUnavailable();
    if (
      model_version !== undefined &&
      !workerRegistry.modelVersions('defectoscopy').some(({ version }) => version === model_version)
    ) {
      throw validationError('model_version: this version is not installed.');
    }
    return {
      service: 'defectoscopy',
      priority,
      input: {
        image_url,
        ...(model_version !== undefined && { model_version }),
        ...(inspect !== undefined && { inspect }),
        ...inputFileName(file_name),
      },
      estimateSettings,
      grouping: groupingFrom(body),
      content: body as JsonObject,
      sandbox: sandboxName,
      ...(webhook_url !== undefined && { webhook: { url: webhook_url } }),
    };
  };
}

/** `POST /predict`. The task is durable before the 202 response is sent. */
export function predictRoute(app: Gateway, deps: TaskDeps & { toTask: ReturnType<typeof predictTasks> }): void {
  app.post<{ Body: Static<typeof PredictRequest> }>(
    '/predict',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Create a classification task',
        operationId: 'predict',
        body: PredictRequest,
        ...acceptOpenApi({ accepted: Accepted, example: examples.accepted, invalid: '`image_url` is required.' }),
      },
    },
    async (request, reply) =>
      success(await acceptTask(deps, request, reply, await deps.toTask(request.body, request.principal))),
  );
}
