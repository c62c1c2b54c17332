import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, Registry } from 'prom-client';
import { type Db, openDb } from './base/db.ts';
import { startEmbeddedPostgres } from './base/embedded-postgres.ts';
import type { Files } from './base/files.ts';
import { createGuardedFetch, type GuardedFetch } from './base/guarded-fetch.ts';
import { newId } from './base/ids.ts';
import { type MigrateOptions, migrate } from './base/migrate.ts';
import { readMigrations } from './base/migration-files.ts';
import { watchSchema } from './base/schema-watch.ts';
import { loadOrCreateKey, open as openSealed, seal } from './base/secrets.ts';
import type { Traces } from './base/trace.ts';
import { openTraces } from './base/trace-export.ts';
import { openFileStore } from './file-store.ts';
import { keepIssuedTokens } from './http/issued-tokens.ts';
import { createMetrics } from './http/metrics.ts';
import { shareLimits } from './http/shared-limits.ts';
import { inWords, PACKAGE_ROOT, type Plan } from './plan.ts';
import type { DeliverNeeds } from './roles/deliver.ts';
import { createDeliveryMeters, createTaskMeter } from './roles/meters.ts';
import type { SweepNeeds } from './roles/sweep.ts';
import { openNeighbourhood } from './services/neighbours.ts';
import { keepOverview } from './services/overview.ts';
import type { AttendHouse, GatewayHouse, ModelHouse } from './services/service.ts';
import { openTrash } from './services/trash.ts';
import { watchAccepts } from './tasks/accepting.ts';
import { createAdmission } from './tasks/admission.ts';
import { watchSnapshots } from './tasks/oldest-snapshot.ts';
import { postgresTaskStore } from './tasks/postgres.ts';
import { sumOfProcesses } from './tasks/process-metrics.ts';
import { watchQueue } from './tasks/queue-metrics.ts';
import { keepRoster } from './tasks/roster.ts';
import { jwks, loadOrCreateSigningKey, loadSigningKey, type SigningKeys } from './tasks/signature.ts';
import type { TaskStore } from './tasks/store.ts';
import { postgresUploads, type Uploads } from './tasks/uploads.ts';
import { postgresWorkers, type Workers } from './tasks/workers.ts';

export { type Plan, plan } from './plan.ts';

const DEFAULT_POSTGRES_PORT = 5432;
const portOf = (url: string) => Number(new URL(url).port) || DEFAULT_POSTGRES_PORT;

/** The configuration and the open resources of one process. */
export interface House extends Plan {
  readonly id: string;
  readonly db: Db;
  readonly tasks: TaskStore;
  readonly workers: Workers;
  readonly uploads: Uploads;
  readonly files: Files;
  readonly fetch: GuardedFetch;
  /** Metrics that are summed over all processes; the heartbeat carries them. */
  readonly registry: Registry;
  /** Absent without a configured collector: tracing then costs nothing. */
  readonly traces?: Traces;
  signingKeys(): Promise<SigningKeys>;
  close(): Promise<void>;
}

/** Opens the resources of one process. Without `DATABASE_URL` it starts the embedded database or joins the running one. */
export async function openHouse(config: Plan): Promise<House> {
  const { settings, log } = config;
  const store = await openFileStore(config);
  const embedded = settings.databaseUrl ? undefined : await startEmbedded(config);
  const url = settings.databaseUrl ?? embedded!.url;
  // Clients see it in /health: it must not identify the machine.
  const id = newId().slice(-12).toLowerCase();
  const db = openDb({
    ...{ url, log, max: settings.databaseConnections, applicationName: 'assay' },
    ...{ directUrl: settings.databaseDirectUrl, pooling: settings.databasePooling },
  });
  const tasks = postgresTaskStore(db);
  const traces = await createTraces(config, id);
  const registry = new Registry();
  const blocked = new Counter({
    name: 'assay_outbound_blocked_total',
    help: 'Requests to addresses that may not be contacted.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const fetch = createGuardedFetch({
    refusedPorts: [...config.ports, ...store.ports, ...[url, settings.databaseDirectUrl ?? url].map(portOf)],
    onBlocked: (reason) => blocked.inc({ reason }),
  });
  return {
    ...config,
    id,
    db,
    tasks,
    workers: postgresWorkers(db),
    uploads: postgresUploads(db),
    files: store.files,
    fetch,
    registry,
    ...(traces && { traces }),
    signingKeys: () => signingKeys(config).catch(inWords),
    async close() {
      tasks.close();
      await traces?.close();
      await fetch.close();
      await store.close();
      await db.close();
      if (embedded && !embedded.adopted) await embedded.stop();
    },
  };
}

/** Includes the previous signing key while its file exists. */
async function signingKeys({ settings, shared }: Plan): Promise<SigningKeys> {
  const keys = join(shared.dataDir, 'keys');
  const signingKey = await loadOrCreateSigningKey(settings.webhookSigningKeyFile ?? join(keys, 'webhook-signing.pem'));
  const previousKey = await loadSigningKey(
    settings.webhookSigningKeyPreviousFile ?? join(keys, 'webhook-signing-previous.pem'),
  );
  return previousKey && previousKey.jwk.kid !== signingKey.jwk.kid ? { signingKey, previousKey } : { signingKey };
}

async function createTraces({ settings, shared, role, log }: Plan, id: string): Promise<Traces | undefined> {
  if (settings.tracesEndpoint === undefined) return undefined;
  return openTraces({
    endpoint: settings.tracesEndpoint,
    headers: settings.tracesHeaders,
    sampler: settings.tracesSampler,
    ratio: settings.tracesSamplerArg,
    resource: {
      'service.name': settings.tracesServiceName,
      'service.version': shared.version,
      'service.instance.id': id,
      'assay.role': role,
    },
    log,
  });
}

export const startEmbedded = ({ settings, shared, log }: Plan, signal?: AbortSignal) =>
  startEmbeddedPostgres({
    dataDir: shared.dataDir,
    log,
    ...(signal && { signal }),
    ...(settings.embeddedDatabasePort > 0 && { port: settings.embeddedDatabasePort }),
  });

const MIGRATIONS = new URL('migrations/', PACKAGE_ROOT);

export const ownMigrations = () => readMigrations(MIGRATIONS);

export const migrateDatabase = (db: Db, options: MigrateOptions) => migrate(db, MIGRATIONS, options);

/** Dependencies of the listeners of one process. Runs until `signal` aborts; `/ready` fails as soon as `stopping` aborts. */
export async function gatewayHouse(
  context: House,
  signal: AbortSignal,
  refreshMs = 1000,
  stopping: AbortSignal = signal,
): Promise<GatewayHouse> {
  const { db, workers, uploads, files, log, services, neighbours, shared, records, traces } = context;
  const schema = await watchSchema({ db, migrations: await ownMigrations(), log, signal, refreshMs });
  const accepting = watchAccepts({ db, tasks: context.tasks, log, signal, everyMs: 2 * refreshMs });
  const { tasks } = accepting;
  const limits = new Map(services.flatMap(({ name, work }) => (work ? [[name, work.maxWaiting]] : [])));
  const roster = await keepRoster({
    ...{ workers, tasks, limits, signal, log, refreshMs },
    services: neighbours.map(({ name }) => name),
  });
  const metrics = createMetrics({ version: shared.version });
  const withQueue = services.filter(({ work }) => work !== undefined).map(({ name }) => name);
  const admission = createAdmission({ roster, limits, registry: metrics.registry });
  watchQueue({ registry: metrics.registry, roster, services: withQueue });
  watchSnapshots({ db, registry: metrics.registry, log, signal });
  const meter = createTaskMeter(context.registry);
  const overview = keepOverview({
    roster,
    neighbours,
    registry: metrics.registry,
    own: { id: context.id, registry: context.registry },
    signal,
    everyMs: 2 * refreshMs,
    log,
  });
  const rateLimits = shareLimits({ db, id: context.id, registry: metrics.registry, log, signal });
  const issued = await keepIssuedTokens({ db, log, signal, refreshMs });
  const sealing = await sealingKey(shared.dataDir);
  const { signingKey, previousKey } = await context.signingKeys();
  return {
    ...{
      db,
      tasks,
      uploads,
      files,
      roster,
      admission,
      metrics,
      limits: rateLimits,
      issued,
      overview,
      records,
      log,
      ...(traces && { traces }),
    },
    neighbours: openNeighbourhood(neighbours),
    isOutOfService: () => schema.problem() !== undefined,
    notReady() {
      if (stopping.aborted) return 'This gateway is stopping.';
      return schema.problem() ?? (accepting.fails() ? 'The database does not accept new tasks now.' : undefined);
    },
    onCancelled: (service) => meter.ended(service, 'failed'),
    webhookKeys: jwks(...[signingKey, previousKey].filter((key) => key !== undefined)),
    seal: (secret) => seal(sealing, secret),
    othersMetrics: async () =>
      sumOfProcesses(await workers.reports(context.id), {
        id: context.id,
        metrics: await context.registry.getMetricsAsJSON(),
      }),
  };
}

/** Encrypts webhook secrets at rest, from the request to the delivery. */
const sealingKey = (dataDir: string) => loadOrCreateKey(join(dataDir, 'keys', 'sealing.key')).catch(inWords);

export async function deliverNeeds(context: House, signal: AbortSignal): Promise<DeliverNeeds> {
  const { tasks, services, fetch, settings, shared, log } = context;
  const sealing = await sealingKey(shared.dataDir);
  return {
    ...{ tasks, services, fetch, log, signal, ...(context.traces && { traces: context.traces }) },
    meters: createDeliveryMeters(context.registry),
    policy: { kind: 'webhook', loopback: shared.webhookLoopback, holes: shared.holes },
    withholdLoopback: settings.appEnv === 'production',
    signingKeys: await context.signingKeys(),
    openSecret: (sealed) => openSealed(sealing, sealed),
    schedule: settings.webhookRetrySchedule,
    timeoutMs: settings.webhookTimeoutSeconds * 1000,
  };
}

export async function modelHouse({ db, fetch, files, shared, log }: House): Promise<ModelHouse> {
  const scratchDir = join(shared.dataDir, 'scratch');
  await mkdir(scratchDir, { recursive: true, mode: 0o700 }).catch(inWords);
  await deleteStale(scratchDir);
  return { db, fetch, files, scratchDir, log };
}

export async function attendHouse(context: House): Promise<AttendHouse> {
  const { tasks, records, registry } = context;
  return { ...(await modelHouse(context)), tasks, records, registry };
}

/** Deletes files older than one day, left by processes that died: no attempt takes longer. */
async function deleteStale(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const { mtimeMs } = await stat(join(dir, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY_MS) await rm(join(dir, name), { recursive: true, force: true });
  }
}

const DAY_MS = 86_400_000;

export function sweepNeeds(context: House, signal: AbortSignal): SweepNeeds {
  const { db, tasks, files, settings, log } = context;
  const services = context.services.map(({ name, tidy }) => ({
    name,
    ...(tidy && { tidy: (signal: AbortSignal) => tidy({ db, tasks, files, log }, signal) }),
  }));
  const absent = context.absent.flatMap(({ takeBack }) => (takeBack ? [() => takeBack(db)] : []));
  const { workerMaxAttempts: maxAttempts, batchMaxWaitSeconds } = settings;
  const meter = createTaskMeter(context.registry);
  const expiredUploads = openTrash({ db, files, log, table: 'files' });
  const limits = { maxAttempts, batchMaxWaitSeconds };
  return { tasks, services, absent, expiredUploads, files, meter, limits, log, signal };
}
