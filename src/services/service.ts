import type { Db } from '../base/db.ts';
import type { Files } from '../base/files.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Environment, Settings } from '../base/settings.ts';
import type { Gateway } from '../http/gateway.ts';
import type { Roster } from '../tasks/roster.ts';
import type { TaskStore } from '../tasks/store.ts';
import type { Finished, Task } from '../tasks/task.ts';

/**
 * What makes a folder a service: what it accepts and answers (`open`), how it presents a task (`present`, the one
 * function behind the poll route and the webhook), and which model does the work (`load`). Roles are handed services
 * and know none by name.
 */
export interface Service {
  readonly name: string;
  readonly title: string;
  readonly defaultPort: number;
  /** Its settings, for the documentation and `config check`; it reads them itself from the environment it is given. */
  readonly settings: Settings;
  /** Variables that the `local` profile fills at the first start when none of `unless` is defined. */
  readonly localCredentials: readonly { readonly env: string; readonly unless: readonly string[] }[];
  /** Reads its settings, or stops the process early with a `SettingsProblem`. */
  open(env: Environment, shared: SharedSettings): OpenService;
}

/** A service whose settings have been read. */
export interface OpenService {
  readonly name: string;
  /** Puts its routes on a listener. */
  gateway(house: GatewayHouse): Promise<Gateway>;
  /** The body that a reader of a task gets, in the envelope: `GET /result/{task_id}` and the webhook both use it. */
  present(task: Task): JsonObject;
  readonly webhook: WebhookContract;
  /** Loads what does the work; imported late, so that a gateway starts without a neural network on disk. */
  load(house: ModelHouse): Promise<Model>;
  /** What its credentials and addresses are, for the banner of the `local` profile. */
  readonly greeting: Greeting;
}

/** The settings that more than one service reads. */
export interface SharedSettings {
  readonly appEnv: 'local' | 'test' | 'production';
  readonly version: string;
  readonly dataDir: string;
  readonly filesHost: string | undefined;
  readonly resultTtlSeconds: number;
  readonly taskDeadlineSeconds: number;
  readonly webhookLoopback: boolean;
  readonly corsAllowOrigins: readonly string[];
  readonly trustProxy: string | undefined;
  readonly metricsToken: string | undefined;
  readonly estimateMode: 'fixed' | 'learned';
}

/** What a listener is made from. */
export interface GatewayHouse {
  readonly tasks: TaskStore;
  readonly roster: Roster;
  readonly files: Files;
  readonly db: Db;
  readonly log: Log;
  /** Ends when the process is told to stop: long polls answer then. */
  readonly signal: AbortSignal;
  readonly publicUrl: string;
}

/** What a model is loaded with. */
export interface ModelHouse {
  readonly fetch: GuardedFetch;
  readonly files: Files;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface WebhookContract {
  readonly event: string;
  /** Signs with a secret of the service's own for this principal, besides the deployment's key. */
  secretFor(principal: string): string | undefined;
  /** Bodies larger than this are sent without `result`, where the service allows it. */
  thin?(task: Finished): JsonObject;
}

export interface Model {
  /** What the heartbeat says of it; read at each beat. */
  info(): JsonObject;
  /** Model versions that a task may name. */
  versions(): readonly string[];
  /** Tasks that are worked on at once. */
  readonly concurrency: number;
  /** After this long an attempt has failed, whatever it is doing. */
  readonly timeLimitMs: number;
  run(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}

/** One attempt at one task, as its model sees it. */
export interface Job {
  readonly id: string;
  readonly input: JsonValue;
  readonly checkpoint?: JsonValue;
  readonly log: Log;
  /** Ends when the lease was lost, the task cancelled, its time is up, or the process must stop. */
  readonly signal: AbortSignal;
  /** Says how far it is (0..1), and what a successor would need to go on from here. */
  report(progress: number, checkpoint?: JsonObject): void;
}

export interface Outcome {
  readonly result: JsonValue;
  /** Belongs to the result, but no poll carries it. */
  readonly attachment?: JsonValue;
}

export interface Greeting {
  /** For the local profile only: what to send, to be shown once at the start. */
  readonly token?: string;
  /** A line for a shell that works when pasted, given the listener's address. */
  example?(baseUrl: string): string;
}
