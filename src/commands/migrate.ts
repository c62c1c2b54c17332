import { migrateDatabase, openHouse } from '../compose.ts';
import { plan } from '../plan.ts';
import { inWords } from './telling.ts';

export async function migrateCommand(): Promise<void> {
  const app = await openHouse(await plan(process.env, 'migrate')).catch(inWords);
  try {
    await migrateDatabase(app.db, { log: app.log }).catch(inWords);
    console.log('The database is up to date.');
  } finally {
    await app.close();
  }
}
