import { modelNotReady } from '../../../base/api-error.ts';
import { describeErrors, describeResponse, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import { Health } from '../api-schema.ts';
import type { WorkerInfo } from '../result.ts';

export function healthRoute(app: Gateway, { roster }: { roster: WorkerRegistry }): void {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Model status',
        operationId: 'health',
        tags: ['service'],
        response: {
          200: describeResponse('A worker has loaded its models.', Health),
          503: describeErrors(modelNotReady()),
        },
      },
    },
    () => {
      const heartbeat = roster.warmWorkers('stt')[0];
      if (!heartbeat) throw modelNotReady();
      const { model, providers } = heartbeat.info as unknown as WorkerInfo;
      return success({ model_loaded: true, worker_id: heartbeat.id, model, providers });
    },
  );
}
