import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { idempotencyKeyReused, queueUnavailable, validationError } from '../../base/faults.ts';
import { newId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { checkUrl, type UrlPolicy, UrlRefused } from '../../base/outbound-url.ts';
import { reply as answer, refusal, Success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { fingerprint, idempotencyKey } from '../../http/idempotency.ts';
import { traceparent } from '../../http/request-id.ts';
import type { Roster } from '../../tasks/roster.ts';
import type { NewTask, TaskStore } from '../../tasks/store.ts';
import { estimateSeconds } from '../estimate.ts';
import type { SharedSettings } from '../service.ts';
import { accepted } from './examples.ts';
import { imagePolicy } from './image-policy.ts';
import { Accepted, PredictRequest } from './schema.ts';
import type { Own } from './settings.ts';

/** `POST /predict`: check, write down, answer 202. The task is durable before the answer leaves. */
export function predictRoute(
  app: Gateway,
  needs: { tasks: TaskStore; roster: Roster; own: Own; shared: SharedSettings },
): void {
  const { tasks, roster, own, shared } = needs;
  const images = imagePolicy(own, shared);
  const callbacks: UrlPolicy = { kind: 'webhook', loopback: shared.webhookLoopback, holes: shared.holes };
  const cold = own.costDelaySeconds + own.coldStartSeconds + own.estimateWarmSeconds;
  const estimates = { warmSeconds: own.estimateWarmSeconds, coldSeconds: cold };

  app.post<{ Body: Static<typeof PredictRequest> }>(
    '/predict',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Create a classification task',
        operationId: 'predict',
        tags: ['tasks'],
        body: PredictRequest,
        shown: {
          headers: {
            'Idempotency-Key': 'The same key with the same body makes no second task while the first is kept.',
            'X-Request-ID': 'Your identifier of this request; it comes back and goes into the callback.',
            traceparent: 'A W3C trace, which the callback carries on.',
          },
        },
        response: {
          202: answer(
            'Queued.',
            Success(Accepted),
            { queued: accepted },
            {
              Location: 'Equal to `status_url`.',
              'Idempotency-Replayed': '`true` where an earlier request with the same key made the task.',
            },
          ),
          422: refusal(validationError('`image_url` is required.'), idempotencyKeyReused()),
          503: refusal(queueUnavailable()),
        },
      },
    },
    async (request, reply) => {
      const { image_url, priority = 'realtime', webhook_url, model_version } = request.body;
      checkField('image_url', image_url, images);
      if (webhook_url !== undefined) checkField('webhook_url', webhook_url, callbacks);
      // Which versions there are is the store's to say.
      if (model_version !== undefined && !roster.reachable()) throw queueUnavailable();
      if (model_version !== undefined && !roster.versions('defectoscopy').includes(model_version)) {
        throw validationError('model_version: no such version is installed.');
      }

      const trace = traceparent(request.headers);
      const key = idempotencyKey(request.headers['idempotency-key']);
      const task: NewTask = {
        id: newId(),
        service: 'defectoscopy',
        principal: request.principal,
        priority,
        input: { image_url, ...(model_version !== undefined && { model_version }) },
        estimateSeconds: estimateSeconds(roster.state('defectoscopy'), estimates),
        deadlineSeconds: shared.taskDeadlineSeconds,
        ttlSeconds: shared.resultTtlSeconds,
        requestId: request.id,
        ...(trace !== undefined && { traceparent: trace }),
        ...(key !== undefined && { idempotency: idempotency(request.principal, key, request.body as JsonObject) }),
        ...(webhook_url !== undefined && { webhook: { deliveryId: newId('whd_'), url: webhook_url } }),
      };
      const written = await tasks.accept(task);
      if (written.outcome === 'conflict') throw idempotencyKeyReused();
      if (written.outcome === 'accepted') tasks.hint('waiting:defectoscopy');
      else reply.header('idempotency-replayed', 'true');

      const statusUrl = `/result/${written.id}`;
      return reply
        .code(202)
        .header('location', statusUrl)
        .send({
          ok: true,
          data: {
            task_id: written.id,
            status: 'queued',
            status_url: statusUrl,
            estimated_wait_seconds: written.estimateSeconds,
          },
        });
    },
  );
}

function checkField(field: string, url: string, policy: UrlPolicy): void {
  try {
    checkUrl(url, policy);
  } catch (error) {
    throw error instanceof UrlRefused ? validationError(`${field}: ${error.message}`) : error;
  }
}

/** A key counts within one service, principal and endpoint: two clients may use the same. */
function idempotency(principal: string, key: string, body: JsonObject): NonNullable<NewTask['idempotency']> {
  return {
    key: hash('sha256', `defectoscopy\0${principal}\0POST /predict\0${key}`, 'buffer'),
    fingerprint: Buffer.from(fingerprint(body), 'hex'),
  };
}
