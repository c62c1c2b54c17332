import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, openDb } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { startEmbedded } from '../compose.ts';
import type { Plan } from '../plan.ts';
import { occupy } from './occupy.ts';

/**
 * Runs `run` on the configured database, or on the embedded one, which is started for this time unless it runs already.
 * Never creates a database: throws `nothing` (the start of the message) when the data directory has none.
 */
export async function inExistingDatabase<T>(
  { planned, applicationName, nothing }: { planned: Plan; applicationName: string; nothing: string },
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const { settings, shared, log } = planned;
  const open = async (url: string) => {
    const db = openDb({ url, log, max: 1, applicationName });
    return run(db).finally(() => db.close());
  };
  if (settings.databaseUrl) return open(settings.databaseUrl);
  await stat(join(shared.dataDir, 'postgres', 'cluster')).catch(() => {
    throw new OperatorError(
      `${nothing} in ${shared.dataDir}. Run the command in the folder where Assay was started, or set DATA_DIR or DATABASE_URL.`,
    );
  });
  // While no supervisor runs, hold its lock: one that started now would lose the database when this command ends.
  const unlock = await occupy(shared.dataDir).catch(() => undefined);
  try {
    const embedded = await startEmbedded(planned);
    return await open(embedded.url).finally(() => unlock && !embedded.adopted && embedded.stop());
  } finally {
    await unlock?.();
  }
}
