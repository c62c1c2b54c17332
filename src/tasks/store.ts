import type { Queryable } from '../base/db.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { BatchStore } from './batch-store.ts';
import type { DeliveryOutcome, DueClaimRequest, DueDelivery, DuePage, DuePosition } from './delivery.ts';
import type { Backlog } from './fair-position.ts';
import type { AcceptResult, NewTask, TransactionalTask } from './new-task.ts';
import type { Failure, Priority, Task, Webhook } from './task.ts';
import type { StepTime, Timeline } from './timeline.ts';

export type * from './delivery.ts';
export type * from './new-task.ts';

/**
 * Durable task storage and queue. Methods throw the database's errors; `isUnavailable` (base/db.ts) recognizes an
 * unreachable database.
 */
export interface TaskStore {
  /** Tasks that were accepted together. */
  readonly batches: BatchStore;

  /**
   * Resolves once the task is committed. Writes nothing for an idempotency key that is in use: returns the first task
   * (`replayed`), or `conflict` when the fingerprint differs. Sends the hint `waiting` for new tasks.
   */
  accept(task: NewTask): Promise<AcceptResult>;

  /** Read-only lookup of an idempotency key: the result that `accept` would return; undefined for an unused key. */
  findByIdempotencyKey(idempotency: NonNullable<NewTask['idempotency']>): Promise<AcceptResult | undefined>;

  /**
   * Inserts tasks in the caller's transaction. A task whose `resultOf` names a completed task is created as done with a
   * copy of that result; returns the ids of these copies. The caller sends the hint `waiting` after its commit.
   */
  acceptWithin(tx: Queryable, tasks: readonly TransactionalTask[]): Promise<string[]>;

  /**
   * Queues a failed task again as if it were new. Returns false for error codes in `final`, for tasks with a webhook
   * (the failure was already delivered), and for all but one of several concurrent calls. `within` runs in the transaction that
   * queues it.
   */
  requeue(
    service: string,
    id: string,
    final: readonly string[],
    within?: (tx: Queryable) => Promise<unknown>,
  ): Promise<boolean>;

  /** Deletes tasks in any state with their dependent rows; returns the ids that existed. Revokes their leases. */
  remove(service: string, ids: readonly string[], tx?: Queryable): Promise<string[]>;

  /** Undefined for an id that is unknown, expired, or of another service. */
  read(service: string, id: string): Promise<Task | undefined>;

  /** Data stored with a result that polls do not return (heatmaps). */
  readAttachment(id: string): Promise<JsonValue | undefined>;

  /** Like `read`, with what happened to the task and its delivery so far. */
  readTimeline(service: string, id: string): Promise<Timeline | undefined>;

  /**
   * The checkpoint of an unfinished task and its stored size; undefined without one. With the `knownBytes` of an earlier
   * call an unchanged checkpoint is not read; a changed one of the same size is missed until it changes again.
   */
  readCheckpoint(id: string, knownBytes?: number): Promise<StoredCheckpoint | undefined>;

  /**
   * Records attempt results and claims tasks in one statement. A result counts only while the worker still holds that
   * attempt (fencing): otherwise nothing changes and the id is missing from `ended`. Tasks are claimed by priority,
   * then fairly between clients and by age within a client; the claim counts the attempt. Batch tasks have a small guaranteed share.
   *
   * A task whose worker was lost may have crashed it. It is claimed `alone`, before other tasks of its priority, by a
   * worker that is not `busy`. While it waits, one busy worker at a time receives no tasks, so that it becomes free.
   */
  completeAndClaim(endings: readonly AttemptResult[], want: ClaimRequest): Promise<CompleteAndClaimResult>;

  /**
   * Requeues the tasks of claims whose response was lost and uncounts these attempts, which never started. Returns the
   * claim numbers that held tasks; those are final. The caller sends the hint `waiting`.
   */
  returnClaims(worker: string, claims: readonly number[]): Promise<number[]>;

  /**
   * Extends leases and stores progress and checkpoints. Returns the ids that the worker still holds. An expired lease can
   * be renewed until the task is requeued.
   */
  renew(worker: string, leases: readonly Renewal[]): Promise<string[]>;

  /**
   * Requeues the tasks of a dead worker at once; returns their number. Only first attempts with another attempt left: a
   * task that crashes its workers must not use up its attempts within a second. The others wait until their lease
   * expires. The caller sends the hint `waiting`.
   */
  release(worker: string, maxAttempts: number): Promise<number>;

  /** Ends an unfinished task as `CANCELLED`; undefined for an unknown task, `finished` if it had already ended. */
  cancel(service: string, id: string): Promise<Task | 'finished' | undefined>;

  /**
   * One round of cleanup: requeues tasks with expired leases (or fails them when no attempt is left), fails overdue tasks,
   * promotes batch tasks that have waited too long (behind the queued realtime tasks), and deletes expired tasks. A task
   * on which the statement fails does not block the others.
   *
   * Leases that expired during `outage` could not be renewed. They get a grace period if their worker was alive when the
   * outage began. A dead worker gets it once, however many processes sweep and however often the database fails.
   */
  sweep(limits: SweepLimits): Promise<SweepResult>;

  /** Groups a page of at most `limit` due deliveries, oldest first, by client and receiver. Starts at `after`. */
  findDueDeliveries(limit: number, after?: DuePosition): Promise<DuePage>;

  /** Leases due deliveries of each queue, oldest first, and counts the attempts. They are due again when the lease expires. */
  claimDueDeliveries(queues: readonly DueClaimRequest[], leaseMs: number): Promise<DueDelivery[]>;

  /** Stores a webhook body before its first attempt; returns the body that was stored first. */
  saveBodyOnce(deliveryId: string, body: string): Promise<string>;

  /**
   * Records the outcome of a delivery's latest attempt; returns false for an earlier attempt. The retry schedule continues
   * after the task has expired; then the last attempt deletes the delivery.
   */
  recordDelivery(deliveryId: string, attempt: number, outcome: DeliveryOutcome): Promise<boolean>;

  /** Counts waiting tasks, each priority up to `limit` (`MAX_COUNTED`), and tasks in progress. */
  queueDepth(service: string, limit?: number): Promise<Depth>;

  /** Counts webhooks that wait for an attempt, up to `MAX_COUNTED`. */
  pendingDeliveries(): Promise<number>;

  /** Notifies all processes; may be lost. `ids`: the tasks that ended (`finished`); without ids every waiting reader polls. */
  hint(topic: Hint, ids?: readonly string[]): void;
  /** Calls `wake` after hints of other processes, and once a second without one. */
  onHint(topic: Hint | FinishedHint, wake: () => void, signal: AbortSignal): void;
}

/**
 * `waiting:SERVICE`: a task waits for a worker. `finished`: a task has ended (readers wait, a webhook is due).
 * `changed:SERVICE`: other data of the service has changed.
 */
export type Hint = `waiting:${string}` | `changed:${string}` | 'finished';
export type FinishedHint = `finished:${string}`;

export interface StoredCheckpoint {
  readonly storedBytes: number;
  /** Absent if it is unchanged. */
  readonly checkpoint?: JsonValue;
}

/** A lease on one attempt at one task. */
export interface Claim {
  readonly id: string;
  readonly attempt: number;
  readonly input: JsonValue;
  readonly principal: string;
  readonly checkpoint?: JsonValue | undefined;
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly estimateSeconds: number;
  /** From queueing to this claim. */
  readonly waitedMs: number;
  /** An earlier attempt was lost with its worker: the worker claims nothing else during this one. */
  readonly alone?: true | undefined;
}

export interface ClaimRequest {
  readonly service: string;
  readonly worker: string;
  /** At most `MAX_CLAIMS`. */
  readonly limit: number;
  readonly leaseMs: number;
  /** The worker's number for this claim request, for `returnClaims`. */
  readonly claim?: number;
  /** The worker holds tasks or has another claim request in flight. */
  readonly busy?: boolean;
}

/** The result of an attempt: done, failed, or to be retried after `delayMs` (0: at once). */
export type AttemptResult = { readonly id: string; readonly attempt: number; readonly steps?: readonly StepTime[] } & (
  | {
      readonly outcome: 'done';
      readonly result: JsonValue;
      readonly attachment?: JsonValue;
      readonly processingMs: number;
    }
  | { readonly outcome: 'failed'; readonly failure: Failure; readonly processingMs: number }
  | {
      readonly outcome: 'again';
      readonly delayMs: number;
      /** A code for the timeline. */
      readonly reason?: string;
      /** The attempt does not count, for example because the worker is stopping. */
      readonly uncounted?: boolean;
    }
);

export interface CompleteAndClaimResult {
  readonly ended: string[];
  readonly claimed: Claim[];
  /** The hint `finished` was sent with the commit; otherwise the caller sends it. */
  readonly notified?: boolean;
  /** The claim may have left tasks without a later hint: a lost task held them back, or no hints arrive. */
  readonly moreMayWait?: boolean;
}

export interface Renewal {
  readonly id: string;
  readonly attempt: number;
  readonly leaseMs: number;
  readonly progress?: number;
  readonly checkpoint?: JsonObject;
}

export interface SweepLimits {
  /** Services whose tasks are promoted; everything else applies to all services. */
  readonly services: readonly string[];
  readonly maxAttempts: number;
  readonly batchMaxWaitSeconds: number;
  /** Maximum rows of each kind per sweep; bounds the locks held. */
  readonly rows: number;
  /**
   * When the current run of failed sweeps began, by the database's clock (`SweepResult.at`), and the lease duration.
   * Absent before the first successful sweep: then no lease is extended.
   */
  readonly outage?: { readonly since: Date; readonly leaseMs: number };
}

export interface SweepResult {
  readonly returned: number;
  /** Number of tasks by service. */
  readonly failed: Readonly<Record<string, number>>;
  readonly promoted: number;
  readonly removed: number;
  /** Leases that expired during an outage of the database and were extended. */
  readonly extended: number;
  /** Tasks on which the statement failed in this sweep; later sweeps skip them for a while. */
  readonly skipped: readonly { readonly id: string; readonly error: unknown }[];
  /** The database's clock. */
  readonly at: Date;
  /** Until the next lease expires; null without leases. */
  readonly nextLeaseMs: number | null;
}

/** Default upper bound of counts of tasks per priority and of deliveries. */
export const MAX_COUNTED = 10_000;

export interface Depth {
  readonly waiting: Record<Priority, number>;
  readonly processing: number;
  /** Wait of the next task to be claimed. */
  readonly oldestWaitingSeconds: Record<Priority, number>;
  /** The start tag of that task, or the latest finish tag (decision 37), in seconds since 1970. */
  readonly virtualTime: Record<Priority, number>;
  /** Of the clients with waiting tasks. */
  readonly backlog: Record<Priority, Backlog>;
}

/** The state of a webhook when the result is recorded, as its own body shows it. */
export const initialWebhook = (deliveryId: string): Webhook => ({ deliveryId, state: 'pending', attempts: 0 });
