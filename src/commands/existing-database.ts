import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbedded } from '../app-context.ts';
import { type Db, openDb } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { Config } from '../config.ts';
import type { DatabaseConfig } from '../service-databases.ts';
import { lockDataDir } from './data-dir-lock.ts';

/** The database with the service's data. */
export function databaseOf({ databases }: Config, service: string): DatabaseConfig {
  return databases.find(({ services }) => services.includes(service)) ?? databases[0]!;
}

/**
 * Uses the configured or the embedded database, starting the latter if necessary. Never creates one: throws `nothing`
 * as the start of the message.
 */
export async function withExistingDatabase<T>(
  { planned, applicationName, nothing }: { planned: Config; applicationName: string; nothing: string },
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const { database, shared } = planned;
  const open = (url: string) => withDatabase(url, { planned, applicationName }, run);
  if (database.url) return open(database.url);
  await stat(join(shared.dataDir, 'postgres', 'cluster')).catch(() => {
    throw new OperatorError(
      `${nothing} in ${shared.dataDir}. Run the command in the folder where Assay was started, or set DATA_DIR or DATABASE_URL.`,
    );
  });
  // A supervisor that started now would lose the database when this command ends.
  const unlock = await lockDataDir(shared.dataDir).catch(() => undefined);
  try {
    const embedded = await startEmbedded(planned);
    return await open(embedded.url).finally(() => unlock && !embedded.adopted && embedded.stop());
  } finally {
    await unlock?.();
  }
}

export async function withDatabase<T>(
  url: string,
  { planned, applicationName }: { planned: Config; applicationName: string },
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const db = openDb({ url, log: planned.log, max: 1, applicationName });
  return run(db).finally(() => db.close());
}
