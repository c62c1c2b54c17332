import { join } from 'node:path';
import { isUnavailable } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';
import { loadOrCreateKey, open as openSealed } from '../base/secrets.ts';
import { stopSignal } from '../base/stop-signal.ts';
import { type House, openHouse, type Plan, plan } from '../compose.ts';
import { createMetrics, type MetricJson } from '../http/metrics.ts';
import { deliver } from '../roles/deliver.ts';
import { createDeliveryMeters, createWorkMeters, type Meters } from '../roles/meters.ts';
import { serve } from '../roles/serve.ts';
import { sweep } from '../roles/sweep.ts';
import { work } from '../roles/work.ts';
import { watchQueue } from '../tasks/queue-metrics.ts';
import { keepRoster } from '../tasks/roster.ts';
import { jwks } from '../tasks/signature.ts';
import { BEAT_MS } from '../tasks/workers.ts';

export interface ServicesWanted {
  /** Names of services; empty: all. */
  readonly services: readonly string[];
}

/** `assay serve`: the listeners. */
export const serveCommand = (wanted: ServicesWanted) =>
  inHouse('serve', wanted, async (house, signal) => {
    const { tasks, workers, uploads, files, log, services, host, shared } = house;
    const names = services.map(({ name }) => name);
    const roster = await keepRoster({ workers, tasks, services: names, signal, log });
    const metrics = createMetrics({ version: shared.version });
    watchQueue({ registry: metrics.registry, roster, services: names });
    await serve({
      services,
      house: {
        ...{ tasks, uploads, files, roster, metrics, log },
        webhookKeys: jwks(await house.signingKey()),
        othersMetrics: async () => roster.all().map((beat) => (beat.metrics ?? []) as MetricJson[]),
      },
      host,
      onListening: (addresses) => process.send?.({ listening: addresses }),
      log,
      signal,
    });
  });

/** `assay work`: one worker with one model. */
export const workCommand = (wanted: ServicesWanted) =>
  inHouse('work', wanted, async (house, signal) => {
    const { id, services, tasks, workers, files, fetch, log, settings } = house;
    const [service, another] = services;
    if (!service || another) throw new OperatorError('A worker works for one service: name it with --service.');
    await work({
      id,
      service: service.name,
      load: () => service.load({ fetch, files, log }),
      tasks,
      workers,
      maxAttempts: settings.workerMaxAttempts,
      meters: createWorkMeters(service.name),
      log,
      signal,
    });
  });

/** `assay deliver`: webhooks. */
export const deliverCommand = () =>
  inHouse('deliver', { services: [] }, async (house, signal) => {
    const meters = createDeliveryMeters();
    await Promise.all([deliverIn(house, meters, signal), beat(house, 'deliver', meters, signal)]);
  });

/** `assay sweep`: housekeeping. */
export const sweepCommand = () => inHouse('sweep', { services: [] }, sweepIn);

/** `assay deliver --sweep`: both in one process, as one machine wants it. */
export const keepCommand = () =>
  inHouse('deliver', { services: [] }, async (house, signal) => {
    const meters = createDeliveryMeters();
    await Promise.all([
      deliverIn(house, meters, signal),
      sweepIn(house, signal),
      beat(house, 'deliver', meters, signal),
    ]);
  });

async function deliverIn(
  house: House,
  meters: ReturnType<typeof createDeliveryMeters>,
  signal: AbortSignal,
): Promise<void> {
  const { tasks, services, fetch, settings, shared, log } = house;
  const sealingKey = await loadOrCreateKey(join(shared.dataDir, 'keys', 'sealing.key'));
  await deliver({
    tasks,
    services,
    fetch,
    policy: { kind: 'webhook', loopback: shared.webhookLoopback, holes: shared.holes },
    signingKey: await house.signingKey(),
    openSecret: (sealed) => openSealed(sealingKey, sealed),
    schedule: settings.webhookRetrySchedule,
    timeoutMs: settings.webhookTimeoutSeconds * 1000,
    meters,
    log,
    signal,
  });
}

function sweepIn({ tasks, uploads, files, settings, log }: House, signal: AbortSignal): Promise<void> {
  const { workerMaxAttempts: maxAttempts, batchMaxWaitSeconds } = settings;
  return sweep({ tasks, uploads, files, limits: { maxAttempts, batchMaxWaitSeconds }, log, signal });
}

async function beat({ id, workers, log }: House, role: string, meters: Meters, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await rest(BEAT_MS, signal)) {
    await workers
      .beat({ id, role, state: 'warm', info: {}, metrics: await meters.snapshot() })
      .catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'));
  }
  await workers.leave(id).catch(() => {});
}

/** Runs one role until it is told to stop, and takes everything down after it. */
async function inHouse(
  role: string,
  wanted: ServicesWanted,
  run: (house: House, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = stopSignal();
  const house = await openHouse(only(await plan(process.env, role), wanted));
  try {
    await storeAnswers(house, signal, house.log);
    await run(house, signal);
  } finally {
    await house.close();
  }
}

/** A role that starts before its database waits for it; what has no schema yet is waited for as well. */
async function storeAnswers({ db }: House, signal: AbortSignal, log: Log): Promise<void> {
  for (let told = false; !signal.aborted; await rest(500, signal)) {
    try {
      await db.query('select from schema_migrations limit 1');
      return;
    } catch (error) {
      const noSchema = (error as { code?: string }).code === '42P01';
      if (!noSchema && !isUnavailable(error)) throw error;
      if (!told) log.warn({ err: error }, noSchema ? 'waiting for `assay migrate`' : 'waiting for the database');
      told = true;
    }
  }
}

function only(planned: Plan, { services }: ServicesWanted): Plan {
  if (services.length === 0) return planned;
  const unknown = services.filter((name) => !planned.services.some((service) => service.name === name));
  if (unknown.length > 0) throw new OperatorError(`There is no service named ${unknown.join(', ')}.`);
  return { ...planned, services: planned.services.filter(({ name }) => services.includes(name)) };
}
