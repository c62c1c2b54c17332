import type { Db } from '../base/db.ts';
import { acceptTo, acceptWithin, firstUseFrom } from './accept.ts';
import { advance, renew } from './advance.ts';
import { cancel } from './cancel.ts';
import { findDue, keepBody, pendingDeliveries, settle, takeDue } from './deliveries.ts';
import { depth } from './depth.ts';
import { hintsOver } from './hints.ts';
import { createQueueFloors } from './queue-floors.ts';
import { readAttachment, readFrom } from './read.ts';
import { remove, requeue } from './requeue.ts';
import { release, returnClaims } from './return-claims.ts';
import type { TaskStore } from './store.ts';
import { sweepIn } from './sweep.ts';

/** The task store in PostgreSQL. Each method is one statement, except `accept` (keys in use) and `cancel` (reads the task). */
export function postgresTaskStore(db: Db): TaskStore & { close(): void } {
  const read = readFrom(db);
  const hints = hintsOver(db);
  const floors = createQueueFloors(db);
  return {
    ...hints,
    accept: acceptTo(db, hints.hint),
    firstUse: firstUseFrom(db),
    acceptWithin,
    requeue: (service, id, final, tx = db) => requeue(tx, service, id, final),
    remove: (service, ids, tx = db) => remove(tx, service, ids),
    read,
    readAttachment: (id) => readAttachment(db, id),
    advance: (endings, request) => advance(db, floors, endings, request),
    returnClaims: (worker, claims) => returnClaims(db, worker, claims),
    renew: (worker, leases) => renew(db, worker, leases),
    release: (worker, maxAttempts) => release(db, worker, maxAttempts),
    cancel: async (service, id) => {
      const cancelled = await cancel(db, service, id);
      const task = await read(service, id);
      return cancelled ? task : task && 'finished';
    },
    sweep: sweepIn(db),
    findDue: (limit, after) => findDue(db, limit, after),
    takeDue: (queues, leaseMs) => takeDue(db, queues, leaseMs),
    keepBody: (deliveryId, body) => keepBody(db, deliveryId, body),
    settle: (deliveryId, attempt, outcome) => settle(db, deliveryId, attempt, outcome),
    depth: (service, limit) => depth(db, floors, service, limit),
    pendingDeliveries: () => pendingDeliveries(db),
  };
}
