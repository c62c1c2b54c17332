import type { Queryable } from '../base/db.ts';
import type { AcceptResult, NewTask } from './new-task.ts';
import type { Priority } from './task.ts';

/** A batch is itself a task, in a queue without workers; it expires with its items. */
export interface BatchStore {
  /** Stores the batch with all its items, or nothing. The caller sends the hint `waiting`. */
  accept(batch: NewTask, items: readonly NewTask[], names?: readonly string[]): Promise<AcceptResult>;

  /** Stores a batch of tasks that the caller stores in the same transaction. */
  acceptWithin(
    tx: Queryable,
    batch: NewTask,
    items: { readonly service: string; readonly ids: readonly string[]; readonly names?: readonly string[] },
  ): Promise<void>;

  /** One after another: each reads all items of its batch. */
  summaries(ids: readonly string[]): Promise<Map<string, BatchSummary>>;

  /** The ids of the principal's batches, newest first. */
  list(service: string, principal: string, limit: number, filter?: BatchFilter): Promise<string[]>;

  /** The items after a position, all or only those in `state`. */
  items(id: string, after: number, limit: number, state?: ItemState): Promise<BatchItem[]>;

  /** Cancels the unfinished items, in several statements; returns their ids. */
  cancel(id: string): Promise<string[]>;

  /**
   * Queues the failed items of a completed batch again and keeps their uploads as long; returns their number, undefined for an
   * unfinished batch. Leaves out cancelled items, those with a code in `final` and those with a webhook, which has delivered the
   * failure. `within` runs in the same transaction. The caller sends the hint `waiting`.
   */
  retry(
    id: string,
    options?: {
      readonly final?: readonly string[] | undefined;
      readonly within?: ((tx: Queryable, ids: readonly string[]) => Promise<void>) | undefined;
    },
  ): Promise<number | undefined>;

  /** Ends batches without unfinished items, at most 100; makes their webhooks due. Returns the ids. */
  completeEnded(services: readonly string[]): Promise<string[]>;

  /** Deletes completed batches created before a time that have no item left, at most `limit`; returns their number. */
  removeEmpty(service: string, before: Date, limit: number): Promise<number>;
}

/** As a batch counts its items: a cancelled one is not `failed`. `deleted`: its task was deleted. */
export const ITEM_STATES = ['queued', 'processing', 'done', 'failed', 'cancelled', 'deleted'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

export interface BatchFilter {
  /** Only batches before the one with this id. */
  readonly before?: string | undefined;
  readonly project?: string | undefined;
  readonly tag?: string | undefined;
}

/** The number of items in each state, and the first failures. Deleted items are not counted. */
export interface BatchSummary {
  readonly counts: Readonly<Record<'queued' | 'processing' | 'done' | 'failed' | 'cancelled', number>>;
  readonly errors: readonly BatchItem[];
  /** Of all failed items, distinct. Absent in a summary of an older version. */
  readonly error_codes?: readonly string[];
  /** The start tags of the last waiting items, in seconds since 1970; null without one. Absent in stored summaries. */
  readonly lastTags?: Readonly<Record<Priority, number | null>>;
}

export interface BatchItem {
  readonly position: number;
  readonly task_id: string;
  /** Null: the batch is not from an archive. */
  readonly name: string | null;
  /** Null: the task was deleted. */
  readonly status: 'queued' | 'processing' | 'done' | 'failed' | null;
  readonly error: string | null;
  readonly error_code: string | null;
  /** The first member of the input; absent in summaries, null without one. */
  readonly grouping?: { readonly project?: string; readonly tags?: string[] } | null;
}
