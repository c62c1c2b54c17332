import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateDatabase, startEmbedded } from '../app-context.ts';
import { openDb } from '../base/db.ts';
import { sleep } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';
import { beforeKill } from '../base/stop-signal.ts';
import { type Config, loadConfig, toOperatorError } from '../config.ts';
import { createDemand } from '../roles/autoscale.ts';
import { releaseOnExit } from '../roles/release-on-exit.ts';
import { type ManagedProcess, supervise } from '../roles/supervise.ts';
import { hasTasks } from '../services/shared/service.ts';
import { createPostgresTaskStore } from '../tasks/postgres.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { SUPERVISED } from './exit.ts';
import { warnAboutUnknownSettings } from './unknown-settings.ts';
import { waitForDatabase } from './wait-for-database.ts';

type OnListening = (planned: Config, addresses: Readonly<Record<string, string>>) => void;

/**
 * Runs the database, listeners, workers, deliveries and the cleanup, each in a process that is restarted when it
 * exits.
 */
export async function start(options: {
  quiet?: boolean;
  signal: AbortSignal;
  /** Called again after a restart of the listeners. */
  onListening: OnListening;
}): Promise<void> {
  const { quiet = false, signal, onListening } = options;
  const planned = await loadConfig(quiet ? { LOG_LEVEL: 'warn', ...process.env } : process.env, 'start');
  warnAboutUnknownSettings(process.env, planned.log);
  const unlock = await lockDataDir(planned.shared.dataDir).catch(toOperatorError);
  try {
    await run(planned, signal, onListening);
  } finally {
    await unlock();
  }
}

async function run(planned: Config, signal: AbortSignal, onListening: OnListening): Promise<void> {
  const database = await openDatabase(planned, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  try {
    // Repeats only when the database changes its address.
    while (database && !signal.aborted) {
      const { url, moved } = database.address();
      await runOn(url, planned, AbortSignal.any([signal, moved]), onListening);
    }
  } finally {
    await database?.close();
  }
}

async function runOn(
  url: string | undefined,
  planned: Config,
  signal: AbortSignal,
  onListening: OnListening,
): Promise<void> {
  const { settings, services, log } = planned;
  const failed = new AbortController();
  const running = AbortSignal.any([signal, failed.signal]);
  const databases = planned.databases.map((database) => {
    const db = openDb({ url: database.url ?? url!, log, max: 2, applicationName: 'assay-start' });
    return { ...database, db, tasks: createPostgresTaskStore(db) };
  });
  const tasksOf = (service: string) => databases.find((each) => each.services.includes(service))!.tasks;
  try {
    const migrations = databases.map(({ db, variable }) =>
      waitForDatabase(() => migrateDatabase(db, { log, signal: running }), { log, signal: running, variable }),
    );
    const migrated = Promise.all(migrations).catch((error: unknown) => {
      failed.abort();
      throw error;
    });
    // A database that is unavailable delays only its own services, whose processes wait for the migrations.
    await Promise.race([migrated, ...migrations]);
    const env = {
      ...planned.env,
      ...(url && { DATABASE_URL: url, DATABASE_URL_FILE: undefined }),
      [SUPERVISED]: 'yes',
    };
    const child = (args: string[], defaults: Readonly<Record<string, string>> = {}) =>
      fork(fileURLToPath(new URL('../main.js', import.meta.url)), args, {
        env: { ...defaults, ...env },
        execArgv: ['--enable-source-maps'],
      });
    // The worker of a service without tasks always runs.
    const isOnDemand = settings.workers === 'on-demand';
    const startup = watchStartup(services.filter((service) => !(isOnDemand && hasTasks(service))).length);
    const announce = async (addresses: Record<string, string>) => {
      await startup.finished;
      if (!signal.aborted && !startup.error()) onListening(planned, addresses);
    };
    const { workerMaxAttempts: maxAttempts, workerIdleSeconds: idleSeconds } = settings;
    const processes: ManagedProcess[] = [
      { name: 'serve', spawn: () => startup.watch(onAddresses(child(['serve']), announce)) },
      { name: 'deliver', spawn: () => startup.watch(child(['deliver', '--sweep'])) },
      ...services.map((service) => {
        const tasks = tasksOf(service.name);
        const lost = { tasks, maxAttempts, log, service: service.name };
        return {
          name: `work ${service.name}`,
          spawn: () =>
            startup.watch(releaseOnExit(child(['work', '--service', service.name], service.workerEnvironment), lost)),
          ...(isOnDemand && hasTasks(service) && { demand: createDemand(service, tasks, { idleSeconds }) }),
        };
      }),
    ];
    await supervise({ processes, log, signal: running }).catch((error: unknown) => {
      throw startup.error() ?? error;
    });
    if (failed.signal.aborted) await migrated;
  } finally {
    failed.abort();
    for (const { tasks } of databases) tasks.close();
    await Promise.all(databases.map(({ db }) => db.close()));
  }
}

/** Limits the wait for a slow model. */
const STARTUP_TIMEOUT_MS = 5_000;

/** The ready message must not be followed by a startup error. */
function watchStartup(workers: number) {
  let missing = workers;
  let startupError: OperatorError | undefined;
  const done = new AbortController();
  if (missing === 0) done.abort();
  return {
    finished: delay(STARTUP_TIMEOUT_MS, undefined, { signal: done.signal, ref: false }).catch(() => {}),
    error: () => startupError,
    watch(child: ChildProcess): ChildProcess {
      child.on('message', (message) => {
        if (typeof message !== 'object') return;
        if ('loaded' in message && --missing === 0) done.abort();
        if (!('refused' in message)) return;
        startupError ??= new OperatorError(String(message.refused));
        done.abort();
      });
      return child;
    },
  };
}

interface Database {
  /** The current URL of the embedded database; `moved` aborts when it changes. */
  address(): { readonly url: string | undefined; readonly moved: AbortSignal };
  close(): Promise<void>;
}

const NEVER_ABORTED = new AbortController().signal;

async function openDatabase(planned: Config, signal: AbortSignal): Promise<Database> {
  const { database, log } = planned;
  if (database.url) return { address: () => ({ url: undefined, moved: NEVER_ABORTED }), close: async () => {} };

  const closed = new AbortController();
  let running = await startEmbedded(planned, signal);
  let moved = new AbortController();

  const restart = async () => {
    for (; !closed.signal.aborted; await sleep(1000, closed.signal)) {
      try {
        return await startEmbedded(planned, closed.signal);
      } catch (err) {
        if (!closed.signal.aborted) log.error({ err }, 'the database does not start; retrying');
      }
    }
    return undefined;
  };
  const watching = (async () => {
    for (;;) {
      await running.exited;
      if (closed.signal.aborted) return;
      log.error('the database exited and is being restarted');
      const next = await restart();
      if (closed.signal.aborted) return next?.stop();
      const { url } = running;
      running = next!;
      if (running.url === url) continue;
      // Another program has taken the port, or the socket has come or gone; all processes use the old URL.
      moved.abort();
      moved = new AbortController();
    }
  })();

  // At once and without loss: the next start recovers from the write-ahead log.
  const takeBack = beforeKill(() => {
    if (!running.adopted) process.kill(running.pid, 'SIGQUIT');
  });
  return {
    address: () => ({ url: running.url, moved: moved.signal }),
    async close() {
      takeBack();
      closed.abort();
      // After a failed start, another process may use the adopted database.
      if (running.adopted && !signal.aborted) return;
      await running.stop();
      await watching;
    },
  };
}

function onAddresses(child: ChildProcess, listener: (addresses: Record<string, string>) => unknown): ChildProcess {
  child.on('message', (message) => {
    if (typeof message !== 'object' || !('listening' in message)) return;
    void listener(message.listening as Record<string, string>);
  });
  return child;
}
