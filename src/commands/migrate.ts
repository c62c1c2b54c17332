import { migrateDatabase, openAppContext } from '../app-context.ts';
import { loadConfig } from '../config.ts';
import { quietOnTerminal, throwOperatorError } from './terminal.ts';

export async function migrateCommand(): Promise<void> {
  const app = await openAppContext(await loadConfig(quietOnTerminal(), 'migrate')).catch(throwOperatorError);
  try {
    for (const { db, variable } of app.databases) {
      await migrateDatabase(db, { log: app.log }).catch(throwOperatorError);
      console.log(
        app.databases.length === 1 ? 'The database is up to date.' : `The database of ${variable} is up to date.`,
      );
    }
  } finally {
    await app.close();
  }
}
