import { isUnavailable } from '../base/db-errors.ts';
import { delayed, rest } from '../base/loop.ts';
import { isMigrated } from '../base/migrate.ts';
import { OperatorError } from '../base/operator-error.ts';
import { endNow, stopSignal } from '../base/stop-signal.ts';
import {
  attendHouse,
  deliverNeeds,
  gatewayHouse,
  type House,
  modelHouse,
  openHouse,
  ownMigrations,
  type Plan,
  plan,
  sweepNeeds,
} from '../compose.ts';
import { deliver } from '../roles/deliver.ts';
import type { WorkerReady } from '../roles/lost-worker.ts';
import { createWorkMeters } from '../roles/meters.ts';
import { serve } from '../roles/serve.ts';
import { sweep } from '../roles/sweep.ts';
import { StuckAttempt, work } from '../roles/work.ts';
import { BEAT_MS } from '../tasks/workers.ts';
import { warnOfMisspelt } from './misspelt-settings.ts';
import { untilAnswered, waitingFor } from './patience.ts';
import { inWords } from './telling.ts';

/** `assay serve`: the listeners of the services named, or of all; while the database is away they answer 503. */
export const serveCommand = (services: readonly string[]) =>
  inHouse('serve', services, async (house, signal) => {
    await storeAnswers(house, signal, { orIsAway: true });
    // From SIGTERM until then it answers as before, except that it is not ready.
    const closing = delayed(signal, house.shutdownDelayMs);
    const gateways = await gatewayHouse(house, closing, undefined, signal);
    const closed = new AbortController();
    const beating = beat(house, closed.signal, 'serve');
    await serve({
      services: house.services,
      house: gateways,
      host: house.host,
      onListening: (addresses) => process.send?.({ listening: addresses }),
      log: house.log,
      signal: closing,
    }).finally(() => {
      closed.abort();
      return beating;
    });
    await gateways.limits.left; // the others need not wait for it to be missed
  });

/** `assay work`: one worker with one service's model, or, where a service takes no tasks, what it does instead. */
export const workCommand = (name: string) =>
  inHouse('work', [name], async (house, signal) => {
    const { id, services, tasks, workers, log, settings } = house;
    await storeAnswers(house, signal);
    const { attend, work: given } = services[0]!;
    if (attend) {
      const attending = attend(await attendHouse(house), signal);
      process.send?.({ loaded: name });
      return void (await Promise.all([attending, beat(house, signal, 'work', name)]));
    }
    if (!given) throw new OperatorError(`The service ${name} has no work to be done.`);
    try {
      await work({
        ...{ id, tasks, workers, log, signal },
        service: name,
        async load() {
          const model = await given.load(await modelHouse(house));
          process.send?.({ loaded: name, worker: id } satisfies WorkerReady);
          return model;
        },
        maxAttempts: settings.workerMaxAttempts,
        meters: createWorkMeters(name, house.registry),
        metrics: () => house.registry.getMetricsAsJSON(),
        traces: house.traces,
      });
    } catch (error) {
      if (!(error instanceof StuckAttempt)) throw error;
      log.fatal(error.message);
      await house.traces?.close();
      endNow();
    }
  });

/** `assay deliver`: webhooks; with `sweep`, housekeeping in the same process, as one machine wants it. */
export const deliverCommand = (options: { sweep: boolean }) =>
  inHouse('deliver', [], async (house, signal) => {
    await storeAnswers(house, signal);
    await Promise.all([
      deliver(await deliverNeeds(house, signal)),
      beat(house, signal, 'deliver'),
      options.sweep && sweep(sweepNeeds(house, signal)),
    ]);
  });

/** `assay sweep`: housekeeping. */
export const sweepCommand = () =>
  inHouse('sweep', [], async (house, signal) => {
    await storeAnswers(house, signal);
    await Promise.all([sweep(sweepNeeds(house, signal)), beat(house, signal, 'sweep')]);
  });

/** Runs one role until it is told to stop, and takes everything down after it. */
async function inHouse(
  role: string,
  services: readonly string[],
  run: (house: House, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([stopSignal(), over.signal]);
  const planned = only(await plan(process.env, role), services);
  warnOfMisspelt(process.env, planned.log);
  const house = await openHouse(planned).catch(inWords);
  try {
    await run(house, signal);
  } finally {
    // Where one part has failed, the others must not keep the process alive.
    over.abort();
    await house.close();
  }
}

/**
 * A role may start before its database, or before the schema is there: it waits for both. With `orIsAway` for neither: a
 * gateway answers 503 meanwhile. A newer schema that this program cannot work on is refused.
 */
const storeAnswers = ({ db, log }: House, signal: AbortSignal, { orIsAway = false } = {}): Promise<void> =>
  untilAnswered(
    async () => {
      const migrations = await ownMigrations();
      const migrated = await isMigrated(db, migrations).catch((error) => {
        if (!orIsAway || !isUnavailable(error)) throw error;
      });
      if (migrated === false && !orIsAway) throw new NotMigrated();
    },
    {
      ...{ log, signal },
      why: (error) => (error instanceof NotMigrated ? 'waiting for `assay migrate`' : waitingFor(error)),
    },
  );

class NotMigrated extends Error {
  override readonly name = 'NotMigrated';
}

/** Carries what a process counts to all gateways, whichever of them is scraped. */
async function beat(
  { id, workers, registry, log }: House,
  signal: AbortSignal,
  role: string,
  service?: string,
): Promise<void> {
  for (; !signal.aborted; await rest(BEAT_MS, signal)) {
    const metrics = await registry.getMetricsAsJSON();
    await workers
      .beat({ id, role, ...(service !== undefined && { service }), state: 'warm', info: {}, metrics })
      .catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'));
  }
  await workers.leave(id).catch(() => {});
}

function only(planned: Plan, names: readonly string[]): Plan {
  if (names.length === 0) return planned;
  const unknown = names.filter((name) => !planned.services.some((service) => service.name === name));
  if (unknown.length > 0) throw new OperatorError(`There is no service named ${unknown.join(', ')}.`);
  return { ...planned, services: planned.services.filter(({ name }) => names.includes(name)) };
}
