import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { Counter, Registry } from 'prom-client';
import { readHoles } from './base/addresses.ts';
import { type Db, openDb } from './base/db.ts';
import { startEmbeddedPostgres } from './base/embedded-postgres.ts';
import { type Files, openFiles } from './base/files.ts';
import { createGuardedFetch, type GuardedFetch } from './base/guarded-fetch.ts';
import { newId } from './base/ids.ts';
import { createLog, type Log } from './base/log.ts';
import { migrate } from './base/migrate.ts';
import { loadOrCreateKey, open as openSealed, readOrCreate } from './base/secrets.ts';
import { type Environment, readSettings, SettingsProblem, type Values } from './base/settings.ts';
import { createMetrics, type MetricJson } from './http/metrics.ts';
import type { DeliverNeeds } from './roles/deliver.ts';
import { createDeliveryMeters, createTaskMeter } from './roles/meters.ts';
import type { SweepNeeds } from './roles/sweep.ts';
import { services } from './services/index.ts';
import type { GatewayHouse, OpenService, SharedSettings } from './services/service.ts';
import { houseSettings } from './settings.ts';
import { postgresTaskStore } from './tasks/postgres.ts';
import { watchQueue } from './tasks/queue-metrics.ts';
import { keepRoster } from './tasks/roster.ts';
import { jwks, loadOrCreateSigningKey, type SigningKey } from './tasks/signature.ts';
import type { TaskStore } from './tasks/store.ts';
import { postgresUploads, type Uploads } from './tasks/uploads.ts';
import { postgresWorkers, type Workers } from './tasks/workers.ts';

/** Where the package lies: `dist/` or `src/` is one below. */
export const PACKAGE_ROOT = new URL('../', import.meta.url);

/** What every process is made from before it opens anything: settings read, credentials of the local profile in place. */
export interface Plan {
  readonly settings: Values<typeof houseSettings>;
  readonly shared: SharedSettings;
  readonly services: readonly OpenService[];
  /** The environment as it was read, with what the local profile has added: what a child process inherits. */
  readonly env: Environment;
  readonly host: string;
  readonly log: Log;
}

/** Reads every setting once; throws a `SettingsProblem` that names all faults. */
export async function plan(given: Environment, role: string): Promise<Plan> {
  refuseFaults(given);
  const profile = readSettings({ appEnv: houseSettings.appEnv, dataDir: houseSettings.dataDir }, given);
  const dataDir = resolve(profile.dataDir);
  const local = profile.appEnv === 'local';
  const env = local
    ? { FILES_HOST: 'files.assay.internal', ...(await localCredentials(given, dataDir)), ...given }
    : given;
  const settings = readSettings(houseSettings, env);
  if (settings.taskDeadlineSeconds >= settings.resultTtlSeconds) {
    throw new SettingsProblem(
      'TASK_DEADLINE_SECONDS must be below RESULT_TTL_SECONDS: a task must not vanish unfinished.',
    );
  }
  const shared: SharedSettings = {
    version: JSON.parse(await readFile(new URL('package.json', PACKAGE_ROOT), 'utf8')).version,
    dataDir,
    filesHost: settings.filesHost,
    filesQuotaBytes: settings.filesQuotaBytes,
    resultTtlSeconds: settings.resultTtlSeconds,
    taskDeadlineSeconds: settings.taskDeadlineSeconds,
    taskVisibility: settings.taskVisibility,
    webhookLoopback: settings.webhookLoopback === 'allow',
    corsAllowOrigins: settings.corsAllowOrigins,
    trustProxy: settings.trustProxy.includes('true')
      ? true
      : settings.trustProxy.length > 0 && [...settings.trustProxy],
    metricsToken: settings.metricsToken,
    holes: readHoles({ hosts: settings.outboundAllowHosts, cidrs: settings.outboundAllowCidrs }),
  };
  return {
    settings,
    shared,
    services: services.map((service) => service.open(env, shared)),
    env,
    host: settings.host ?? (local ? '127.0.0.1' : '0.0.0.0'),
    log: createLog(settings.logLevel, role),
  };
}

/** The things that processes share, opened. */
export interface House extends Plan {
  readonly id: string;
  readonly db: Db;
  readonly tasks: TaskStore;
  readonly workers: Workers;
  readonly uploads: Uploads;
  readonly files: Files;
  readonly fetch: GuardedFetch;
  /** What a process without a listener counts; its heartbeat carries it. */
  readonly registry: Registry;
  signingKey(): Promise<SigningKey>;
  close(): Promise<void>;
}

/** Opens the house for one process. Without `DATABASE_URL` it starts the embedded database, or joins the one that runs. */
export async function openHouse(planned: Plan): Promise<House> {
  const { settings, shared, log } = planned;
  const embedded = settings.databaseUrl ? undefined : await startEmbedded(planned);
  const url = settings.databaseUrl ?? embedded!.url;
  const id = `${hostname()}-${process.pid}-${newId().slice(-6)}`;
  const db = openDb({ url, log, max: settings.databaseConnections, applicationName: 'assay' });
  const tasks = postgresTaskStore(db);
  const registry = new Registry();
  const blocked = new Counter({
    name: 'assay_outbound_blocked_total',
    help: 'Requests to addresses that may not be contacted.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const fetch = createGuardedFetch({
    refusedPorts: [...planned.services.map(({ port }) => port), Number(new URL(url).port)],
    onBlocked: (reason) => blocked.inc({ reason }),
  });
  return {
    ...planned,
    id,
    db,
    tasks,
    workers: postgresWorkers(db),
    uploads: postgresUploads(db),
    files: openFiles({ dir: join(shared.dataDir, 'files') }),
    fetch,
    registry,
    signingKey: () =>
      loadOrCreateSigningKey(settings.webhookSigningKeyFile ?? join(shared.dataDir, 'keys', 'webhook-signing.pem')),
    async close() {
      tasks.close();
      await fetch.close();
      await db.close();
      if (embedded && !embedded.adopted) await embedded.stop();
    },
  };
}

export const startEmbedded = ({ settings, shared, log }: Plan, signal?: AbortSignal) =>
  startEmbeddedPostgres({
    dataDir: shared.dataDir,
    log,
    ...(signal && { signal }),
    ...(settings.embeddedDatabasePort > 0 && { port: settings.embeddedDatabasePort }),
  });

export const migrateDatabase = (db: Db) => migrate(db, new URL('migrations/', PACKAGE_ROOT));

/** Reads everything for its faults alone: those of the house must not hide those of the services. */
function refuseFaults(given: Environment): void {
  const faults = [houseSettings, ...services.map((service) => service.settings)].flatMap((settings) => {
    try {
      readSettings(settings, given);
      return [];
    } catch (error) {
      if (error instanceof SettingsProblem) return [error.message];
      throw error;
    }
  });
  if (faults.length > 0) throw new SettingsProblem(faults.join('\n'));
}

/** Credentials that nobody has set: made at the first start, kept in files that only their owner reads. */
async function localCredentials(given: Environment, dataDir: string): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const { env, unless } of services.flatMap((service) => service.localCredentials)) {
    if ([env, `${env}_FILE`, ...unless].some((name) => given[name] !== undefined)) continue;
    const file = join(dataDir, 'credentials', env.toLowerCase());
    made[env] = (await readOrCreate(file, () => `assay-${newId().toLowerCase()}`)).toString('utf8').trim();
  }
  return made;
}

/** What the listeners of one process are made from. */
export async function gatewayHouse(house: House, signal: AbortSignal, refreshMs = 1000): Promise<GatewayHouse> {
  const { tasks, workers, uploads, files, log, services, shared } = house;
  const names = services.map(({ name }) => name);
  const roster = await keepRoster({ workers, tasks, services: names, signal, log, refreshMs });
  const metrics = createMetrics({ version: shared.version });
  watchQueue({ registry: metrics.registry, roster, services: names });
  const meter = createTaskMeter(metrics.registry);
  return {
    ...{ tasks, uploads, files, roster, metrics, log },
    onCancelled: (service) => meter.ended(service, 'failed'),
    webhookKeys: jwks(await house.signingKey()),
    othersMetrics: async () => roster.all().map((beat) => (beat.metrics ?? []) as MetricJson[]),
  };
}

/** What a deliverer works with. */
export async function deliverNeeds(house: House, signal: AbortSignal): Promise<DeliverNeeds> {
  const { tasks, services, fetch, settings, shared, log } = house;
  const sealingKey = await loadOrCreateKey(join(shared.dataDir, 'keys', 'sealing.key'));
  return {
    ...{ tasks, services, fetch, log, signal },
    meters: createDeliveryMeters(house.registry),
    policy: { kind: 'webhook', loopback: shared.webhookLoopback, holes: shared.holes },
    signingKey: await house.signingKey(),
    openSecret: (sealed) => openSealed(sealingKey, sealed),
    schedule: settings.webhookRetrySchedule,
    timeoutMs: settings.webhookTimeoutSeconds * 1000,
  };
}

/** What housekeeping works with. */
export function sweepNeeds(house: House, signal: AbortSignal): SweepNeeds {
  const { tasks, services, uploads, files, settings, log } = house;
  const { workerMaxAttempts: maxAttempts, batchMaxWaitSeconds } = settings;
  const meter = createTaskMeter(house.registry);
  return { tasks, services, uploads, files, meter, limits: { maxAttempts, batchMaxWaitSeconds }, log, signal };
}
