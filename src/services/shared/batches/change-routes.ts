import { batchNotCompleted, batchNotFound } from '../../../base/api-error.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { type BatchAccess, ofBatch, requireBatch, routeConfig } from './batch-deps.ts';
import { batchExample, Cancelled, Retried } from './batch-schema.ts';
import { storedSummary } from './present-batch.ts';

/** Cancels a batch, or retries its failed items. */
export function changeRoutes(app: Gateway, options: BatchAccess): void {
  const { service, context } = options;
  const { tasks, admission } = options.deps;
  const { batches } = tasks;

  app.post(
    '/batches/:batch_id/cancel',
    {
      config: routeConfig(options),
      schema: {
        ...ofBatch,
        summary: 'Cancel a batch',
        description:
          'Its unfinished items end as `failed` with `error_code` CANCELLED. Repeat the request if it was interrupted.',
        operationId: 'cancelBatch',
        response: {
          200: describeResponse('The number of cancelled items.', Cancelled, {
            cancelled: success({ batch_id: batchExample.batch_id, cancelled: 120 }),
          }),
          ...errorResponses(batchNotFound()),
        },
      },
    },
    async (request) => {
      const { id } = await requireBatch(options, request);
      const cancelled = await batches.cancel(id);
      if (cancelled.length > 0) tasks.hint('finished');
      context.onCancelled(service, cancelled.length);
      return success({ batch_id: id, cancelled: cancelled.length });
    },
  );

  app.post(
    '/batches/:batch_id/retry',
    {
      config: routeConfig(options),
      schema: {
        ...ofBatch,
        summary: 'Retry the failed items of a batch',
        description:
          'Queues the failed items of a completed batch again, with the same task ids, except cancelled ones and those with a webhook of their own. The batch is in progress again and sends no second webhook.',
        operationId: 'retryBatch',
        response: {
          200: describeResponse('The number of queued items.', Retried, {
            retried: success({ batch_id: batchExample.batch_id, retried: 1 }),
          }),
          ...errorResponses(batchNotFound(), batchNotCompleted()),
        },
      },
    },
    async (request) => {
      const batch = await requireBatch(options, request);
      const { id } = batch;
      const failed = storedSummary(batch)?.counts.failed;
      if (failed === undefined) throw batchNotCompleted();
      const owner = admission.ownerOf(service, options.clientOf?.(request) ?? batch.principal);
      await admission.recountIfFull(service, owner, failed);
      const releasePermit = admission.reserve(service, 'batch', owner, failed, failed);
      if (!releasePermit) throw admission.queueFullError(service, owner, failed);
      const retried = await batches.retry(id, options.retry).finally(() => releasePermit(false));
      if (retried === undefined) throw batchNotCompleted();
      if (retried > 0) tasks.hint(`waiting:${service}`);
      return success({ batch_id: id, retried });
    },
  );
}
