/** Constructor options; `status` is 0 without an HTTP response. */
export interface AssayErrorInit {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/**
 * Base class of all errors. `code` is stable (UPPER_SNAKE_CASE), `message` may change. An aborted call throws the
 * signal's reason instead.
 */
export class AssayError extends Error {
  override readonly name: string = 'AssayError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  /** Seconds until a retry makes sense, if the service said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, status = 0, requestId, retryAfterSeconds, cause }: AssayErrorInit) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export class Unauthorized extends AssayError {
  override readonly name: string = 'Unauthorized';
}

export class Forbidden extends AssayError {
  override readonly name: string = 'Forbidden';
}

/** 404 and 410: not found, deleted, or not visible to this caller. */
export class NotFound extends AssayError {
  override readonly name: string = 'NotFound';
}

/** 410 for events: those after the cursor are no longer stored. `earliest` is the first cursor that can be used. */
export class EventsExpired extends AssayError {
  override readonly name: string = 'EventsExpired';
  readonly earliest: string | undefined;

  constructor(init: AssayErrorInit) {
    super(init);
    this.earliest = (init.details as { earliest?: string } | undefined)?.earliest;
  }
}

/** 404 for a task: unknown, or its result has expired. */
export class TaskNotFound extends NotFound {
  override readonly name: string = 'TaskNotFound';
}

/** 409 and 412: conflicting state or version. */
export class Conflict extends AssayError {
  override readonly name: string = 'Conflict';
}

/** 413 and 415: the file is too large or of an unsupported type. */
export class FileRejected extends AssayError {
  override readonly name: string = 'FileRejected';
}

export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** An item of a batch, by its line or by the name of its file. */
export interface InvalidItem {
  readonly line?: number;
  readonly name?: string;
  /** Of a file. */
  readonly code?: string;
  readonly message: string;
}

/** 422 and 400: the request is invalid. */
export class ValidationProblem extends AssayError {
  override readonly name: string = 'ValidationProblem';
  readonly details: readonly ValidationDetail[];
  /** Of a batch: the number of invalid items, of all, and the first invalid ones. */
  readonly batch:
    | { readonly invalid: number; readonly total: number; readonly items: readonly InvalidItem[] }
    | undefined;

  constructor(init: AssayErrorInit) {
    super(init);
    this.details = Array.isArray(init.details) ? (init.details as ValidationDetail[]) : [];
    const { items } = (init.details ?? {}) as { items?: unknown };
    this.batch = Array.isArray(items) ? (init.details as typeof this.batch) : undefined;
  }
}

/** 429: too many requests; retries did not help. */
export class RateLimited extends AssayError {
  override readonly name: string = 'RateLimited';
}

/** 503: temporarily unavailable. */
export class Unavailable extends AssayError {
  override readonly name: string = 'Unavailable';
}

/** The service is unreachable or the connection broke. */
export class NetworkProblem extends AssayError {
  override readonly name: string = 'NetworkProblem';
}

/** The time limit of the caller has passed. The task itself continues. */
export class Timeout extends AssayError {
  override readonly name: string = 'Timeout';
}

/** The task failed or was cancelled. `code` is its `error_code`, `state` its final state. */
export class TaskFailed<State = unknown> extends AssayError {
  override readonly name: string = 'TaskFailed';
  readonly taskId: string;
  readonly state: State;

  constructor(init: AssayErrorInit & { readonly taskId: string; readonly state: State }) {
    super({ status: 200, ...init });
    this.taskId = init.taskId;
    this.state = init.state;
  }
}

/** The webhook is not authentic; `code` gives the reason. */
export class WebhookRejected extends AssayError {
  override readonly name: string = 'WebhookRejected';
}
