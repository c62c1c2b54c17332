import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDb } from '../base/db.ts';
import { rest } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';
import { migrateDatabase, startEmbedded } from '../compose.ts';
import { inWords, type Plan, plan } from '../plan.ts';
import { demandFor } from '../roles/demand.ts';
import { releaseWhenLost } from '../roles/lost-worker.ts';
import { type Post, supervise } from '../roles/supervise.ts';
import type { OpenService } from '../services/service.ts';
import { postgresTaskStore } from '../tasks/postgres.ts';
import { SUPERVISED } from './ending.ts';
import { warnOfMisspelt } from './misspelt-settings.ts';
import { occupy } from './occupy.ts';
import { untilAnswered } from './patience.ts';

type OnListening = (planned: Plan, addresses: Readonly<Record<string, string>>) => void;

/**
 * Everything on one machine until `signal` aborts: the database, the listeners, a worker per model, deliveries and
 * housekeeping, each in a process of its own that is started again when it dies.
 */
export async function start({
  quiet = false,
  signal,
  onListening,
}: {
  /** Logs only what goes wrong, unless LOG_LEVEL says otherwise. */
  quiet?: boolean;
  signal: AbortSignal;
  /** Called whenever all of it is up: again after the listeners had to be started again. */
  onListening: OnListening;
}): Promise<void> {
  const planned = await plan(quiet ? { LOG_LEVEL: 'warn', ...process.env } : process.env, 'start');
  warnOfMisspelt(process.env, planned.log);
  const leave = await occupy(planned.shared.dataDir).catch(inWords);
  try {
    await run(planned, signal, onListening);
  } finally {
    await leave();
  }
}

async function run(planned: Plan, signal: AbortSignal, onListening: OnListening): Promise<void> {
  const database = await openDatabase(planned, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined; // told to stop before it had begun
    throw error;
  });
  try {
    // One round, unless the database has to change its address.
    while (database && !signal.aborted) {
      const { url, moved } = database.place();
      await runOn(url, planned, AbortSignal.any([signal, moved]), onListening);
    }
  } finally {
    await database?.close();
  }
}

async function runOn(url: string, planned: Plan, signal: AbortSignal, onListening: OnListening): Promise<void> {
  const { settings, services, log } = planned;
  const db = openDb({ url, log, max: 2, applicationName: 'assay-start' });
  const tasks = postgresTaskStore(db);
  try {
    await untilAnswered(() => migrateDatabase(db, { log, signal }), { log, signal });
    const env = { ...planned.env, DATABASE_URL: url, DATABASE_URL_FILE: undefined, [SUPERVISED]: 'yes' };
    const child = (...args: string[]) =>
      fork(fileURLToPath(new URL('../main.js', import.meta.url)), args, { env, execArgv: ['--enable-source-maps'] });
    const onDemand = settings.workers === 'on-demand';
    // What takes no tasks has no hours: its worker is always there.
    const demandOf = ({ name, work }: OpenService) =>
      work && { demand: demandFor({ name, work }, tasks, { idleSeconds: settings.workerIdleSeconds }) };
    const first = firstWords(services.filter(({ work }) => !(onDemand && work)).length);
    const tell = async (addresses: Record<string, string>) => {
      await first.heard;
      if (!signal.aborted && !first.refusal()) onListening(planned, addresses);
    };
    const lost = { tasks, maxAttempts: settings.workerMaxAttempts, log };
    const posts: Post[] = [
      { name: 'serve', spawn: () => first.of(tellsAddresses(child('serve'), tell)) },
      { name: 'deliver', spawn: () => first.of(child('deliver', '--sweep')) },
      ...services.map((service) => ({
        name: `work ${service.name}`,
        spawn: () =>
          first.of(releaseWhenLost(child('work', '--service', service.name), { ...lost, service: service.name })),
        ...(onDemand && demandOf(service)),
      })),
    ];
    await supervise({ posts, log, signal }).catch((error: unknown) => {
      throw first.refusal() ?? error;
    });
  } finally {
    tasks.close();
    await db.close();
  }
}

/** A model that takes longer than this to load is waited for by its tasks, not by whoever reads the terminal. */
const FIRST_WORD_MS = 5_000;

/** Hears whether the workers come up, so that nobody is told that all is ready and then that it is not. */
function firstWords(workers: number) {
  let missing = workers;
  let refusal: OperatorError | undefined;
  const over = new AbortController();
  if (missing === 0) over.abort();
  return {
    /** Resolves when every worker has loaded, one process has refused its settings, or it takes too long. */
    heard: new Promise<void>((resolve) => {
      if (over.signal.aborted) return resolve();
      const patience = setTimeout(resolve, FIRST_WORD_MS).unref();
      over.signal.addEventListener('abort', () => {
        clearTimeout(patience);
        resolve();
      });
    }),
    refusal: () => refusal,
    of(child: ChildProcess): ChildProcess {
      child.on('message', (message) => {
        if (typeof message !== 'object') return;
        if ('loaded' in message && --missing === 0) over.abort();
        if (!('refused' in message)) return;
        refusal ??= new OperatorError(String(message.refused));
        over.abort();
      });
      return child;
    },
  };
}

interface Database {
  /** Where it is now, and the signal that it is there no more. */
  place(): { readonly url: string; readonly moved: AbortSignal };
  close(): Promise<void>;
}

const HERE_FOR_EVER = new AbortController().signal;

/** The database that is configured, or our own, which is started again when it dies. */
async function openDatabase(planned: Plan, signal: AbortSignal): Promise<Database> {
  const { settings, log } = planned;
  const { databaseUrl } = settings;
  if (databaseUrl) return { place: () => ({ url: databaseUrl, moved: HERE_FOR_EVER }), close: async () => {} };

  const over = new AbortController();
  let running = await startEmbedded(planned, signal);
  let moved = new AbortController();

  const startAgain = async () => {
    for (; !over.signal.aborted; await rest(1000, over.signal)) {
      try {
        return await startEmbedded(planned, over.signal);
      } catch (err) {
        if (!over.signal.aborted) log.error({ err }, 'the database does not start; trying again');
      }
    }
    return undefined;
  };
  const keeping = (async () => {
    for (;;) {
      await running.exited;
      if (over.signal.aborted) return;
      log.error('the database died and is started again');
      const next = await startAgain();
      if (over.signal.aborted) return next?.stop();
      const { url } = running;
      running = next!;
      if (running.url === url) continue;
      // Somebody else took its port meanwhile. Every process knows the old one.
      moved.abort();
      moved = new AbortController();
    }
  })();

  return {
    place: () => ({ url: running.url, moved: moved.signal }),
    async close() {
      over.abort();
      // A start that failed must not stop what it found running: another process here may use it.
      if (running.adopted && !signal.aborted) return;
      await running.stop();
      await keeping;
    },
  };
}

function tellsAddresses(child: ChildProcess, tell: (addresses: Record<string, string>) => unknown): ChildProcess {
  child.on('message', (message) => {
    if (typeof message === 'object' && 'listening' in message) void tell(message.listening as Record<string, string>);
  });
  return child;
}
