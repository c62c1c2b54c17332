import type { Static } from 'typebox';
import {
  deliveryInProgress,
  deliveryNotFound,
  taskNotFound,
  tooManyRedeliveries,
  validationError,
} from '../../base/api-error.ts';
import { unixSeconds } from '../../base/time.ts';
import { describeErrors, describeResponse, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { batchQueue } from '../../tasks/batch-queue.ts';
import type { LoggedAttempt, LoggedDelivery } from '../../tasks/delivery-log.ts';
import {
  DeliveriesQuery,
  type Delivery,
  DeliveryPage,
  deliveryExample,
  Redelivered,
  RedeliverRequest,
} from './delivery-schema.ts';
import { queueOf } from './sandbox/queue.ts';
import type { GatewayContext } from './service.ts';
import { webhookFields } from './webhook-fields.ts';

const ROOM_EXAMPLE_SECONDS = 12;

/** Adds `/deliveries`: the webhook deliveries of the tasks that the credential created. */
export function deliveryRoutes(
  app: Gateway,
  deps: { service: string; context: Pick<GatewayContext, 'deliveries' | 'tasks'> },
): void {
  const { service, context } = deps;
  const { deliveries, tasks } = context;
  const config = { access: 'task', limited: true } as const;

  app.get<{ Querystring: Static<typeof DeliveriesQuery> }>(
    '/deliveries',
    {
      config,
      schema: {
        summary: 'Webhook deliveries of your tasks',
        description:
          'The deliveries of the tasks that this credential created, with their last attempts, newest first. Responses of receivers are not stored.',
        operationId: 'listDeliveries',
        tags: ['deliveries'],
        querystring: DeliveriesQuery,
        response: {
          200: describeResponse('The deliveries.', DeliveryPage, {
            deliveries: success({ deliveries: [deliveryExample] }),
          }),
        },
      },
    },
    async ({ principal, query }) => {
      const { state, task_id: taskId, since, before, limit } = query;
      const filter = { state, taskId, since: since === undefined ? undefined : Number(since) };
      // One more than requested shows whether there is another page.
      const found = await deliveries.list(
        { service: queueOf(service, principal), principal },
        filter,
        limit + 1,
        before,
      );
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)!.webhook.deliveryId : undefined;
      return success({ deliveries: page.map(toJson), ...(next !== undefined && { next }) });
    },
  );

  app.post<{ Body: Static<typeof RedeliverRequest> }>(
    '/deliveries/redeliver',
    {
      config,
      schema: {
        summary: 'Send webhooks again',
        description:
          'Queues deliveries that ended for another attempt with the same delivery id and body; the retry schedule starts again. One request queues at most 1000 failed deliveries; repeat it while `more` is true.',
        operationId: 'redeliver',
        tags: ['deliveries'],
        body: RedeliverRequest,
        response: {
          202: describeResponse('Queued.', Redelivered, { queued: success({ redelivered: 25, more: false }) }),
          404: describeErrors(taskNotFound(), deliveryNotFound()),
          409: describeErrors(deliveryInProgress()),
          429: describeErrors(tooManyRedeliveries(ROOM_EXAMPLE_SECONDS)),
        },
      },
    },
    async ({ principal, body }, reply) => {
      const { task_id: taskId, since, pending = false } = body;
      if ((taskId === undefined) === (since === undefined)) {
        throw validationError('Give either `task_id` or `since`.');
      }
      if (taskId !== undefined) await requireDelivery(taskId, principal);
      const selection = taskId === undefined ? { since: Number(since), pending } : { taskId };
      const result = await deliveries.redeliver({ service: queueOf(service, principal), principal }, selection);
      if (result.outcome === 'limited') throw tooManyRedeliveries(result.retryAfterSeconds);
      if (taskId !== undefined && result.count === 0) throw deliveryInProgress();
      // Wakes the deliverers.
      if (result.count > 0) tasks.hint('finished');
      const more = taskId === undefined && result.more;
      return reply.code(202).send(success({ redelivered: result.count, more }));
    },
  );

  /** Also with `TASK_VISIBILITY=service`, only the client that chose the receiver may send to it. */
  async function requireDelivery(taskId: string, principal: string): Promise<void> {
    const task =
      (await tasks.read(queueOf(service, principal), taskId)) ?? (await tasks.read(batchQueue(service), taskId));
    if (!task || task.principal !== principal) throw taskNotFound();
    if (!task.webhook) throw deliveryNotFound();
  }
}

function toJson({ taskId, url, webhook, held, log }: LoggedDelivery): Static<typeof Delivery> {
  const { responseStatusCode: status } = webhook;
  return {
    ...webhookFields(webhook),
    task_id: taskId,
    url,
    state: webhook.state,
    attempts: webhook.attempts,
    ...(status !== undefined && { response_status_code: status }),
    ...(held && { held }),
    attempt_log: log.map(attemptToJson),
  };
}

const attemptToJson = ({ attempt, at, ms, status, error }: LoggedAttempt) => ({
  attempt,
  started_at: unixSeconds(new Date(at * 1000)),
  ...(ms !== undefined && { duration_ms: ms }),
  ...(status !== undefined && { response_status_code: status }),
  ...(error !== undefined && { error }),
});
