import type { TSchema } from 'typebox';
import { modelNotReady } from '../../base/api-error.ts';
import { describeErrors, describeResponse, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { WorkerRegistry } from '../../tasks/worker-registry.ts';
import type { Heartbeat } from '../../tasks/workers.ts';

export function requireWarmWorker(workerRegistry: WorkerRegistry, service: string): Heartbeat {
  const worker = workerRegistry.warmWorkers(service)[0];
  if (!worker) throw modelNotReady();
  return worker;
}

/** `GET /health`: the `fields` that a warm worker publishes with its heartbeat. */
export function healthRoute(
  app: Gateway,
  options: { service: string; workerRegistry: WorkerRegistry; tag: string; schema: TSchema; fields: readonly string[] },
): void {
  const { service, workerRegistry, tag, schema, fields } = options;
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Model status',
        operationId: 'health',
        tags: [tag],
        response: {
          200: describeResponse('A worker has loaded its model.', schema),
          503: describeErrors(modelNotReady()),
        },
      },
    },
    () => {
      const { id, info } = requireWarmWorker(workerRegistry, service);
      const published = Object.fromEntries(fields.map((field) => [field, info[field]]));
      return success({ model_loaded: true, worker_id: id, ...published });
    },
  );
}
