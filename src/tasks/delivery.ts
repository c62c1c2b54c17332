import type { Task } from './task.ts';

/** Due deliveries of one client to one receiver. */
export interface DueQueue {
  readonly principal: string;
  readonly origin: string;
  /** Lower bound of `due_at` in this queue, in microseconds since 1970. */
  readonly since: number;
}

export interface DueClaimRequest extends DueQueue {
  readonly limit: number;
}

/** A position in the order of due deliveries. */
export interface DuePosition {
  readonly dueAt: number;
  readonly id: string;
}

export interface DuePage {
  readonly queues: readonly DueQueue[];
  /** Start of the next search. After the last page: shortly before now, because commits become visible out of order. */
  readonly next: DuePosition;
  readonly isLast: boolean;
}

export interface DueDelivery {
  readonly id: string;
  readonly principal: string;
  readonly url: string;
  readonly origin: string;
  readonly secret?: Buffer;
  /** In microseconds since 1970. */
  readonly dueAt: number;
  /** From 1. */
  readonly attempt: number;
  /** Like `attempt`, counted from the last redelivery, which starts the retry schedule again. */
  readonly scheduledAttempt: number;
  readonly body?: string;
  readonly task: Task;
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** Absent if they are withheld; the status also without a response. */
interface AttemptDetails {
  readonly statusCode?: number;
  readonly durationMs?: number;
}

interface FailureDetails extends AttemptDetails {
  readonly error: string;
  /** Nothing was sent because of an error of the deliverer, which does not count against the receiver. */
  readonly isLocal?: boolean;
}

export type DeliveryOutcome =
  /** Without a status (withheld), `delivered_at` is the start of the attempt. */
  | ({ readonly state: 'delivered' } & AttemptDetails)
  | ({ readonly state: 'pending'; readonly delayMs: number } & FailureDetails)
  | ({ readonly state: 'failed' } & FailureDetails)
  /** Nothing was sent: the attempt does not count. */
  | { readonly state: 'postponed'; readonly delayMs: number };
