/** Realtime tasks come before batch tasks, until a batch task has waited `BATCH_MAX_WAIT_SECONDS`. */
export type Priority = 'realtime' | 'batch';

/** Lower values are claimed first. */
export const PRIORITY_VALUE: Record<Priority, number> = { realtime: 0, batch: 1 };

interface Core {
  readonly id: string;
  readonly service: string;
  readonly principal: string;
  /** JSON text: polls do not need the input, and parsing is the most expensive part of a read. */
  readonly inputText: string;
  readonly queuedAt: Date;
  readonly estimateSeconds: number;
  /** Present only for tasks created with a webhook. */
  readonly webhook?: Webhook;
}

/** Waits for its first attempt. */
export interface Queued extends Core {
  readonly status: 'queued';
}

/** In an attempt, or waiting for a retry. */
export interface Processing extends Core {
  readonly status: 'processing';
  /** 0..1; absent until the model reports it. */
  readonly progress?: number;
}

export interface Done extends Core {
  readonly status: 'done';
  /** JSON text as stored; responses include it unchanged. */
  readonly resultText: string;
  readonly processingMs: number;
  readonly finishedAt: Date;
}

export interface Failed extends Core {
  readonly status: 'failed';
  readonly failure: Failure;
  /** Absent if no attempt was started. */
  readonly processingMs?: number;
  readonly finishedAt: Date;
}

export type Task = Queued | Processing | Done | Failed;
export type Finished = Done | Failed;

/** Why a task failed: a stable code and its message. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Delivery state of a task's webhook. */
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

/** Failures that the task engine reports; those of a model are defined in its service. */
export const FAILURES: Readonly<
  Record<'WORKER_LOST' | 'DEADLINE_EXCEEDED' | 'CANCELLED' | 'INFERENCE_TIMEOUT' | 'INFERENCE_FAILED', Failure>
> = {
  WORKER_LOST: { code: 'WORKER_LOST', message: 'The workers that took this task were lost; no attempt is left.' },
  DEADLINE_EXCEEDED: { code: 'DEADLINE_EXCEEDED', message: 'The task was not finished before its deadline.' },
  CANCELLED: { code: 'CANCELLED', message: 'Cancelled by client' },
  INFERENCE_TIMEOUT: { code: 'INFERENCE_TIMEOUT', message: 'The model took too long to process this input.' },
  INFERENCE_FAILED: { code: 'INFERENCE_FAILED', message: 'The model could not process this input.' },
};

/** Thrown by a model: `transient` if a retry may succeed (a host timed out), otherwise permanent (an invalid file). */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  readonly code: string;
  readonly transient: boolean;

  constructor(failure: Failure, options: { transient?: boolean; cause?: unknown } = {}) {
    super(failure.message, { cause: options.cause });
    this.code = failure.code;
    this.transient = options.transient ?? false;
  }
}
