/** What an error is made from: `status` is 0 where no service has answered. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/**
 * Whatever went wrong with the service. `code` is the contract (UPPER_SNAKE_CASE), `message` is for people and may
 * change. What a caller's own `AbortSignal` ends is thrown as that signal's reason instead.
 */
export class AssayError extends Error {
  override readonly name: string = 'AssayError';
  readonly code: string;
  /** Of the HTTP answer; 0 where there was none. */
  readonly status: number;
  /** By which the service's log knows the request. */
  readonly requestId: string | undefined;
  /** After so many seconds trying again makes sense; undefined where nobody said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, status = 0, requestId, retryAfterSeconds, cause }: Refused) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 401: the token or the API key is missing, wrong, or too old. */
export class Unauthorized extends AssayError {
  override readonly name: string = 'Unauthorized';
}

/** 403: the credential is good, but not for this. */
export class Forbidden extends AssayError {
  override readonly name: string = 'Forbidden';
}

/** 404 and 410: there is no such thing, or not for this caller, or not any more. */
export class NotFound extends AssayError {
  override readonly name: string = 'NotFound';
}

/** 404 for a task: it was never there, or its result was removed after its time. */
export class TaskNotFound extends NotFound {
  override readonly name: string = 'TaskNotFound';
}

/** 409 and 412: not in this state, or not this version of it. */
export class Conflict extends AssayError {
  override readonly name: string = 'Conflict';
}

/** 413 and 415: the file is too large, or nothing that the service can read. */
export class FileRefused extends AssayError {
  override readonly name: string = 'FileRefused';
}

/** One thing that is wrong with a request, as `detail` bodies have it. */
export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** 422 and 400: the request is not as it should be. */
export class ValidationProblem extends AssayError {
  override readonly name: string = 'ValidationProblem';
  /** One entry for each fault, where the service lists them; `message` names the first. */
  readonly details: readonly ValidationDetail[];

  constructor(refused: Refused) {
    super(refused);
    this.details = Array.isArray(refused.details) ? (refused.details as ValidationDetail[]) : [];
  }
}

/** 429: too many requests, and trying again in time has not helped. */
export class RateLimited extends AssayError {
  override readonly name: string = 'RateLimited';
}

/** 503: the service cannot do this now. */
export class Unavailable extends AssayError {
  override readonly name: string = 'Unavailable';
}

/** The service could not be reached, or the connection broke off. */
export class NetworkProblem extends AssayError {
  override readonly name: string = 'NetworkProblem';
}

/** It has taken longer than the caller wanted to wait. The task, if there is one, goes on. */
export class Timeout extends AssayError {
  override readonly name: string = 'Timeout';
}

/** The task has ended without a result: `code` is its `error_code`, `state` the whole final state. */
export class TaskFailed<State = unknown> extends AssayError {
  override readonly name: string = 'TaskFailed';
  readonly taskId: string;
  readonly state: State;

  constructor(failed: Refused & { readonly taskId: string; readonly state: State }) {
    super({ status: 200, ...failed });
    this.taskId = failed.taskId;
    this.state = failed.state;
  }
}

/** A callback that is not to be believed: `code` says why. */
export class WebhookRefused extends AssayError {
  override readonly name: string = 'WebhookRefused';
}
