import { migrateDatabase, openHouse } from '../compose.ts';
import { plan } from '../plan.ts';

/** `assay migrate`: brings the database that is configured to this version, and says so. */
export async function migrateCommand(): Promise<void> {
  const house = await openHouse(await plan(process.env, 'migrate'));
  try {
    await migrateDatabase(house.db);
    console.log('The database is up to date.');
  } finally {
    await house.close();
  }
}
