import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDb } from '../base/db.ts';
import { rest } from '../base/loop.ts';
import { migrateDatabase, type Plan, plan, startEmbedded } from '../compose.ts';
import { demandFor } from '../roles/demand.ts';
import { type Post, supervise } from '../roles/supervise.ts';
import { postgresTaskStore } from '../tasks/postgres.ts';

/**
 * Everything on one machine until `signal` aborts: the database, the listeners, a worker per model, deliveries and
 * housekeeping, each in a process of its own that is started again when it dies.
 */
export async function start({
  signal,
  onListening,
}: {
  signal: AbortSignal;
  onListening: (planned: Plan, addresses: Readonly<Record<string, string>>) => void;
}): Promise<void> {
  const planned = await plan(process.env, 'start');
  const { settings, services, log } = planned;
  const database = await openDatabase(planned, signal);
  const db = openDb({ url: database.url, log, max: 2, applicationName: 'assay-start' });
  const tasks = postgresTaskStore(db);
  try {
    await migrateDatabase(db);
    const env = { ...planned.env, DATABASE_URL: database.url };
    const child = (...args: string[]) =>
      fork(fileURLToPath(new URL('../main.js', import.meta.url)), args, { env, execArgv: ['--enable-source-maps'] });
    const posts: Post[] = [
      { name: 'serve', spawn: () => tellsAddresses(child('serve'), (addresses) => onListening(planned, addresses)) },
      { name: 'deliver', spawn: () => child('deliver', '--sweep') },
      ...services.map((service) => ({
        name: `work ${service.name}`,
        spawn: () => child('work', '--service', service.name),
        ...(settings.workers === 'on-demand' && {
          demand: demandFor(service, tasks, { idleSeconds: settings.workerIdleSeconds }),
        }),
      })),
    ];
    await supervise({ posts, log, signal });
  } finally {
    tasks.close();
    await db.close();
    await database.stop();
  }
}

interface Database {
  readonly url: string;
  stop(): Promise<void>;
}

/** The database that is configured, or our own, which is started again when it dies. */
async function openDatabase(planned: Plan, signal: AbortSignal): Promise<Database> {
  const { settings, log } = planned;
  if (settings.databaseUrl) return { url: settings.databaseUrl, stop: async () => {} };
  let running = await startEmbedded(planned);
  let stopping = false;
  const { url } = running;
  const keeping = (async () => {
    for (;;) {
      await running.exited;
      if (stopping) return;
      log.error('the database died and is started again');
      while (!stopping) {
        try {
          running = await startEmbedded(planned);
          break;
        } catch (err) {
          log.error({ err }, 'the database does not start; trying again');
          await rest(1000, signal);
        }
      }
    }
  })();
  return {
    url,
    async stop() {
      stopping = true;
      await running.stop();
      await keeping;
    },
  };
}

function tellsAddresses(child: ChildProcess, tell: (addresses: Record<string, string>) => void): ChildProcess {
  child.on('message', (message) => {
    if (typeof message === 'object' && 'listening' in message) tell(message.listening as Record<string, string>);
  });
  return child;
}
