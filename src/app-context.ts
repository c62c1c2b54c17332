import { join } from 'node:path';
import { Counter, Registry } from 'prom-client';
import { type Db, openDb } from './base/db.ts';
import { startEmbeddedPostgres } from './base/embedded-postgres.ts';
import { createGuardedFetch } from './base/guarded-fetch.ts';
import { newId } from './base/ids.ts';
import { type MigrateOptions, migrate } from './base/migrate.ts';
import { readMigrations } from './base/migration-files.ts';
import type { Traces } from './base/trace.ts';
import { openTraces } from './base/trace-export.ts';
import { type Config, PACKAGE_ROOT, toOperatorError } from './config.ts';
import { openFileStore } from './file-store.ts';
import { createPostgresTaskStore } from './tasks/postgres.ts';
import { createPostgresUploadStore } from './tasks/uploads.ts';
import { loadOrCreateSigningKey, loadSigningKey, type SigningKeys } from './tasks/webhook-signature.ts';
import { createPostgresWorkerStore } from './tasks/workers.ts';

const DEFAULT_POSTGRES_PORT = 5432;
/** To a database of other services, for the catalog: a batch and the row ids, and the tasks to be fed again. */
const OTHER_CONNECTIONS = 4;
const portOf = (url: string) => Number(new URL(url).port) || DEFAULT_POSTGRES_PORT;

/** The configuration and the open resources of one process. */
export type AppContext = Awaited<ReturnType<typeof openAppContext>>;

/** Opens the resources of one process. Without `DATABASE_URL` it starts the embedded database or joins the running one. */
export async function openAppContext(config: Config) {
  const { settings, log } = config;
  const { database } = config;
  const store = await openFileStore(config);
  const embedded = database.url ? undefined : await startEmbedded(config);
  // Clients see it in /health: it must not identify the machine.
  const id = newId().slice(-12).toLowerCase();
  const databases = config.databases.map((each) => {
    const db = openDb({
      ...{ url: each.url ?? embedded!.url, directUrl: each.directUrl, pooling: settings.databasePooling },
      ...{ log, max: each === database ? settings.databaseConnections : OTHER_CONNECTIONS, applicationName: 'assay' },
    });
    const tasks = createPostgresTaskStore(db, {
      weights: settings.clientWeights,
      batchSharePercent: settings.batchSharePercent,
    });
    return { ...each, db, tasks };
  });
  const { db, tasks } = databases[config.databases.indexOf(database)]!;
  const traces = await createTraces(config, id);
  const registry = new Registry();
  const blocked = new Counter({
    name: 'assay_outbound_blocked_total',
    help: 'Requests to addresses that may not be contacted.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const fetch = createGuardedFetch({
    blockedPorts: [
      ...config.ports,
      ...store.ports,
      ...[settings.databaseDirectUrl, embedded?.url, ...config.databases.map(({ url }) => url)].flatMap((url) =>
        url === undefined ? [] : portOf(url),
      ),
    ],
    onBlocked: (reason) => blocked.inc({ reason }),
  });
  return {
    ...config,
    id,
    db,
    tasks,
    /** With connections for the catalog; idle ones of other databases are not opened. */
    databases,
    workers: createPostgresWorkerStore(db),
    uploads: createPostgresUploadStore(db),
    files: store.files,
    stored: store.stored,
    fetch,
    /** Metrics that are summed over all processes; the heartbeat carries them. */
    registry,
    /** Undefined without a configured collector: tracing then costs nothing. */
    traces,
    signingKeys: () => signingKeys(config).catch(toOperatorError),
    async close(): Promise<void> {
      for (const each of databases) each.tasks.close();
      await traces?.close();
      await fetch.close();
      await store.close();
      await Promise.all(databases.map((each) => each.db.close()));
      if (embedded && !embedded.adopted) await embedded.stop();
    },
  };
}

/** Includes the previous signing key while its file exists. */
async function signingKeys({ settings, shared }: Config): Promise<SigningKeys> {
  const keys = join(shared.dataDir, 'keys');
  const signingKey = await loadOrCreateSigningKey(settings.webhookSigningKeyFile ?? join(keys, 'webhook-signing.pem'));
  const previousKey = await loadSigningKey(
    settings.webhookSigningKeyPreviousFile ?? join(keys, 'webhook-signing-previous.pem'),
  );
  return previousKey && previousKey.jwk.kid !== signingKey.jwk.kid ? { signingKey, previousKey } : { signingKey };
}

async function createTraces({ settings, shared, role, log }: Config, id: string): Promise<Traces | undefined> {
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

export const startEmbedded = ({ settings, shared, log }: Config, signal?: AbortSignal) =>
  startEmbeddedPostgres({
    dataDir: shared.dataDir,
    log,
    ...(signal && { signal }),
    ...(settings.embeddedDatabasePort > 0 && { port: settings.embeddedDatabasePort }),
  });

const MIGRATIONS = new URL('migrations/', PACKAGE_ROOT);

export const loadMigrations = () => readMigrations(MIGRATIONS);

export const migrateDatabase = (db: Db, options: MigrateOptions) => migrate(db, MIGRATIONS, options);
