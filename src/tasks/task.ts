/** What a client may ask for; batch gives way to realtime until it has waited `BATCH_MAX_WAIT_SECONDS`. */
export type Priority = 'realtime' | 'batch';

/** What every task has, whatever its state. */
interface Core {
  readonly id: string;
  readonly service: string;
  readonly principal: string;
  /** The input as JSON text. Whoever polls has no use for it, and parsing is the dearest part of reading. */
  readonly inputText: string;
  readonly queuedAt: Date;
  readonly estimateSeconds: number;
  /** Present only for tasks created with a webhook. */
  readonly webhook?: Webhook;
}

/** Waiting for its first attempt. */
export interface Queued extends Core {
  readonly status: 'queued';
}

/** An attempt is under way, or the next one is waited for. */
export interface Processing extends Core {
  readonly status: 'processing';
  /** 0..1, absent until the model reports it. */
  readonly progress?: number;
}

export interface Done extends Core {
  readonly status: 'done';
  /** The result as JSON text, just as it was written down: it goes into answers as it is. */
  readonly resultText: string;
  readonly processingMs: number;
  readonly finishedAt: Date;
}

export interface Failed extends Core {
  readonly status: 'failed';
  readonly failure: Failure;
  /** Absent when no attempt was ever begun. */
  readonly processingMs?: number;
  readonly finishedAt: Date;
}

export type Task = Queued | Processing | Done | Failed;
export type Finished = Done | Failed;

/** Why a task failed: a stable code and the one sentence that goes with it. */
export interface Failure {
  readonly code: string;
  readonly sentence: string;
}

/** How the delivery of a task's webhook stands. */
export interface Webhook {
  readonly deliveryId: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly lastAttemptAt?: Date;
  readonly nextAttemptAt?: Date;
  readonly deliveredAt?: Date;
  readonly responseStatusCode?: number;
  readonly lastError?: string;
}

export const isFinished = (task: Task): task is Finished => task.status === 'done' || task.status === 'failed';

/** The failures that the engine itself decides; those of a model live with its service. */
export const FAILURES = {
  WORKER_LOST: { code: 'WORKER_LOST', sentence: 'The workers that took this task were lost; no attempt is left.' },
  DEADLINE_EXCEEDED: { code: 'DEADLINE_EXCEEDED', sentence: 'The task was not finished before its deadline.' },
  CANCELLED: { code: 'CANCELLED', sentence: 'Cancelled by client' },
} as const satisfies Record<string, Failure>;

/**
 * What a model throws when a task cannot succeed: `transient` when another attempt may (a host that did not answer),
 * permanent when it cannot (a text file named .jpg).
 */
export class TaskFailure extends Error implements Failure {
  override readonly name = 'TaskFailure';
  readonly code: string;
  readonly sentence: string;
  readonly transient: boolean;

  constructor(failure: Failure, options: { transient?: boolean; cause?: unknown } = {}) {
    super(failure.sentence, { cause: options.cause });
    this.code = failure.code;
    this.sentence = failure.sentence;
    this.transient = options.transient ?? false;
  }
}
