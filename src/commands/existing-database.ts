import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, openDb } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { startEmbedded } from '../compose.ts';
import type { Plan } from '../plan.ts';
import { occupy } from './occupy.ts';

/**
 * Does something in the database that is configured, or in our own: the one that runs, or started for as long as this
 * takes. Where there is none yet, none is made: that is refused, `nothing` being what the sentence says of the folder.
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
    throw new OperatorError(`${nothing} in ${shared.dataDir}; set DATA_DIR or DATABASE_URL.`);
  });
  // Where nobody is at home, nobody shall come meanwhile and lose the database when this has ended.
  const leave = await occupy(shared.dataDir).catch(() => undefined);
  try {
    const embedded = await startEmbedded(planned);
    return await open(embedded.url).finally(() => leave && !embedded.adopted && embedded.stop());
  } finally {
    await leave?.();
  }
}
