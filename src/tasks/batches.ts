import { batched } from '../base/batch.ts';
import type { Db, Statement } from '../base/db.ts';
import { isCollision } from '../base/db-errors.ts';
import { insertTagged, insertTasks, releaseExpiredKeys } from './accept.ts';
import { batchQueue } from './batch-queue.ts';
import {
  CANCEL,
  CANCEL_LOCKED,
  COMPLETE,
  FAILED_ITEMS,
  INSERT,
  ITEMS,
  LIST,
  LOCK_COMPLETED,
  REMOVE_EMPTY,
  REOPEN,
  REQUEUE,
  SUMMARY,
} from './batch-statements.ts';
import type { BatchFilter, BatchItem, BatchStore, BatchSummary, ItemState } from './batch-store.ts';
import { type FairTags, takeTags } from './fair-tags.ts';
import { type FailedTask, toTagged } from './requeue.ts';
import type { AcceptResult, NewTask } from './store.ts';
import { FAILURES } from './task.ts';
import { keepUploadsOf } from './uploads.ts';

/** Rows per statement: bounds the memory and the locks of one. */
const CHUNK = 1000;

export function createBatchStore(
  db: Db,
  tags: FairTags,
  findFirstUse: (key: NonNullable<NewTask['idempotency']>) => Promise<AcceptResult | undefined>,
): BatchStore {
  const write = (taken: FairTags, batch: NewTask, items: readonly NewTask[], names?: readonly string[]) =>
    db.transaction(async (tx) => {
      if ((await insertTasks(tx, tags, [batch])).size === 0) return false;
      for (let at = 0; at < items.length; at += CHUNK) await insertTagged(tx, taken, items.slice(at, at + CHUNK));
      await tx.query(INSERT, [batch.id, items[0]!.service, batch.principal, items.map(({ id }) => id), names]);
      return true;
    });

  const writeOnce = (...batch: Parameters<typeof write>) =>
    write(...batch).catch((error: unknown) => {
      if (!isCollision(error)) throw error;
      return write(...batch);
    });

  // A summary reads all items, so one at a time, and once for all who wait for it.
  const summary = batched(
    async (ids: string[]) => {
      const summaries = new Map<string, BatchSummary>();
      for (const id of new Set(ids)) {
        const { rows } = await db.query<{ summary: BatchSummary }>(SUMMARY, [id]);
        summaries.set(id, rows[0]!.summary);
      }
      return ids.map((id) => summaries.get(id)!);
    },
    { inFlight: 1 },
  );

  return {
    async accept(batch, items, names): Promise<AcceptResult> {
      // Taken once: further ones would move the client back by the length of the batch each time.
      let taken: FairTags | undefined;
      for (;;) {
        if (batch.idempotency) {
          const first = await findFirstUse(batch.idempotency);
          if (first) return first;
          await releaseExpiredKeys(db, [batch]);
        }
        taken ??= await takeTags(db, tags, items);
        if (await writeOnce(taken, batch, items, names))
          return { outcome: 'accepted', id: batch.id, estimateSeconds: 0 };
      }
    },

    async acceptWithin(tx, batch, { service, ids, names }): Promise<void> {
      await insertTasks(tx, tags, [batch]);
      await tx.query(INSERT, [batch.id, service, batch.principal, ids, names]);
    },

    async summaries(ids: readonly string[]): Promise<Map<string, BatchSummary>> {
      return new Map(await Promise.all(ids.map(async (id) => [id, await summary(id)] as const)));
    },

    async list(service: string, principal: string, limit: number, filter: BatchFilter = {}): Promise<string[]> {
      const { before = null, project = null, tag = null } = filter;
      const { rows } = await db.query<{ id: string }>(LIST, [service, principal, limit, before, project, tag]);
      return rows.map(({ id }) => id);
    },

    async items(id: string, after: number, limit: number, state?: ItemState): Promise<BatchItem[]> {
      return (await db.query<BatchItem>(ITEMS, [id, after, limit, state ?? null])).rows;
    },

    async cancel(id: string): Promise<string[]> {
      const { code, message } = FAILURES.CANCELLED;
      const cancelPage = async (statement: Statement, after: number, limit: number): Promise<Page> => {
        const { rows } = await db.query<Page>(statement, [id, after, limit, code, message]);
        return rows[0]!;
      };
      const cancelled: string[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const { last, ids, locked } = await cancelPage(CANCEL, after, CHUNK);
        cancelled.push(...ids);
        for (const position of locked) cancelled.push(...(await cancelPage(CANCEL_LOCKED, position - 1, 1)).ids);
        after = last;
      }
      return cancelled;
    },

    async retry(id, { final = [], within } = {}): Promise<number | undefined> {
      const { rows } = await db.query<FailedItem>(FAILED_ITEMS, [id, [FAILURES.CANCELLED.code, ...final]]);
      const failed = rows.map(toTagged);
      const taken = await takeTags(db, tags, failed);
      return db.transaction(async (tx) => {
        if ((await tx.query(LOCK_COMPLETED, [id])).rowCount === 0) return undefined;
        const queued: string[] = [];
        for (let at = 0; at < failed.length; at += CHUNK) {
          const part = failed.slice(at, at + CHUNK);
          const [services, priorities, owners, starts, costs, , offsets] = taken(part);
          const ids = part.map((task) => task.id);
          const values = [ids, offsets, services, priorities, owners, starts, costs];
          const { rows } = await tx.query<{ id: string }>(REQUEUE, values);
          queued.push(...rows.map((row) => row.id));
        }
        if (queued.length > 0) await tx.query(REOPEN, [id]);
        await keepUploadsOf(tx, queued);
        await within?.(tx, queued);
        return queued.length;
      });
    },

    async completeEnded(services: readonly string[]): Promise<string[]> {
      const { rows } = await db.query<{ id: string }>(COMPLETE, [services.map(batchQueue)]);
      return rows.map(({ id }) => id);
    },

    async removeEmpty(service: string, before: Date, limit: number): Promise<number> {
      return (await db.query(REMOVE_EMPTY, [service, before, limit])).rowCount;
    },
  };
}

interface Page {
  /** Null: the page is empty. */
  readonly last: number | null;
  readonly ids: string[];
  /** Positions of unfinished items that others have locked. */
  readonly locked: number[];
}

interface FailedItem extends FailedTask {
  readonly id: string;
}
