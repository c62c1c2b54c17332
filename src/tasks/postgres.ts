import type { Db } from '../base/db.ts';
import { acceptWithin, createAccept, createIdempotencyLookup } from './accept.ts';
import { createBatchShare } from './batch-share.ts';
import { createBatchStore } from './batches.ts';
import { completeAndClaim } from './complete-and-claim.ts';
import {
  claimDueDeliveries,
  findDueDeliveries,
  pendingDeliveries,
  recordDelivery,
  saveBodyOnce,
} from './deliveries.ts';
import { type ClientWeights, createFairTags, type VirtualTime } from './fair-tags.ts';
import { createHints } from './hints.ts';
import { renew } from './leases.ts';
import { createLoneCheck } from './lone.ts';
import { queueDepth } from './queue-depth.ts';
import { createQueueFloors } from './queue-floors.ts';
import { createTaskReader, readAttachment, readCheckpoint } from './read.ts';
import { cancel, remove, requeue } from './requeue.ts';
import { release, returnClaims } from './return-claims.ts';
import type { Depth, TaskStore } from './store.ts';
import { createSweep } from './sweep.ts';
import { readTimeline } from './timeline.ts';

/** The task store in PostgreSQL. Each method is one statement, except `accept` (keys in use) and `cancel` (reads the task). */
export function createPostgresTaskStore(
  db: Db,
  { weights = new Map(), batchSharePercent = 0 }: { weights?: ClientWeights; batchSharePercent?: number } = {},
): TaskStore & { close(): void } {
  const read = createTaskReader(db);
  const hints = createHints(db);
  const floors = createQueueFloors(db);
  const batchShare = createBatchShare(batchSharePercent);
  const depths = new Map<string, Depth>();
  const virtualTime: VirtualTime = (service, priority) => depths.get(service)?.virtualTime[priority];
  const tags = createFairTags(weights, virtualTime);
  const isLoneEnd = createLoneCheck();
  const findByIdempotencyKey = createIdempotencyLookup(db);
  return {
    ...hints,
    batches: createBatchStore(db, tags, findByIdempotencyKey),
    accept: createAccept(db, tags, hints.hint),
    findByIdempotencyKey,
    acceptWithin: (tx, tasks) => acceptWithin(tx, tags, tasks),
    requeue: (service, id, final, within) => requeue(db, tags, service, id, final, within),
    remove: (service, ids, tx = db) => remove(tx, service, ids),
    read,
    readTimeline: (service, id) => readTimeline(db, service, id),
    readAttachment: (id) => readAttachment(db, id),
    readCheckpoint: (id, knownBytes) => readCheckpoint(db, id, knownBytes),
    completeAndClaim: (endings, request) =>
      completeAndClaim(db, floors, batchShare, endings, request, endings.length > 0 && isLoneEnd(endings.length)),
    returnClaims: (worker, claims) => returnClaims(db, worker, claims),
    renew: (worker, leases) => renew(db, worker, leases),
    release: (worker, maxAttempts) => release(db, worker, maxAttempts),
    cancel: async (service, id) => {
      const cancelled = await cancel(db, service, id);
      const task = await read(service, id);
      return cancelled ? task : task && 'finished';
    },
    sweep: createSweep(db),
    findDueDeliveries: (limit, after) => findDueDeliveries(db, limit, after),
    claimDueDeliveries: (queues, leaseMs) => claimDueDeliveries(db, queues, leaseMs),
    saveBodyOnce: (deliveryId, body) => saveBodyOnce(db, deliveryId, body),
    recordDelivery: (deliveryId, attempt, outcome) => recordDelivery(db, deliveryId, attempt, outcome),
    async queueDepth(service, limit) {
      const depth = await queueDepth(db, floors, service, limit);
      depths.set(service, depth);
      return depth;
    },
    pendingDeliveries: () => pendingDeliveries(db),
  };
}
