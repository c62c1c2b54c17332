import type { Registry } from 'prom-client';
import type { Holes } from '../base/addresses.ts';
import type { Db } from '../base/db.ts';
import type { Files } from '../base/files.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Environment, Settings } from '../base/settings.ts';
import type { Traces } from '../base/trace.ts';
import type { Gateway } from '../http/gateway.ts';
import type { IssuedTokens } from '../http/issued-tokens.ts';
import type { MetricJson, Metrics } from '../http/metrics.ts';
import type { SharedLimits } from '../http/shared-limits.ts';
import type { Admission } from '../tasks/admission.ts';
import type { Roster } from '../tasks/roster.ts';
import type { TaskStore } from '../tasks/store.ts';
import type { Priority, Task } from '../tasks/task.ts';
import type { Uploads } from '../tasks/uploads.ts';
import type { Neighbourhood } from './neighbours.ts';
import type { Overview } from './overview.ts';
import type { RecordMaker, RecordSource } from './records.ts';

/**
 * What makes a folder a service: what it accepts and answers (`gateway`) and, where it takes tasks, how it presents one
 * (`work.present`, the one function behind the poll route and the webhook) and which model does the work (`work.load`).
 * Roles are handed services and know none by name.
 */
export interface Service {
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** Its settings, for the documentation and for `config check`. */
  readonly settings: Settings;
  /** Variables that the `local` profile fills by itself: credentials of which `env` says nothing. */
  missingCredentials(env: Environment): readonly string[];
  /** How a credential that was made is written in its variable; absent: as it is. */
  readonly writeCredential?: (secret: string) => string;
  /** Reads its settings from `env`, or throws a `SettingsProblem` with every fault; what it answers opens the service. */
  configure(env: Environment): (shared: SharedSettings) => OpenService;
  /**
   * Once a minute where this installation does not run it: takes back what it may have asked of the others in the
   * database. Absent where it asks nothing.
   */
  readonly takeBack?: (db: Db) => Promise<void>;
}

/** A service whose settings have been read. */
export interface OpenService {
  readonly name: string;
  readonly title: string;
  /** As its pages call it. */
  readonly titles: Readonly<Record<'en' | 'ru', string>>;
  readonly port: number;
  /** The base address that clients know it by, where the operator has said one. */
  readonly publicUrl: string | undefined;
  /** Puts its routes on a listener. */
  gateway(house: GatewayHouse): Promise<Gateway>;
  /** Absent where it takes no tasks. */
  readonly work?: TaskWork;
  /** What of its finished work people search in the catalog; absent where nothing is. */
  readonly records?: RecordMaker;
  /** What its worker does in place of tasks, until `signal` aborts; absent where it works on tasks. */
  readonly attend?: (house: AttendHouse, signal: AbortSignal) => Promise<void>;
  /** What its settings come to where that is not plain from each of them; for `config check`. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** Once a minute: removes what has grown old of its own; absent where the engine's housekeeping is enough. */
  readonly tidy?: (house: TidyHouse, signal: AbortSignal) => Promise<void>;
  /** What `assay tokens` issues for it. */
  readonly issues: {
    /** What holders may do; the least comes first, and is what a token is for where nobody says more. */
    readonly roles: readonly [string, ...string[]];
    /** Why a token that is issued opens nothing more now; absent where it does. */
    readonly unused?: string;
  };
  /** What opens it, where it was configured as it is and not as a digest: a token, or a key to be exchanged for one. */
  readonly credential: string | undefined;
  /** What opens less or other than that, by whose it is, as it was configured; for the banner of the `local` profile. */
  readonly otherCredentials?: Readonly<Record<string, string>>;
  /** A line for a shell that works when pasted, for the banner of the `local` profile. */
  example(baseUrl: string): string;
  /** Where a person looks at it, with what the page needs to know. */
  pageUrl(baseUrl: string): string;
}

/** The tasks of a service: how they are worked on, and what is told of them. */
export interface TaskWork {
  /** The body that a reader of a task gets, as JSON text: `GET /result/{task_id}` and the webhook both use it. */
  present(task: Task): string;
  readonly webhook: WebhookContract;
  /** Loads what does the work; imported late, so that a gateway starts without a neural network on disk. */
  load(house: ModelHouse): Promise<Model>;
  /** New tasks are refused while so many wait; 0: never. */
  readonly maxWaiting: number;
  /** When a cold worker is started for tasks that wait, where workers come on demand. */
  readonly startAfterSeconds: Readonly<Record<Priority, number>>;
}

/** The settings that more than one service reads. */
export interface SharedSettings {
  readonly version: string;
  readonly dataDir: string;
  readonly filesHost: string | undefined;
  readonly filesQuotaBytes: number;
  readonly resultTtlSeconds: number;
  readonly taskDeadlineSeconds: number;
  readonly estimateMode: 'learned' | 'fixed';
  readonly taskVisibility: 'service' | 'token';
  readonly webhookLoopback: boolean;
  readonly corsAllowOrigins: readonly string[];
  /** How many proxies stand in front, or their networks. */
  readonly trustProxy: number | string[];
  readonly wrongTokenLimitPerMinute: number;
  /** Under which browsers reach pages, besides the address that they ask for. */
  readonly publicOrigins: readonly string[];
  readonly cookieSecure: 'auto' | 'always' | 'never';
  readonly metricsToken: string | undefined;
  /** Exact holes in the guard against private addresses. */
  readonly holes: Holes;
}

/** What a listener is made from. */
export interface GatewayHouse {
  /** For tables of the service's own; tasks are the task store's. */
  readonly db: Db;
  readonly tasks: TaskStore;
  readonly uploads: Uploads;
  readonly files: Files;
  readonly roster: Roster;
  /** Why new tasks should go to another gateway; undefined: this one takes them. */
  readonly notReady: () => string | undefined;
  /** True while the schema of the database is not the one of this program: then only probes are answered. */
  readonly isOutOfService: () => boolean;
  /** Whether a service takes another task now. */
  readonly admission: Admission;
  readonly metrics: Metrics;
  /** What clients may ask for in a minute, of all gateways together. */
  readonly limits: SharedLimits;
  /** Absent where nothing is traced. */
  readonly traces?: Traces;
  /** The tokens and keys that were issued beside those of the settings. */
  readonly issued: IssuedTokens;
  /** Every service of this installation. */
  readonly neighbours: Neighbourhood;
  /** How all of them are, now and in the last minutes. */
  readonly overview: Overview;
  /** Counts a task that its client gave up. */
  readonly onCancelled: (service: string) => void;
  /** What of the finished work of every service of this installation people search. */
  readonly records: readonly RecordSource[];
  readonly webhookKeys: object;
  /** A client's webhook secret as bytes that only the deliverer can open. */
  readonly seal: (secret: string) => Buffer;
  /** What is counted over all processes, those that have left included, as their last heartbeats carried it. */
  readonly othersMetrics: () => Promise<MetricJson[][]>;
  readonly log: Log;
}

/** What a model is loaded with. */
export interface ModelHouse {
  /** For what a service keeps beside its tasks; a model ends them through what it returns. */
  readonly db: Db;
  /** A folder for files that live as long as an attempt. Whoever makes one removes it; what a crash left is removed too. */
  readonly scratchDir: string;
  readonly fetch: GuardedFetch;
  readonly files: Files;
  readonly log: Log;
}

/** What a service attends to its own things with. */
export interface AttendHouse extends ModelHouse {
  readonly tasks: TaskStore;
  /** Of every service of this installation that has one. */
  readonly records: readonly RecordSource[];
  /** Counters and gauges put here travel with the heartbeat to whoever reads the metrics. */
  readonly registry: Registry;
}

/** What a service keeps house with. */
export type TidyHouse = Pick<GatewayHouse, 'db' | 'tasks' | 'files' | 'log'>;

export interface WebhookContract {
  /** The value of `X-Service-Event`. */
  readonly event: string;
  /** The secret that callbacks of this principal's tasks are signed with, besides the deployment's key. */
  secretFor(principal: string): string | undefined;
  /** The body in place of one that is too large for a callback; absent where bodies are always sent whole. */
  readonly thin?: (task: Task) => string;
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
  /** From 1. After a crash of the database a number may come again: it takes the worker too to tell an attempt from another. */
  readonly attempt: number;
  readonly worker: string;
  readonly input: JsonValue;
  readonly checkpoint?: JsonValue;
  readonly log: Log;
  /** Ends when the lease was lost, the task cancelled, its time is up, or the process must stop. */
  readonly signal: AbortSignal;
  /** Says how far it is (0..1, where that can be told), and what a successor would need to go on from here. */
  report(progress: number | undefined, checkpoint?: JsonObject): void;
}

export interface Outcome {
  readonly result: JsonValue;
  /** Belongs to the result, but no poll carries it. */
  readonly attachment?: JsonValue;
}
