import { OperatorError } from '../base/operator-error.ts';
import { type Config, onDatabase } from '../config.ts';
import { databaseOf } from './existing-database.ts';

/**
 * The configuration with the database of a service. A backup contains one database and all files of DATA_DIR, so with several
 * databases the files must be in a bucket: restoring one database would otherwise replace the files of the others.
 */
export function onBackupDatabase(planned: Config, service: string | undefined): Config {
  const { databases, services, settings } = planned;
  const names = services.map(({ name }) => name);
  if (service !== undefined && !names.includes(service)) {
    throw new OperatorError(`Unknown service ${service}. Services: ${names.join(', ')}.`);
  }
  if (databases.length === 1) return planned;
  if (settings.filesUrl === undefined) {
    throw new OperatorError(
      'The services use several databases: `assay backup` and `assay restore` then need the files in a bucket (FILES_URL).',
    );
  }
  if (service === undefined) {
    throw new OperatorError(
      `The services use ${databases.length} databases, each with its own backup: add --service with one of ${names.join(', ')}.`,
    );
  }
  return onDatabase(planned, databaseOf(planned, service));
}
