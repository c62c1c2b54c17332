import type { ApiError } from '../../../base/api-error.ts';
import type { FetchFailure } from '../../../base/fetch-failed.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { Failure } from '../../../tasks/task.ts';

/** What a documented input does. Without any member, the task ends with the example result. */
export interface SandboxInput {
  /** The error response to the request, which then creates no task. */
  readonly response?: () => Error;
  /** Only every other request is answered with `response`. */
  readonly once?: true;
  /** How the attempts before the last one end. */
  readonly earlierAttempts?: readonly ('failed' | 'lost')[];
  /** Of the last attempt, which reports progress. */
  readonly durationMs?: number;
  readonly failure?: Failure;
  /** The task is deleted in place of ending. */
  readonly isDeleted?: true;
  /** The failure of the first `attempts` attempts at the callback. */
  readonly callback?: { readonly reason: FetchFailure; readonly status?: number; readonly attempts: number };
}

interface Outcome {
  readonly result: JsonValue;
  readonly attachment?: JsonValue;
}

/** The documented inputs of a service by name, and the outcome of its sandbox tasks. */
export interface Sandbox {
  readonly inputs: ReadonlyMap<string, SandboxInput>;
  readonly outcome: Outcome;
  /** The validation error of the service. */
  readonly invalid: (message: string) => Error;
  /** The code of an attempt that is repeated. */
  readonly transientCode: string;
}

/** Attempts at the callback of a sandbox task, in seconds as `WEBHOOK_RETRY_SCHEDULE`. */
export const SANDBOX_RETRY_SCHEDULE: readonly number[] = [0, 0.05, 0.05];

const SCENARIOS: Readonly<Record<string, SandboxInput>> = {
  SUCCESS: {},
  SLOW: { durationMs: 800 },
  RETRIED: { earlierAttempts: ['failed', 'failed'] },
  WORKER_REPLACED: { earlierAttempts: ['lost'] },
  EXPIRED: { isDeleted: true },
};

const once = { attempts: 1 };

/** Every reason that clients can see. */
const CALLBACK_FAILURES = {
  timeout: once,
  dns_error: once,
  connect_error: once,
  tls_error: once,
  blocked_address: once,
  redirect: { ...once, status: 302 },
  http_status: { ...once, status: 503 },
} satisfies Record<Exclude<FetchFailure, 'too_large' | 'unreadable' | 'aborted'>, object>;

const CALLBACKS: Readonly<Record<string, SandboxInput>> = {
  ...Object.fromEntries(
    Object.entries(CALLBACK_FAILURES).map(([reason, failed]) => [
      `CALLBACK_${reason.toUpperCase()}`,
      { callback: { reason: reason as FetchFailure, ...failed } },
    ]),
  ),
  CALLBACK_GONE: { callback: { ...once, reason: 'http_status', status: 410 } },
  CALLBACK_FAILED: { callback: { reason: 'http_status', status: 500, attempts: SANDBOX_RETRY_SCHEDULE.length } },
};

/** A name stands for the first of: a scenario, a failure, a response. */
export function createSandbox(options: {
  failures: readonly Failure[];
  responses: readonly (() => ApiError)[];
  /** Responses that are followed by success. */
  repeatable: readonly (() => ApiError)[];
  hasCallbacks: boolean;
  invalid: Sandbox['invalid'];
  outcome: Outcome;
  transientCode: string;
}): Sandbox {
  const { failures, responses, repeatable, hasCallbacks, invalid, outcome, transientCode } = options;
  const inputs = new Map<string, SandboxInput>([
    ['VALIDATION_ERROR', { response: () => invalid('This is the validation error of the sandbox.') }],
    ...responses.map((response) => [response().code, { response }] as const),
    ...repeatable.map((response) => [`${response().code}_ONCE`, { response, once: true }] as const),
    ...failures.map((failure) => [failure.code, { failure }] as const),
    ...(hasCallbacks ? Object.entries(CALLBACKS) : []),
    ...Object.entries(SCENARIOS),
  ]);
  return { inputs, outcome, invalid, transientCode };
}

/** The input that a stored task names. */
export const inputOf = ({ inputs }: Sandbox, taskInput: unknown): SandboxInput =>
  inputs.get((taskInput as { sandbox: string }).sandbox) ?? {};
