import { modelNotReady } from '../../base/faults.ts';
import { reply as answer, refusal, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Roster } from '../../tasks/roster.ts';
import type { WorkerInfo } from './model-info.ts';
import { Health } from './schema.ts';

/** `GET /health`: whether a worker has its engine loaded, and which. */
export function healthRoute(app: Gateway, { roster }: { roster: Roster }): void {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Whether a speech engine is loaded',
        operationId: 'health',
        tags: ['service'],
        response: { 200: answer('A worker has its engine loaded.', Health), 503: refusal(modelNotReady()) },
      },
    },
    () => {
      const beat = roster.warm('stt')[0];
      if (!beat) throw modelNotReady();
      const { model, providers } = beat.info as unknown as WorkerInfo;
      return success({ model_loaded: true, worker_id: beat.id, model, providers });
    },
  );
}
