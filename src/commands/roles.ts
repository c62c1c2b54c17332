import { setMaxListeners } from 'node:events';
import { type AppContext, loadMigrations, openAppContext } from '../app-context.ts';
import { isUnavailable } from '../base/db-errors.ts';
import { delayed, sleep } from '../base/loop.ts';
import { isMigrated } from '../base/migrate.ts';
import { OperatorError } from '../base/operator-error.ts';
import { killSelf, stopSignal } from '../base/stop-signal.ts';
import { type Config, loadConfig, onDatabase } from '../config.ts';
import {
  createBackgroundContext,
  createDeliverDeps,
  createGatewayContext,
  createModelContext,
  createSweepDeps,
} from '../role-contexts.ts';
import { deliver } from '../roles/deliver.ts';
import { createWorkMetrics } from '../roles/metrics.ts';
import type { WorkerReady } from '../roles/release-on-exit.ts';
import { serve } from '../roles/serve.ts';
import { sweep } from '../roles/sweep.ts';
import { StuckAttempt, work } from '../roles/work.ts';
import { hasTasks } from '../services/shared/service.ts';
import { HEARTBEAT_INTERVAL_MS } from '../tasks/workers.ts';
import { throwOperatorError } from './terminal.ts';
import { warnAboutUnknownSettings } from './unknown-settings.ts';
import { waitForDatabase, waitReason } from './wait-for-database.ts';

/** The listeners answer 503 while the database is unavailable. */
export const serveCommand = (services: readonly string[]) => {
  const listening: Record<string, string> = {};
  return runRole('serve', services, async (app, signal) => {
    await waitForSchema(app, signal, { orUnavailable: true });
    // Until then the gateway serves requests but reports not ready.
    const closing = delayed(signal, app.shutdownDelayMs);
    const gateways = await createGatewayContext(app, closing, undefined, signal);
    const closed = new AbortController();
    const heartbeats = sendHeartbeats(app, closed.signal, 'serve');
    await serve({
      services: app.services,
      context: gateways,
      host: app.host,
      onListening(addresses) {
        Object.assign(listening, addresses);
        const isComplete = app.enabledServices.every(
          ({ name }) => name in listening || (services.length > 0 && !services.includes(name)),
        );
        if (isComplete) process.send?.({ listening });
      },
      log: app.log,
      signal: closing,
    }).finally(() => {
      closed.abort();
      return heartbeats;
    });
    await gateways.limits.left; // otherwise the other gateways wait for its lease to expire
  });
};

/** Runs a model, or the background job of a service without tasks. */
export const workCommand = (name: string) =>
  runRole('work', [name], async (app, signal) => {
    const { id, services, tasks, workers, log, settings } = app;
    await waitForSchema(app, signal);
    const service = services[0]!;
    if (!hasTasks(service)) {
      const job = service.runBackgroundJob(await createBackgroundContext(app), signal);
      process.send?.({ loaded: name });
      return void (await Promise.all([job, sendHeartbeats(app, signal, 'work', name)]));
    }
    try {
      await work({
        ...{ id, tasks, workers, log, signal },
        service: name,
        async load() {
          const model = await service.work.load(await createModelContext(app));
          process.send?.({ loaded: name, worker: id } satisfies WorkerReady);
          return model;
        },
        maxAttempts: settings.workerMaxAttempts,
        workMetrics: createWorkMetrics(name, app.registry),
        metrics: () => app.registry.getMetricsAsJSON(),
        traces: app.traces,
      });
    } catch (error) {
      if (!(error instanceof StuckAttempt)) throw error;
      log.fatal(error.message);
      await app.traces?.close();
      killSelf();
    }
  });

/** `assay deliver`: delivers webhooks; with `sweep`, also runs the cleanup. */
export const deliverCommand = (options: { sweep: boolean }) =>
  runRole('deliver', [], async (app, signal) => {
    await waitForSchema(app, signal);
    await Promise.all([
      deliver(await createDeliverDeps(app, signal)),
      sendHeartbeats(app, signal, 'deliver'),
      options.sweep && sweep(createSweepDeps(app, signal)),
    ]);
  });

/** `assay sweep`: runs the cleanup. */
export const sweepCommand = () =>
  runRole('sweep', [], async (app, signal) => {
    await waitForSchema(app, signal);
    await Promise.all([sweep(createSweepDeps(app, signal)), sendHeartbeats(app, signal, 'sweep')]);
  });

/** Runs the role once for every database of the services. */
async function runRole(
  role: string,
  services: readonly string[],
  run: (app: AppContext, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const done = new AbortController();
  const signal = AbortSignal.any([stopSignal(), done.signal]);
  setMaxListeners(0, signal);
  const planned = selectServices(await loadConfig(process.env, role), services);
  warnAboutUnknownSettings(process.env, planned.log);
  const runOnDatabase = async (config: Config) => {
    try {
      const app = await openAppContext(config).catch(throwOperatorError);
      await run(app, signal).finally(() => {
        // Stops the other parts when one has failed.
        done.abort();
        return app.close();
      });
    } finally {
      done.abort();
    }
  };
  const configs = planned.databases.map((database) => onDatabase(planned, database));
  const results = await Promise.allSettled(
    configs.filter((config) => config.services.length > 0).map((config) => runOnDatabase(config)),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** With `orUnavailable` returns at once: a gateway answers 503 meanwhile. Throws for a newer, unsupported schema. */
const waitForSchema = (
  { db, database, log }: AppContext,
  signal: AbortSignal,
  { orUnavailable = false } = {},
): Promise<void> =>
  waitForDatabase(
    async () => {
      const migrations = await loadMigrations();
      const migrated = await isMigrated(db, migrations).catch((error) => {
        if (!orUnavailable || !isUnavailable(error)) throw error;
      });
      if (migrated === false && !orUnavailable) throw new NotMigrated();
    },
    {
      ...{ log, signal, variable: database.variable },
      why: (error) =>
        error instanceof NotMigrated ? 'waiting for `node scripts/assay.mjs migrate`' : waitReason(error),
    },
  );

class NotMigrated extends Error {
  override readonly name = 'NotMigrated';
}

/** Heartbeats carry the process's metrics to all gateways. */
async function sendHeartbeats(
  { id, workers, registry, log }: AppContext,
  signal: AbortSignal,
  role: string,
  service?: string,
): Promise<void> {
  for (; !signal.aborted; await sleep(HEARTBEAT_INTERVAL_MS, signal)) {
    const metrics = await registry.getMetricsAsJSON();
    await workers
      .recordHeartbeat({ id, role, ...(service !== undefined && { service }), state: 'warm', info: {}, metrics })
      .catch((err) => log.warn({ err }, 'the heartbeat could not be stored'));
  }
  await workers.unregister(id).catch(() => {});
}

function selectServices(planned: Config, names: readonly string[]): Config {
  if (names.length === 0) return planned;
  const known = planned.services.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new OperatorError(`Unknown service ${unknown.join(', ')}. Services: ${known.join(', ')}.`);
  return { ...planned, services: planned.services.filter(({ name }) => names.includes(name)) };
}
