import type { Registry } from 'prom-client';
import type { AllowList } from '../../base/addresses.ts';
import type { BackupContents } from '../../base/backup/create-backup.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Files } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Environment, Settings } from '../../base/settings.ts';
import type { Traces } from '../../base/trace.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { MetricJson, Metrics } from '../../http/metrics.ts';
import type { OpenFeeds } from '../../http/open-feeds.ts';
import type { SharedLimits } from '../../http/shared-limits.ts';
import type { TokenStore } from '../../http/token-store.ts';
import type { Admission } from '../../tasks/admission.ts';
import type { DeliveryLog } from '../../tasks/delivery-log.ts';
import type { Endpoints } from '../../tasks/endpoints.ts';
import type { Estimates } from '../../tasks/estimates.ts';
import type { EventCursors } from '../../tasks/event-cursor.ts';
import type { EventFeeds } from '../../tasks/event-feeds.ts';
import type { TaskStore } from '../../tasks/store.ts';
import type { Priority, Task } from '../../tasks/task.ts';
import type { UploadStore } from '../../tasks/uploads.ts';
import type { WebhookTest } from '../../tasks/webhook-test.ts';
import type { WorkerRegistry } from '../../tasks/worker-registry.ts';
import type { AdvertisedVersion } from '../../tasks/workers.ts';
import type { Overview } from './overview/overview.ts';
import type { RecordMaker, RecordSource } from './records.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { OverviewGauge, ServiceDirectory } from './service-links.ts';

/** A service before its settings are read. Roles receive services as parameters and import none. */
export interface Service<Opened extends OpenService = OpenService> {
  readonly name: string;
  readonly title: string;
  readonly settings: Settings;
  /** For pages. Other codes are shown with the message of their failure. */
  readonly failureTexts: FailureTexts;
  /** Filled by the `local` profile. */
  missingCredentials(env: Environment): readonly string[];
  /** Formats a generated credential for its variable; absent: unchanged. */
  readonly formatCredential?: (secret: string) => string;
  /** Parses the settings in `env`; throws a `SettingsError` that lists every error. The result opens the service. */
  configure(env: Environment): (shared: SharedSettings) => Opened;
  /**
   * Runs once a minute while this installation does not run the service, to withdraw its requests to other services
   * from the database.
   */
  readonly onDisabled?: (db: Db) => Promise<void>;
  /** Runs once a minute in every database, also in those of other services. */
  readonly cleanUpDatabase?: (db: Db, signal: AbortSignal) => Promise<void>;
  /** What a backup needs to know of the service's data. */
  readonly backup?: Partial<Pick<BackupContents, 'folders' | 'fileColumns' | 'startTables'>>;
}

/** By language and error code. */
export type FailureTexts = Readonly<Record<'en' | 'ru', Readonly<Record<string, string>>>>;

export type OpenService = TaskService | BackgroundService;

/** A service with a task queue: how a task is presented and which model runs it. */
export interface TaskService extends ServiceBase {
  readonly work: TaskWork;
  /** Absent if its tasks are not searchable. */
  readonly records?: RecordMaker;
}

/** A service without tasks: its worker runs one job until `signal` aborts. */
export interface BackgroundService extends ServiceBase {
  /** Of the messages that it sends (src/tasks/messages.ts). */
  readonly messages?: MessageWork;
  runBackgroundJob(context: BackgroundJobContext, signal: AbortSignal): Promise<void>;
  /** Shown on the overview in place of the queue. */
  readonly gauges: readonly OverviewGauge[];
}

export const hasTasks = (service: OpenService): service is TaskService => 'work' in service;

interface ServiceBase {
  readonly name: string;
  readonly title: string;
  readonly titles: Readonly<Record<'en' | 'ru', string>>;
  readonly port: number;
  readonly publicUrl: string | undefined;
  gateway(context: GatewayContext): Promise<Gateway>;
  /** Derived settings that `config check` prints. */
  readonly derivedSettings: Readonly<Record<string, string>>;
  /** Environment variables of its worker processes that are not set otherwise. */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
  /** Runs once a minute to delete expired data of its own. */
  readonly cleanup?: (context: CleanupContext, signal: AbortSignal) => Promise<void>;
  readonly tokenOptions: {
    /** Permissions of a token; the first has the fewest and is the default. */
    readonly roles: readonly [string, ...string[]];
    /** Why issued tokens have no effect; absent if they have. */
    readonly unusedReason?: string;
  };
  /** The token or key, if it is configured in plain text and not as a digest. */
  readonly credential: string | undefined;
  /** Other plain-text credentials by owner, for the banner of the `local` profile. */
  readonly otherCredentials?: Readonly<Record<string, string>>;
  /** A shell command for the banner of the `local` profile. */
  example(baseUrl: string): string;
  /** Of the documentation's examples: for the address, the credential and each of the other credentials. */
  readonly shellVariables: readonly string[];
  pageUrl(baseUrl: string): string;
}

export interface TaskWork {
  /** The JSON body of `GET /result/{task_id}` and of the webhook. */
  present(task: Task): string;
  readonly webhook: WebhookContract;
  /** Loads the model. Imported lazily: a gateway starts without model files. */
  load(context: ModelContext): Promise<Model>;
  readonly sandbox: Sandbox;
  /** 0: no limit. */
  readonly maxWaiting: number;
  /** Before a cold worker is started on demand. */
  readonly startAfterSeconds: Readonly<Record<Priority, number>>;
}

export interface SharedSettings {
  readonly version: string;
  readonly dataDir: string;
  readonly filesHost: string | undefined;
  readonly filesQuotaBytes: number;
  readonly resultTtlSeconds: number;
  readonly taskDeadlineSeconds: number;
  readonly taskVisibility: 'service' | 'token';
  readonly webhookLoopback: boolean;
  readonly corsAllowOrigins: readonly string[];
  /** The number of proxies, or their networks. */
  readonly trustProxy: number | string[];
  readonly wrongTokenLimitPerMinute: number;
  /** Additional origins of the pages. */
  readonly publicOrigins: readonly string[];
  readonly cookieSecure: 'auto' | 'always' | 'never';
  readonly metricsToken: string | undefined;
  /** Exceptions to the block on private addresses. */
  readonly allowList: AllowList;
}

export interface GatewayContext {
  /** For the service's own tables. */
  readonly db: Db;
  readonly tasks: TaskStore;
  readonly uploads: UploadStore;
  readonly files: Files;
  readonly workerRegistry: WorkerRegistry;
  /** Why new tasks should go to another gateway; undefined while this one accepts them. */
  readonly notReady: () => string | undefined;
  /** True while the database schema does not match this version; only probes are then served. */
  readonly isOutOfService: () => boolean;
  readonly admission: Admission;
  readonly estimates: Estimates;
  readonly metrics: Metrics;
  /** Shared by all gateways. */
  readonly limits: SharedLimits;
  readonly traces?: Traces;
  readonly issued: TokenStore;
  readonly serviceDirectory: ServiceDirectory;
  readonly overview: Overview;
  readonly events: { readonly feeds: EventFeeds; readonly cursors: EventCursors; readonly open: OpenFeeds };
  readonly deliveries: DeliveryLog;
  readonly endpoints: Endpoints;
  readonly onCancelled: (service: string, count?: number) => void;
  readonly records: readonly RecordSource[];
  /** Of all services. */
  readonly databases: readonly (ServiceDatabase & { readonly tasks: TaskStore })[];
  /** By service, also of disabled ones. */
  readonly failureTexts: ReadonlyMap<string, FailureTexts>;
  readonly webhookKeys: object;
  readonly testWebhook: WebhookTest;
  /** Encrypts a client's webhook secret; only the deliverer can decrypt it. */
  readonly seal: (secret: string) => Buffer;
  /** The counters of all other processes, including those that exited, from their last heartbeats. */
  readonly othersMetrics: () => Promise<MetricJson[][]>;
  readonly log: Log;
}

/** A database with services of this installation. */
export interface ServiceDatabase {
  readonly db: Db;
  readonly services: readonly string[];
  /** Services of this installation in other databases. */
  readonly servicesElsewhere: readonly string[];
}

export interface ModelContext {
  readonly db: Db;
  /** For temporary files of an attempt. Their creator deletes them; files left by a crash are deleted at start. */
  readonly scratchDir: string;
  readonly fetch: GuardedFetch;
  readonly files: Files;
  readonly log: Log;
}

export interface BackgroundJobContext extends ModelContext {
  readonly records: readonly RecordSource[];
  /** Of all services. */
  readonly databases: readonly (ServiceDatabase & { readonly tasks: Pick<TaskStore, 'onHint'> })[];
  /** Counters and gauges in this registry are published with the heartbeat. */
  readonly registry: Registry;
}

export type CleanupContext = Pick<GatewayContext, 'db' | 'tasks' | 'files' | 'log'>;

export interface WebhookContract {
  readonly event: string;
  /** The principal's webhook secrets, used besides the deployment's key; two during a rotation. */
  secretsFor(principal: string): readonly string[];
  /** The body in place of one that exceeds the webhook size limit; absent if bodies are never truncated. */
  readonly presentTruncated?: (task: Task) => string;
}

export interface MessageWork {
  present(task: Task): string;
  /** False drops a message that is due; absent: all are sent. */
  isWanted?(message: Task, to: { readonly url: string; readonly db: Queryable }): Promise<boolean>;
  readonly webhook: Omit<WebhookContract, 'event'> & { readonly event: (message: Task) => string };
}

export interface Model {
  /** Runs before each heartbeat, to follow the database. A failure is logged. */
  refresh?(): Promise<void>;
  /** Published with each heartbeat. */
  info(): JsonObject;
  /** That a task may request. */
  versions(): readonly AdvertisedVersion[];
  readonly concurrency: number;
  readonly timeLimitMs: number;
  run(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Job {
  readonly id: string;
  /** From 1. A database crash can repeat a number: only worker and attempt together are unique. */
  readonly attempt: number;
  readonly worker: string;
  readonly input: JsonValue;
  readonly checkpoint?: JsonValue;
  readonly log: Log;
  /** Aborts when the lease is lost, the task is cancelled, its time limit is reached or the process stops. */
  readonly signal: AbortSignal;
  /** Reports the progress (0..1, if known) and a checkpoint from which another attempt can continue. */
  report(progress: number | undefined, checkpoint?: JsonObject): void;
  /** While it waits for others in the model, an attempt takes no slot, and its time limit and processing time do not run. */
  setWaiting?(waiting: boolean): void;
}

export interface Outcome {
  readonly result: JsonValue;
  /** Part of the result that poll responses omit. */
  readonly attachment?: JsonValue;
}
