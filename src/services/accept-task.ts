import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { idempotencyKeyReused, validationError } from '../base/faults.ts';
import { newId } from '../base/ids.ts';
import type { JsonValue } from '../base/json.ts';
import { checkUrl, type UrlPolicy, UrlRefused } from '../base/outbound-url.ts';
import { type Attributes, during } from '../base/trace.ts';
import { fingerprint, idempotencyKey } from '../http/idempotency.ts';
import type { Admission } from '../tasks/admission.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Accepted, NewTask, TaskStore } from '../tasks/store.ts';
import type { Priority } from '../tasks/task.ts';
import { type EstimateSettings, estimateSeconds } from './estimate.ts';
import { handOver, traceOf } from './hand-over.ts';
import type { SharedSettings } from './service.ts';

/** What a request asks for once its own fields were checked. */
export interface AskedTask {
  readonly service: string;
  readonly priority: Priority;
  readonly input: JsonValue;
  readonly estimates: EstimateSettings;
  /** What was asked, by which a retry is told from a different request. */
  readonly asked: JsonValue;
  readonly webhook?: { readonly url: string; readonly secret?: Buffer };
}

/** What the 202 tells of a task: the first one again where its key was used before. */
export interface AcceptedTask {
  readonly task_id: string;
  readonly status: 'queued';
  readonly status_url: string;
  readonly estimated_wait_seconds: number;
}

/** What a route that creates tasks works with. */
export interface TaskDeps {
  readonly tasks: TaskStore;
  readonly roster: Roster;
  readonly admission: Admission;
  readonly shared: SharedSettings;
}

/** Writes a task down and sets status and headers of its 202. The task is durable when this resolves. */
export async function acceptTask(
  deps: TaskDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { service, priority, input, estimates, asked, webhook }: AskedTask,
): Promise<AcceptedTask> {
  const { shared } = deps;
  const span = handOver(request, service, priority);
  const trace = traceOf(request, span);
  const key = idempotencyKey(request.headers['idempotency-key']);
  const endpoint = `${request.method} ${request.routeOptions.url}`;
  const asTask: NewTask = {
    id: newId(),
    service,
    priority,
    input,
    estimateSeconds: estimateSeconds(deps, { service, priority }, estimates),
    principal: request.principal,
    deadlineSeconds: shared.taskDeadlineSeconds,
    ttlSeconds: shared.resultTtlSeconds,
    requestId: request.id,
    ...(trace !== undefined && { traceparent: trace }),
    ...(key !== undefined && { idempotency: once([service, request.principal, endpoint, key], asked) }),
    ...(webhook && { webhook: { deliveryId: newId('whd_'), ...webhook } }),
  };
  const written = await during(span, () => acceptIfRoom(deps, asTask), told);
  if (written.outcome === 'conflict') throw idempotencyKeyReused();
  if (written.outcome === 'replayed') reply.header('idempotency-replayed', 'true');

  const statusUrl = `/result/${written.id}`;
  reply.code(202).header('location', statusUrl);
  return {
    task_id: written.id,
    status: 'queued',
    status_url: statusUrl,
    estimated_wait_seconds: written.estimateSeconds,
  };
}

/** Where the queue is full, a repetition of an accepted request is still answered. */
async function acceptIfRoom({ tasks, admission }: TaskDeps, task: NewTask): Promise<Accepted> {
  const { service, priority, idempotency } = task;
  const entered = admission.enter(service, priority);
  if (!entered) {
    const first = idempotency && (await tasks.firstUse(idempotency));
    if (first) return first;
    throw admission.refusal(service);
  }
  let outcome: Accepted | undefined;
  try {
    outcome = await tasks.accept(task);
    return outcome;
  } finally {
    entered(outcome?.outcome === 'accepted');
  }
}

/** Throws the 422 that names `field` where the policy refuses the URL in it. */
export function checkField(field: string, url: string, policy: UrlPolicy): void {
  try {
    checkUrl(url, policy);
  } catch (error) {
    throw error instanceof UrlRefused ? validationError(`${field}: ${error.message}`) : error;
  }
}

/** What the span of a hand-over says of its end. */
const told = (written: Accepted): Attributes => ({
  'assay.accept.outcome': written.outcome,
  ...(written.outcome !== 'conflict' && { 'messaging.message.id': written.id, 'assay.task.id': written.id }),
});

/** A key counts within one service, principal and endpoint: two clients may use the same. */
const once = (scope: readonly string[], asked: JsonValue): NonNullable<NewTask['idempotency']> => ({
  key: hash('sha256', scope.join('\0'), 'buffer'),
  fingerprint: Buffer.from(fingerprint(asked), 'hex'),
});
