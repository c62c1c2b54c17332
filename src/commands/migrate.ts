import { migrateDatabase, openAppContext } from '../app-context.ts';
import { loadConfig } from '../config.ts';
import { throwOperatorError } from './terminal.ts';

export async function migrateCommand(): Promise<void> {
  const app = await openAppContext(await loadConfig(process.env, 'migrate')).catch(throwOperatorError);
  try {
    await migrateDatabase(app.db, { log: app.log }).catch(throwOperatorError);
    console.log('The database is up to date.');
  } finally {
    await app.close();
  }
}
