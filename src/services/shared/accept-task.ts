import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { idempotencyKeyReused, validationError } from '../../base/api-error.ts';
import { newId } from '../../base/ids.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { checkUrl, type UrlPolicy, UrlRejected } from '../../base/outbound-url.ts';
import { type Attributes, withSpan } from '../../base/trace.ts';
import { fingerprint, idempotencyKey } from '../../http/idempotency.ts';
import { isSandboxPrincipal } from '../../http/sandbox-credential.ts';
import type { Admission } from '../../tasks/admission.ts';
import type { EstimateSettings, Estimates } from '../../tasks/estimates.ts';
import type { AcceptResult, NewTask, TaskStore } from '../../tasks/store.ts';
import type { Priority } from '../../tasks/task.ts';
import { type Grouping, readGrouping, withGrouping } from './grouping.ts';
import { startProducerSpan, taskTraceparent } from './producer-span.ts';
import { NO_SANDBOX_INPUT } from './sandbox/accept.ts';
import { SANDBOX_DEADLINE_SECONDS, sandboxQueue } from './sandbox/queue.ts';
import type { SharedSettings } from './service.ts';

export interface TaskRequest {
  readonly service: string;
  readonly priority: Priority;
  readonly input: JsonObject;
  readonly estimateSettings: EstimateSettings;
  readonly grouping?: Grouping | undefined;
  /** Covered by the idempotency fingerprint. */
  readonly content: JsonValue;
  /** The idempotency key of a request without the header. */
  readonly defaultKey?: string;
  readonly webhook?: { readonly url: string; readonly secret?: Buffer };
  /** The name of the documented input, for a sandbox credential. */
  readonly sandbox?: string | undefined;
}

export interface TaskDeps {
  readonly tasks: TaskStore;
  readonly admission: Admission;
  readonly estimates: Estimates;
  readonly shared: SharedSettings;
}

/** Stores the task and sets the status and headers of its 202 response. The task is durable when this resolves. */
export async function acceptTask(deps: TaskDeps, request: FastifyRequest, reply: FastifyReply, wanted: TaskRequest) {
  const accepted = await storeTask(deps, request, wanted);
  if (accepted.outcome === 'replayed') reply.header('idempotency-replayed', 'true');

  const statusUrl = `/result/${accepted.id}`;
  reply.code(202).header('location', statusUrl);
  return {
    task_id: accepted.id,
    status: 'queued' as const,
    status_url: statusUrl,
    estimated_wait_seconds: accepted.estimateSeconds,
  };
}

/** Stores the task, or finds the one that has its idempotency key. The task is durable when this resolves. */
export async function storeTask(
  deps: TaskDeps,
  request: FastifyRequest,
  wanted: TaskRequest,
): Promise<Exclude<AcceptResult, { outcome: 'conflict' }>> {
  if (wanted.sandbox === undefined && isSandboxPrincipal(request.principal)) throw validationError(NO_SANDBOX_INPUT);
  const span = startProducerSpan(request, wanted.service, wanted.priority);
  const idempotency = idempotencyOf(request, wanted);
  const { task: plain, onAccepted } = createTask(deps, request, wanted, taskTraceparent(request, span));
  const task: NewTask = { ...plain, ...(idempotency && { idempotency }) };
  const accept = () => (wanted.sandbox === undefined ? acceptIfRoom(deps, task) : deps.tasks.accept(task));
  const accepted = await withSpan(span, accept, spanAttributes);
  if (accepted.outcome === 'conflict') throw idempotencyKeyReused();
  if (accepted.outcome === 'accepted') onAccepted?.(accepted.id);
  return accepted;
}

/** A new task without an idempotency key. */
export function createTask(
  { shared, admission, estimates }: Omit<TaskDeps, 'tasks'>,
  request: FastifyRequest,
  { service, priority, input: plain, estimateSettings, grouping, webhook, sandbox }: Omit<TaskRequest, 'content'>,
  traceparent: string | undefined,
  /** Tasks before it in the same request. */
  precededBy = 0,
) {
  const owner = admission.ownerOf(service, request.principal);
  const input = withGrouping(plain, grouping);
  const estimate =
    sandbox === undefined ? estimates.estimate({ service, priority, owner, precededBy }, estimateSettings) : undefined;
  const task: NewTask = {
    id: newId(),
    service,
    priority,
    input,
    estimateSeconds: estimate?.seconds ?? 1,
    principal: request.principal,
    owner,
    deadlineSeconds: shared.taskDeadlineSeconds,
    ttlSeconds: shared.resultTtlSeconds,
    requestId: request.id,
    ...(traceparent !== undefined && { traceparent }),
    ...(webhook && { webhook: { deliveryId: newId('whd_'), ...webhook } }),
    ...(sandbox !== undefined && sandboxFields(service, input, sandbox)),
  };
  return { task, onAccepted: estimate?.onAccepted };
}

/** The fields of a sandbox task that differ. Short times bound what is stored, also while nothing processes it. */
const sandboxFields = (service: string, input: JsonObject, sandbox: string) => ({
  service: sandboxQueue(service),
  input: { ...input, sandbox },
  deadlineSeconds: SANDBOX_DEADLINE_SECONDS,
  ttlSeconds: 3600,
});

/** The id of the task that has the request's idempotency key; undefined for a new key. */
export async function findTask(
  { tasks }: TaskDeps,
  request: FastifyRequest,
  wanted: TaskRequest,
): Promise<string | undefined> {
  const idempotency = idempotencyOf(request, wanted);
  const first = idempotency && (await tasks.findByIdempotencyKey(idempotency));
  if (first?.outcome === 'conflict') throw idempotencyKeyReused();
  return first?.id;
}

/** When the queue is full, a replay of an accepted request still returns its task. */
async function acceptIfRoom({ tasks, admission }: TaskDeps, task: NewTask): Promise<AcceptResult> {
  const { service, priority, owner, principal, idempotency } = task;
  const client = owner ?? principal;
  await admission.recountIfFull(service, client);
  const releasePermit = admission.reserve(service, priority, client);
  if (!releasePermit) {
    const first = idempotency && (await tasks.findByIdempotencyKey(idempotency));
    if (first) return first;
    throw admission.queueFullError(service, client);
  }
  let outcome: AcceptResult | undefined;
  try {
    outcome = await tasks.accept(task);
    return outcome;
  } finally {
    releasePermit(outcome?.outcome === 'accepted');
  }
}

/** Parses a URL. Throws a 422 error that names `field` if the policy rejects it. */
export function checkUrlField(field: string, url: string, policy: UrlPolicy): URL {
  try {
    return checkUrl(url, policy);
  } catch (error) {
    throw error instanceof UrlRejected ? validationError(`${field}: ${error.message}`) : error;
  }
}

/** Throws a 422 error that names the invalid field. */
export const groupingFrom = (body: Parameters<typeof readGrouping>[0]): Grouping | undefined =>
  readGrouping(body, (field, message) => validationError(`${field}: ${message}.`));

const spanAttributes = (accepted: AcceptResult): Attributes => ({
  'assay.accept.outcome': accepted.outcome,
  ...(accepted.outcome !== 'conflict' && { 'messaging.message.id': accepted.id, 'assay.task.id': accepted.id }),
});

export function idempotencyOf(
  request: FastifyRequest,
  { service, content, defaultKey, sandbox }: Pick<TaskRequest, 'service' | 'content' | 'defaultKey' | 'sandbox'>,
): NonNullable<NewTask['idempotency']> | undefined {
  const key = idempotencyKey(request.headers['idempotency-key']) ?? (sandbox === undefined ? defaultKey : undefined);
  if (key === undefined) return undefined;
  const endpoint = `${request.method} ${request.routeOptions.url}`;
  return {
    key: hash('sha256', [service, request.principal, endpoint, key].join('\0'), 'buffer'),
    fingerprint: Buffer.from(fingerprint(content), 'hex'),
  };
}
