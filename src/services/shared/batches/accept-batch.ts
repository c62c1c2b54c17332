import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { idempotencyKeyReused } from '../../../base/api-error.ts';
import { newId } from '../../../base/ids.ts';
import { withSpan } from '../../../base/trace.ts';
import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { NewTask } from '../../../tasks/store.ts';
import { createTask, idempotencyOf, type TaskDeps, type TaskRequest } from '../accept-task.ts';
import { type Grouping, withGrouping } from '../grouping.ts';
import { startProducerSpan, taskTraceparent } from '../producer-span.ts';
import { type BatchInput, batchName } from './present-batch.ts';

interface BatchRequest {
  readonly service: string;
  readonly items: readonly TaskRequest[];
  /** Of items without a project or without tags. */
  readonly grouping?: Grouping | undefined;
  readonly webhookUrl?: string | undefined;
  readonly name?: string | undefined;
  /** Of the items of an archive. */
  readonly names?: readonly string[];
}

/** Stores a batch, or finds the one that has the request's idempotency key. It is durable when this resolves. */
export async function acceptBatch(
  deps: TaskDeps,
  request: FastifyRequest,
  { service, items: given, grouping, webhookUrl, name, names }: BatchRequest,
) {
  const { tasks, shared, admission } = deps;
  const items =
    grouping === undefined ? given : given.map((item) => ({ ...item, grouping: { ...grouping, ...item.grouping } }));
  const span = startProducerSpan(request, service, 'batch');
  const traceparent = taskTraceparent(request, span);
  const idempotency = keyOf(request, { service, items: given, grouping, webhookUrl });
  const created = items.map((item, at) => createTask(deps, request, item, traceparent, at).task);
  const estimateSeconds = Math.max(...created.map((task) => task.estimateSeconds));
  const input: BatchInput = {
    total: items.length,
    ...batchName(
      names ?? items.flatMap(({ input: { file_name: file } }) => (typeof file === 'string' ? file : [])),
      name,
    ),
    ...(items.some((item) => item.grouping) && { isGrouped: true }),
  };
  const batch: NewTask = {
    id: newId(),
    service: batchQueue(service),
    priority: 'batch',
    input: withGrouping({ ...input }, grouping),
    estimateSeconds,
    principal: request.principal,
    ttlSeconds: shared.resultTtlSeconds,
    requestId: request.id,
    ...(traceparent !== undefined && { traceparent }),
    ...(idempotency && { idempotency }),
    ...(webhookUrl !== undefined && { webhook: { deliveryId: newId('whd_'), url: webhookUrl } }),
  };
  const accepted = await withSpan(
    span,
    () => storeIfRoom(),
    () => ({ 'messaging.batch.message_count': items.length }),
  );
  if (accepted.outcome === 'conflict') throw idempotencyKeyReused();
  const isReplayed = accepted.outcome === 'replayed';
  if (!isReplayed) tasks.hint(`waiting:${service}`);
  return { id: accepted.id, isReplayed, estimateSeconds: isReplayed ? accepted.estimateSeconds : estimateSeconds };

  async function storeIfRoom() {
    const owner = admission.ownerOf(service, request.principal);
    await admission.recountIfFull(service, owner, items.length);
    const releasePermit = admission.reserve(service, 'batch', owner, items.length, items.length);
    if (!releasePermit) {
      const first = idempotency && (await tasks.findByIdempotencyKey(idempotency));
      if (first) return first;
      throw admission.queueFullError(service, owner, items.length);
    }
    let isWritten = false;
    try {
      const outcome = await tasks.batches.accept(batch, created, names);
      isWritten = outcome.outcome === 'accepted';
      return outcome;
    } finally {
      releasePermit(isWritten);
    }
  }
}

/** Whether an earlier request, of any content, has the request's idempotency key. */
export async function isKeyUsed({ tasks }: TaskDeps, request: FastifyRequest, service: string): Promise<boolean> {
  const key = idempotencyOf(request, { service, content: null });
  return key !== undefined && (await tasks.findByIdempotencyKey(key)) !== undefined;
}

/** The batch that an equal request with the same idempotency key has created, if any. Throws if that request was another one. */
export async function findBatch({ tasks }: TaskDeps, request: FastifyRequest, batch: BatchRequest) {
  const key = keyOf(request, batch);
  const first = key && (await tasks.findByIdempotencyKey(key));
  if (first?.outcome === 'conflict') throw idempotencyKeyReused();
  return first && { id: first.id, isReplayed: true, estimateSeconds: first.estimateSeconds };
}

const keyOf = (request: FastifyRequest, { service, ...content }: BatchRequest) =>
  idempotencyOf(request, { service, content: digestOf(content) });

/** Distinguishes a retry from another request. */
function digestOf({ items, webhookUrl = '', grouping }: Omit<BatchRequest, 'service'>): string {
  const digest = createHash('sha256').update(webhookUrl);
  if (grouping) digest.update(`\n${JSON.stringify(grouping)}`);
  for (const { content, priority } of items) digest.update(`\n${priority}${JSON.stringify(content)}`);
  return digest.digest('hex');
}
