import type { Queryable } from '../base/db.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Failure, Priority, Task, Webhook } from './task.ts';

/**
 * The one durable heart: every promise that the services make about tasks is kept here. `store.contract.ts` holds an
 * implementation to these words.
 *
 * Every verb throws what its database throws; `isUnavailable` in base/db.ts tells whether the store is out of reach.
 */
export interface TaskStore {
  /**
   * Writes a task down, durably: when this resolves, the task survives the loss of every process. With an idempotency
   * key that was used before, nothing is written: the first task is answered again (`replayed`), or `conflict` when the
   * fingerprint differs. Hints `waiting` for what it wrote.
   */
  accept(task: NewTask): Promise<Accepted>;

  /** What `accept` answers for an idempotency key that was used before; undefined, and nothing written, for another one. */
  firstUse(idempotency: NonNullable<NewTask['idempotency']>): Promise<Accepted | undefined>;

  /**
   * Writes tasks down in a transaction of the caller's, so that they are there if and only if what he writes beside them
   * is. One with `resultOf` is born done, with a copy of that task's result, where that task is done; answers the ids of
   * those. Whoever calls hints `waiting` after the commit.
   */
  acceptWithin(tx: Queryable, tasks: readonly CompanionTask[]): Promise<string[]>;

  /**
   * Puts a failed task back into the queue as if it had just arrived, unless it failed with one of the codes `final`, or
   * has a webhook (which has told its end). Of several at once one is told true.
   */
  requeue(service: string, id: string, final: readonly string[], tx?: Queryable): Promise<boolean>;

  /**
   * Removes tasks, whatever their state, with all that belongs to them, and answers the ids of those that were there.
   * Whoever works on one is a late worker from then on.
   */
  remove(service: string, ids: readonly string[], tx?: Queryable): Promise<string[]>;

  /** The task as it stands, or `undefined` for an id that is unknown, expired, or another service's. */
  read(service: string, id: string): Promise<Task | undefined>;

  /** What was kept beside the result of a finished task and no poll carries. */
  readAttachment(id: string): Promise<JsonValue | undefined>;

  /**
   * Ends attempts and takes new ones in a single statement. An ending counts only while its worker still holds that
   * attempt (the fence): a late worker changes nothing, and its id is missing from `ended`. Tasks are claimed in the
   * order of priority, then age, each by one worker only; attempts are counted here, at the claim.
   *
   * A task whose attempt was lost with its worker is claimed `alone`: by a worker that is not `busy`, and nothing else with
   * it, since it may be what ended the worker. It comes first in its priority. While it waits, one busy worker at a time
   * is given nothing, so that it becomes free for it.
   */
  advance(endings: readonly Ending[], want: Want): Promise<{ ended: string[]; claimed: Claim[] }>;

  /**
   * Returns the tasks of claims whose answer was lost to the queue; such an attempt has never begun, so it is not counted.
   * Answers the claims that held any: nothing more comes of those. Whoever calls hints `waiting`.
   */
  returnClaims(worker: string, claims: readonly number[]): Promise<number[]>;

  /**
   * Prolongs leases, and writes progress and checkpoints down. Answers the ids still held; the others were lost. A lease that
   * has run out is still held until it is given away: after an outage the first renewal saves it.
   */
  renew(worker: string, leases: readonly Renewal[]): Promise<string[]>;

  /**
   * Gives back at once what a worker holds that is known to be dead, and answers how many tasks that were. First attempts
   * only, and only where another one is left: a passing cause, or a task that kills its workers, is not to use all of them up
   * within a second. The others wait for the lease. Whoever calls hints `waiting`.
   */
  release(worker: string, maxAttempts: number): Promise<number>;

  /** Ends an unfinished task as `CANCELLED`; `undefined` if there is none such, `finished` if it was too late. */
  cancel(service: string, id: string): Promise<Task | 'finished' | undefined>;

  /**
   * One round of housekeeping: returns lost leases to the queue at once (or fails what has no attempt left), fails what
   * is past its deadline, promotes what has waited long at low priority, and removes what has expired. What is promoted
   * comes after the realtime tasks that wait already. A task on which the statement fails keeps no other from being swept.
   *
   * Leases that ran out between `asked.since` and now are not lost where their worker was seen just before: nobody could renew
   * them while the store was away, so they go on for a grace in which a living worker renews them. A worker that is dead is
   * never spared twice, whoever sweeps and however often the store goes away.
   */
  sweep(limits: SweepLimits): Promise<Swept>;

  /**
   * Finds which clients have deliveries due to which receivers: a page of at most `limit` due deliveries, the longest due
   * first, from `after` on (absent: from the beginning).
   */
  findDue(limit: number, after?: DuePosition): Promise<DuePage>;

  /**
   * Takes due deliveries from each of `queues` under a lease, the longest due first, and counts the attempts. A delivery
   * whose lease ends without an outcome is due again.
   */
  takeDue(queues: readonly DueWant[], leaseMs: number): Promise<DueDelivery[]>;

  /** Keeps the bytes of a webhook body before they are first sent; answers the bytes that were kept first. */
  keepBody(deliveryId: string, body: string): Promise<string>;

  /**
   * Records the outcome of one attempt; counts only while it is the delivery's latest attempt. The schedule runs to its end
   * also when the task expires meanwhile; then the delivery is deleted with its last attempt.
   */
  settle(deliveryId: string, attempt: number, outcome: DeliveryOutcome): Promise<boolean>;

  /** How many tasks of a service wait, by priority, and how many are worked on; asked every second, so each priority is counted to `most` at the most (`DEPTH_COUNTED`). */
  depth(service: string, most?: number): Promise<Depth>;

  /** How many webhooks wait for their next attempt, counted to `DEPTH_COUNTED`. */
  pendingDeliveries(): Promise<number>;

  /**
   * Notifies all processes that something happened; a hint, never a promise. `ids`: the tasks that have ended, where
   * `what` is `finished`; without them every reader that waits looks.
   */
  hint(what: Hint, ids?: readonly string[]): void;
  /** Calls `wake` soon after others' hints, and now and then without one. */
  onHint(what: Hint | OneFinished, wake: () => void, signal: AbortSignal): void;
}

/**
 * `waiting:SERVICE`: a task waits for a worker. `finished`: a task has ended (a reader waits, a webhook is due).
 * `changed:SERVICE`: something of the service's own has changed that somebody may be watching.
 */
export type Hint = `waiting:${string}` | `changed:${string}` | 'finished';
/** `finished:ID`: that task has ended. */
export type OneFinished = `finished:${string}`;

export interface NewTask {
  readonly id: string;
  readonly service: string;
  readonly principal: string;
  readonly priority: Priority;
  readonly input: JsonValue;
  readonly estimateSeconds: number;
  /** Counted from now; absent: it may wait and be worked on as long as it takes. */
  readonly deadlineSeconds?: number;
  /** Counted from now, the moment of queueing; absent: never expires. */
  readonly ttlSeconds?: number;
  readonly requestId?: string;
  readonly traceparent?: string;
  readonly idempotency?: { readonly key: Buffer; readonly fingerprint: Buffer };
  readonly webhook?: { readonly deliveryId: string; readonly url: string; readonly secret?: Buffer };
}

/** A task that is written down together with something else, which then answers for repeated requests. */
export type CompanionTask = Omit<NewTask, 'idempotency' | 'webhook'> & { readonly resultOf?: string };

export type Accepted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly estimateSeconds: number }
  | { readonly outcome: 'replayed'; readonly id: string; readonly estimateSeconds: number }
  | { readonly outcome: 'conflict' };

/** A lease on one attempt at one task. */
export interface Claim {
  readonly id: string;
  readonly attempt: number;
  readonly input: JsonValue;
  readonly principal: string;
  readonly checkpoint?: JsonValue;
  readonly requestId?: string;
  readonly traceparent?: string;
  readonly estimateSeconds: number;
  /** From queueing to this claim. */
  readonly waitedMs: number;
  /** An earlier attempt was lost with its worker: nothing else may be claimed while this one is made. */
  readonly alone?: true;
}

export interface Want {
  readonly service: string;
  readonly worker: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** The worker's number of this request, for `returnClaims`. */
  readonly claim?: number;
  /** The worker holds tasks, or has asked for some and has no answer yet. */
  readonly busy?: boolean;
}

/** How an attempt ended: with a result, with a failure, or to be tried again after `delayMs` (0: at once). */
export type Ending = { readonly id: string; readonly attempt: number } & (
  | {
      readonly outcome: 'done';
      readonly result: JsonValue;
      readonly attachment?: JsonValue;
      readonly processingMs: number;
    }
  | { readonly outcome: 'failed'; readonly failure: Failure; readonly processingMs: number }
  | {
      readonly outcome: 'again';
      readonly delayMs: number /** An attempt that a gentle stop cut short does not count. */;
      readonly uncounted?: boolean;
    }
);

export interface Renewal {
  readonly id: string;
  readonly attempt: number;
  readonly leaseMs: number;
  readonly progress?: number;
  readonly checkpoint?: JsonObject;
}

export interface SweepLimits {
  /** Whose tasks are promoted; all else is done for every service. */
  readonly services: readonly string[];
  readonly maxAttempts: number;
  readonly batchMaxWaitSeconds: number;
  /** Rows that one sweep ends or removes at the most, so that a sweep never holds many locks for long. */
  readonly rows: number;
  /**
   * Since when this has been asked for in vain, by the store's own clock (`Swept.at`), and how long leases are given. Absent
   * where nothing was answered yet: then no lease is spared.
   */
  readonly asked?: { readonly since: Date; readonly leaseMs: number };
}

export interface Swept {
  readonly returned: number;
  /** How many tasks of each service. */
  readonly failed: Readonly<Record<string, number>>;
  readonly promoted: number;
  readonly removed: number;
  /** How many leases go on that ran out while the store was away. */
  readonly spared: number;
  /** Tasks on which the statement failed just now; they are skipped for a while. */
  readonly skipped: readonly { readonly id: string; readonly error: unknown }[];
  /** The store's clock, as this was done. */
  readonly at: Date;
  /** After how long the next lease runs out, if nobody renews it; null where there is none. */
  readonly nextLeaseMs: number | null;
}

/** The deliveries that one client has due to one receiver. */
export interface DueQueue {
  readonly principal: string;
  readonly origin: string;
  /** Microseconds since 1970; no delivery of this queue is known to be due before. */
  readonly since: number;
}

export interface DueWant extends DueQueue {
  readonly limit: number;
}

/** A place in the order of due deliveries. */
export interface DuePosition {
  readonly dueAt: number;
  readonly id: string;
}

export interface DuePage {
  readonly queues: readonly DueQueue[];
  /** Where to search next. After the last page it is shortly before now, because commits become visible out of order. */
  readonly next: DuePosition;
  readonly isLast: boolean;
}

export interface DueDelivery {
  readonly id: string;
  readonly principal: string;
  readonly url: string;
  readonly origin: string;
  readonly secret?: Buffer;
  /** When it was due, in microseconds since 1970. */
  readonly dueAt: number;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  readonly body?: string;
  readonly task: Task;
  readonly requestId?: string;
  readonly traceparent?: string;
}

export type DeliveryOutcome =
  /** Without a status, `delivered_at` is the start of the attempt: nothing else of the receiver is recorded either. */
  | { readonly state: 'delivered'; readonly statusCode?: number }
  | { readonly state: 'pending'; readonly delayMs: number; readonly error: string; readonly statusCode?: number }
  | { readonly state: 'failed'; readonly error: string; readonly statusCode?: number }
  /** Nothing was sent after all: the attempt does not count. */
  | { readonly state: 'postponed'; readonly delayMs: number };

/** Tasks of one priority, and deliveries, are counted this far by default: this many means at least so many. */
export const DEPTH_COUNTED = 10_000;

export interface Depth {
  readonly waiting: Record<Priority, number>;
  readonly processing: number;
  /** How long the next to be claimed has waited. */
  readonly oldestWaitingSeconds: Record<Priority, number>;
}

/** A webhook as it stands at the instant when the final result is recorded: what its own body says of it. */
export const newbornWebhook = (deliveryId: string): Webhook => ({ deliveryId, state: 'pending', attempts: 0 });
