import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppContext, loadMigrations } from './app-context.ts';
import { deleteStale } from './base/file-system.ts';
import { createOrphanCollector } from './base/files/orphan-collector.ts';
import { knowsMigrations } from './base/migrate.ts';
import { watchSchema } from './base/schema-watch.ts';
import { loadOrCreateKey, seal, unseal } from './base/secrets.ts';
import { BACKUP_CONTENTS } from './commands/backup-contents.ts';
import { toOperatorError } from './config.ts';
import { createMetrics } from './http/metrics.ts';
import { createOpenFeeds } from './http/open-feeds.ts';
import { createSharedLimits } from './http/shared-limits.ts';
import { createTokenStore } from './http/token-store.ts';
import type { DeliverDeps } from './roles/deliver.ts';
import { createDeliveryMetrics, createTaskMetrics } from './roles/metrics.ts';
import type { SweepDeps } from './roles/sweep.ts';
import { services as definedServices } from './services/index.ts';
import { batchesOf } from './services/shared/batches/batches-of.ts';
import { createFileDeletionQueue, EXPIRED_UPLOADS } from './services/shared/file-deletion-queue.ts';
import { createOverview } from './services/shared/overview/overview.ts';
import {
  type BackgroundJobContext,
  type GatewayContext,
  hasTasks,
  type ModelContext,
} from './services/shared/service.ts';
import { createServiceDirectory } from './services/shared/service-links.ts';
import { watchAcceptHealth } from './tasks/accept-health.ts';
import { createAdmission } from './tasks/admission.ts';
import { createClientQueues } from './tasks/client-queues.ts';
import { readClientShares } from './tasks/client-shares.ts';
import { exportDatabaseGauges } from './tasks/database-gauges.ts';
import { createDeliveryLog } from './tasks/delivery-log.ts';
import { createEndpoints } from './tasks/endpoints.ts';
import { createEstimates } from './tasks/estimates.ts';
import { createEventCursors } from './tasks/event-cursor.ts';
import { createEventFeeds } from './tasks/event-feeds.ts';
import { createEventStore } from './tasks/events.ts';
import { deleteUnusedTags } from './tasks/fair-tags.ts';
import { watchOldestSnapshot } from './tasks/oldest-snapshot.ts';
import { mergeProcessMetrics } from './tasks/process-metrics.ts';
import { registerQueueMetrics } from './tasks/queue-metrics.ts';
import { deletePastPaces } from './tasks/redelivery.ts';
import { createJwks } from './tasks/webhook-signature.ts';
import { createWebhookTest } from './tasks/webhook-test.ts';
import { createWorkerRegistry } from './tasks/worker-registry.ts';

/** Dependencies of the listeners of one process. Runs until `signal` aborts; `/ready` fails as soon as `stopping` aborts. */
export async function createGatewayContext(
  context: AppContext,
  signal: AbortSignal,
  refreshMs = 1000,
  stopping: AbortSignal = signal,
): Promise<GatewayContext> {
  const { db, workers, uploads, files, log, services, database, databases, shared, settings } = context;
  const { records, failureTexts, traces } = context;
  const servicesInDatabase = context.enabledServices.filter(({ name }) => database.services.includes(name));
  setMaxListeners(0, signal); // of all the loops below
  const schema = await watchSchema({ db, migrations: await loadMigrations(), log, signal, refreshMs });
  const accepting = watchAcceptHealth({ db, tasks: context.tasks, log, signal, everyMs: 2 * refreshMs });
  const { tasks } = accepting;
  const limits = new Map(services.filter(hasTasks).map(({ name, work }) => [name, work.maxWaiting]));
  const workerRegistry = await createWorkerRegistry({
    ...{ workers, tasks, limits, signal, log, refreshMs },
    services: servicesInDatabase.map(({ name }) => name),
  });
  const metrics = createMetrics({ version: shared.version });
  const issued = await createTokenStore({ db, log, signal, refreshMs });
  const admission = createAdmission({
    ...{ workerRegistry, limits, ownerOf: issued.ownerOf, registry: metrics.registry },
    ...(settings.clientMaxWaiting > 0 && {
      clients: {
        limit: settings.clientMaxWaiting,
        queues: createClientQueues({ db, services: [...limits.keys()], signal, log, refreshMs }),
      },
    }),
  });
  const estimates = createEstimates({
    ...{ mode: settings.estimateMode, db, workerRegistry, weights: settings.clientWeights },
    ...{ deadlineSeconds: shared.taskDeadlineSeconds, signal, log, refreshMs },
  });
  registerQueueMetrics({ registry: metrics.registry, workerRegistry, services: [...limits.keys()] });
  watchOldestSnapshot({ db, registry: metrics.registry, log, signal });
  const meter = createTaskMetrics(context.registry);
  const overview = createOverview({
    workerRegistry,
    services: servicesInDatabase,
    registry: metrics.registry,
    localCounters: { id: context.id, registry: context.registry },
    clientShares: () => readClientShares(db),
    signal,
    everyMs: 2 * refreshMs,
    log,
  });
  const rateLimits = createSharedLimits({ db, id: context.id, registry: metrics.registry, log, signal });
  const sealing = await sealingKey(shared.dataDir);
  const signingKeys = await context.signingKeys();
  const { signingKey, previousKey } = signingKeys;
  const events = createEventStore(db);
  const endpoints = createEndpoints(db);
  exportDatabaseGauges(metrics.registry, { events, endpoints });
  return {
    ...{
      db,
      tasks,
      uploads,
      files,
      workerRegistry,
      admission,
      estimates,
      metrics,
      issued,
      overview,
      records,
      databases,
      failureTexts,
      log,
    },
    ...(traces && { traces }),
    limits: rateLimits,
    serviceDirectory: createServiceDirectory(context.enabledServices),
    isOutOfService: () => schema.problem() !== undefined,
    notReady() {
      if (stopping.aborted) return 'This gateway is stopping.';
      return schema.problem() ?? (accepting.isFailing() ? 'The database does not accept new tasks now.' : undefined);
    },
    events: {
      feeds: createEventFeeds({ events, tasks, services: [...limits.keys()], log, signal }),
      cursors: createEventCursors(sealing),
      open: createOpenFeeds({
        ...{ perClient: settings.eventFeedsPerClient, total: settings.eventFeedsTotal },
        registry: metrics.registry,
      }),
    },
    deliveries: createDeliveryLog(db),
    endpoints,
    onCancelled: (service, count) => meter.countFinished(service, 'failed', count),
    webhookKeys: createJwks(...[signingKey, previousKey].filter((key) => key !== undefined)),
    testWebhook: createWebhookTest({ fetch: context.fetch, signingKeys, ...webhookSettings(context) }),
    seal: (secret) => seal(sealing, secret),
    othersMetrics: async () =>
      mergeProcessMetrics(await workers.readMetrics(context.id), {
        id: context.id,
        metrics: await context.registry.getMetricsAsJSON(),
      }),
  };
}

const webhookSettings = ({ settings }: AppContext) => ({
  hideLoopbackDetails: settings.appEnv === 'production',
  timeoutMs: settings.webhookTimeoutSeconds * 1000,
});

/** Encrypts webhook secrets at rest, from the request to the delivery. */
const sealingKey = (dataDir: string) => loadOrCreateKey(join(dataDir, 'keys', 'sealing.key')).catch(toOperatorError);

export async function createDeliverDeps(context: AppContext, signal: AbortSignal): Promise<DeliverDeps> {
  const { db, tasks, services, fetch, settings, shared, traces, log } = context;
  const sealing = await sealingKey(shared.dataDir);
  return {
    ...{ tasks, fetch, traces, log, signal },
    endpoints: createEndpoints(db),
    services: services.flatMap((service): DeliverDeps['services'] => {
      if (hasTasks(service)) return [service, batchesOf(service)];
      const { name, messages } = service;
      if (messages === undefined) return [];
      const { isWanted = async () => true, ...work } = messages;
      return [{ name, work: { ...work, isWanted: (message, url) => isWanted(message, { url, db }) } }];
    }),
    metrics: createDeliveryMetrics(context.registry),
    policy: { kind: 'webhook', loopback: shared.webhookLoopback, allowList: shared.allowList },
    ...webhookSettings(context),
    signingKeys: await context.signingKeys(),
    openSecret: (sealed) => unseal(sealing, sealed),
    schedule: settings.webhookRetrySchedule,
  };
}

export async function createModelContext({ db, fetch, files, shared, log }: AppContext): Promise<ModelContext> {
  const scratchDir = join(shared.dataDir, 'scratch');
  await mkdir(scratchDir, { recursive: true, mode: 0o700 }).catch(toOperatorError);
  await deleteStale(scratchDir, DAY_MS);
  // Copies of a bucket's files, left by a crash, on a host without a sweeper.
  await files
    .cleanup()
    .catch((err: unknown) => log.warn({ err }, 'temporary files of the file store were not deleted'));
  return { db, fetch, files, scratchDir, log };
}

export async function createBackgroundContext(context: AppContext): Promise<BackgroundJobContext> {
  const { databases, records, registry } = context;
  return { ...(await createModelContext(context)), databases, records, registry };
}

/** No attempt takes longer. */
const DAY_MS = 86_400_000;

export function createSweepDeps(context: AppContext, signal: AbortSignal): SweepDeps {
  const { db, databases, tasks, files, stored, registry, settings, log } = context;
  // Read once at the start: an upgrade replaces the files of a running program.
  const migrations = loadMigrations();
  migrations.catch(() => {}); // `isSchemaKnown` rejects
  const services = context.services.map(({ name, cleanup, ...service }) => ({
    name,
    ...('work' in service && { sandbox: service.work.sandbox }),
    ...(cleanup && { cleanup: (signal: AbortSignal) => cleanup({ db, tasks, files, log }, signal) }),
  }));
  return {
    ...{ tasks, services, files, log, signal },
    events: createEventStore(db),
    databaseCleanups: [
      () => deleteUnusedTags(db),
      () => deletePastPaces(db),
      ...context.disabledServices.flatMap(({ onDisabled }) => (onDisabled ? [() => onDisabled(db)] : [])),
      ...definedServices.flatMap(({ cleanUpDatabase }) => (cleanUpDatabase ? [() => cleanUpDatabase(db, signal)] : [])),
    ],
    expiredUploads: createFileDeletionQueue({ db, files, log }, EXPIRED_UPLOADS),
    // All databases have one file storage; the sweeper of the first one looks at the rows of all.
    orphans:
      db === databases[0]!.db
        ? createOrphanCollector({
            ...{ db, files, stored, registry, log },
            otherDatabases: databases.slice(1).map((each) => each.db),
            columns: BACKUP_CONTENTS.fileColumns,
            async isSchemaKnown() {
              const known = await Promise.all(
                databases.map(async (each) => knowsMigrations(each.db, await migrations)),
              );
              return known.every(Boolean);
            },
          })
        : { step: async () => {} },
    taskMetrics: createTaskMetrics(context.registry),
    limits: { maxAttempts: settings.workerMaxAttempts, batchMaxWaitSeconds: settings.batchMaxWaitSeconds },
  };
}
