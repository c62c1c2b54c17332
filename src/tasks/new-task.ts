import type { JsonValue } from '../base/json.ts';
import type { Priority } from './task.ts';

export interface NewTask {
  readonly id: string;
  readonly service: string;
  readonly principal: string;
  /** The client that shares workers with others; absent: the principal. */
  readonly owner?: string;
  readonly priority: Priority;
  readonly input: JsonValue;
  /** 0: the service returns no estimate. */
  readonly estimateSeconds: number;
  /** From queueing; absent: no deadline. */
  readonly deadlineSeconds?: number;
  /** From queueing; absent: never expires. */
  readonly ttlSeconds?: number;
  readonly requestId?: string;
  readonly traceparent?: string;
  readonly idempotency?: { readonly key: Buffer; readonly fingerprint: Buffer };
  readonly webhook?: { readonly deliveryId: string; readonly url: string; readonly secret?: Buffer };
}

/** A task inserted in the caller's transaction; the caller handles repeated requests. */
export type TransactionalTask = Omit<NewTask, 'idempotency' | 'webhook'> & { readonly resultOf?: string };

export type AcceptResult =
  | { readonly outcome: 'accepted'; readonly id: string; readonly estimateSeconds: number }
  | { readonly outcome: 'replayed'; readonly id: string; readonly estimateSeconds: number }
  | { readonly outcome: 'conflict' };
