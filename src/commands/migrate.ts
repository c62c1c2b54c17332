import { migrateDatabase, openHouse } from '../compose.ts';
import { plan } from '../plan.ts';
import { inWords } from './telling.ts';

/** `assay migrate`: brings the database that is configured to this version, and says so. */
export async function migrateCommand(): Promise<void> {
  const house = await openHouse(await plan(process.env, 'migrate')).catch(inWords);
  try {
    await migrateDatabase(house.db, { log: house.log }).catch(inWords);
    console.log('The database is up to date.');
  } finally {
    await house.close();
  }
}
